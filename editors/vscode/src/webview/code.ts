/** Blocks of code: in the colours of VS Code's theme, with what can be done with them. */
import type { Run } from "../chat/messages.ts";
import { t } from "../words.ts";
import { el, iconButton } from "./dom.ts";
import type { Send } from "./types.ts";

/** Longer code stays without colours. */
const MOST_COLOURED = 30_000;
/** Blocks whose colours are remembered: a block is drawn anew while text streams behind it. */
const MOST_KNOWN = 200;

/** Asks the extension host for colours, and draws them when they come. */
export class Colours {
  readonly #send: Send;
  readonly #known = new Map<string, Run[][]>();
  readonly #asked = new Map<number, { key: string; code: HTMLElement }>();
  #next = 1;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Colours an element that holds code. */
  colour(code: HTMLElement, language: string): void {
    const text = code.textContent;
    if (language === "" || text === "" || text.length > MOST_COLOURED) return;
    code.dataset["language"] = language;
    const key = `${language}\n${text}`;
    const known = this.#known.get(key);
    if (known !== undefined) return draw(code, known);
    const id = this.#next++;
    this.#asked.set(id, { key, code });
    this.#send({ type: "highlight", id, language, code: text });
  }

  receive(id: number, lines: Run[][]): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    this.#asked.delete(id);
    this.#known.set(asked.key, lines);
    if (this.#known.size > MOST_KNOWN) {
      const [oldest] = this.#known.keys();
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    // Empty: there is no grammar for it.
    if (lines.length > 0) draw(asked.code, lines);
  }

  /** Another theme: all is asked for anew. */
  recolour(root: HTMLElement): void {
    this.#known.clear();
    this.#asked.clear();
    for (const code of root.querySelectorAll<HTMLElement>("[data-language]")) {
      this.colour(code, code.dataset["language"] ?? "");
    }
  }
}

function draw(code: HTMLElement, lines: Run[][]): void {
  const nodes = lines.flatMap((runs, at) => [
    ...runs.map(({ text, color, style }) => {
      if (color === undefined && style === "") return text;
      const element = el("span", { class: style }, text);
      if (color !== undefined) element.style.color = color;
      return element;
    }),
    ...(at < lines.length - 1 ? ["\n"] : []),
  ]);
  code.replaceChildren(...nodes);
}

/** A block with its bar. `info` is what stands behind its fence. */
export function codeBlock(code: HTMLElement, info: string, send: Send): HTMLElement {
  const language = info.trim().split(/[\s{]/, 1)[0] ?? "";
  const text = (): string => code.textContent;
  const bar = el(
    "div",
    { class: "codeBar", attributes: { role: "toolbar", "aria-label": t("Code") } },
    el("span", { class: "language" }, language),
    iconButton("copy", t("Copy"), () => send({ type: "copy", text: text() })),
    iconButton("insert", t("Insert at Cursor"), () => send({ type: "insert", text: text() })),
    iconButton("git-stash-apply", t("Apply to File…"), () =>
      send({ type: "apply", text: text(), language: info.trim() }),
    ),
  );
  const pre = el(
    "pre",
    {
      class: "code",
      attributes: {
        tabindex: "0",
        role: "group",
        "aria-label": language === "" ? t("Code") : t("Code, {0}", language),
      },
    },
    code,
  );
  return el("div", { class: "codeBlock" }, bar, pre);
}
