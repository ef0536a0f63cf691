/** The expanded part of a tool's row: arguments, output and diffs. It is built when the row is first expanded. */
import type { Append, ViewTool } from "../chat/messages.ts";
import { plural, t, numberText } from "../words.ts";
import type { Colours } from "./code.ts";
import { diffLines } from "./diff.ts";
import { button, el } from "./dom.ts";
import { Hits } from "./hits.ts";
import { Markdown } from "./markdown.ts";
import { TerminalText } from "./terminal.ts";
import type { Send } from "./types.ts";

export class ToolBody {
  readonly element = el("div", { class: "toolBody" });
  readonly #key: string;
  readonly #send: Send;
  readonly #colours: Colours;
  readonly #args = el("dl", { class: "args", attributes: { "aria-label": t("Arguments") } });
  readonly #input = named("input", t("Arguments"));
  readonly #plain = named("output", t("Output"));
  readonly #terminal = new TerminalText();
  readonly #hits: Hits;
  readonly #rendered = el("div");
  readonly #file = el("div", { class: "fileText" });
  readonly #note = el("p", { class: "note" });
  readonly #full = el("p", { class: "full" });
  readonly #changes = el("div", { class: "changes" });
  #markdown: Markdown | undefined;
  #tool: ViewTool | undefined;

  constructor(key: string, send: Send, colours: Colours) {
    this.#key = key;
    this.#send = send;
    this.#colours = colours;
    this.#hits = new Hits(send);
    const output = [
      this.#plain,
      this.#hits.element,
      this.#rendered,
      this.#terminal.element,
      this.#file,
      this.#note,
      this.#full,
    ];
    this.element.append(this.#args, this.#input, this.#changes, ...output);
  }

  draw(tool: ViewTool): void {
    const before = this.#tool;
    this.#tool = tool;
    this.#args.hidden = tool.args.length === 0;
    if (!isSame(before?.args, tool.args)) {
      this.#args.replaceChildren(
        ...tool.args.map(({ name, value }) =>
          el("div", {}, el("dt", {}, name), el("dd", {}, value === "" ? t("(empty)") : value)),
        ),
      );
    }
    // Arguments are not colored while they stream: every piece would need a request.
    if (before?.input !== tool.input || before.status !== tool.status) {
      this.#input.textContent = tool.input;
      if (tool.status !== "pending") this.#colours.colour(this.#input, tool.language);
    }
    if (!isSame(before?.changes, tool.changes)) {
      this.#changes.replaceChildren(...tool.changes.map((change) => this.#change(change, tool)));
    }
    if (before?.output !== tool.output || before.format !== tool.format) this.#drawOutput(tool);
    this.#note.hidden = tool.note === "";
    this.#note.textContent = tool.note;
    this.#full.hidden = tool.fullBytes === undefined;
    if (tool.fullBytes !== undefined) {
      const show = button(t("Show All"), () => this.#send({ type: "fullOutput", key: this.#key }), "link");
      this.#full.replaceChildren(`${t("Part of {0}.", sizeText(tool.fullBytes))} `, show);
    }
    this.#hideEmpty();
  }

  append(append: Append): void {
    const tool = this.#tool;
    if (tool === undefined) return;
    if (append.field === "input") {
      this.#input.append(append.text);
      this.#tool = { ...tool, input: tool.input + append.text };
    }
    if (append.field === "output") {
      this.#tool = { ...tool, output: tool.output + append.text };
      if (tool.format === "terminal") this.#terminal.append(append.text);
      else this.#plain.append(append.text);
    }
    this.#hideEmpty();
  }

  /** Keeps the output scrolled to its end, for commands that are running or have failed, unless the user scrolls. */
  set atEnd(isAtEnd: boolean) {
    this.element.classList.toggle("atEnd", isAtEnd);
  }

  #drawOutput({ format, output, outputLanguage, firstLine, base }: ViewTool): void {
    this.#hits.set(format === "hits" ? output : "", base);
    this.#terminal.set(format === "terminal" ? output : "");
    this.#plain.textContent = format === "text" ? output : "";
    this.#file.replaceChildren();
    if (format === "file" && output !== "") this.#drawFile(output, outputLanguage, firstLine);
    if (format === "markdown") {
      this.#markdown ??= new Markdown("", false, this.#send, this.#colours);
      this.#markdown.set(output, true);
      this.#rendered.replaceChildren(this.#markdown.element);
    }
  }

  /** Draws the text of a file with line numbers. */
  #drawFile(text: string, language: string, firstLine: number): void {
    const numbers = text.split("\n").map((_, at) => String(firstLine + at));
    const code = el("code", {}, text);
    this.#file.replaceChildren(
      el(
        "pre",
        { class: "numbered", attributes: { tabindex: "0", role: "group", "aria-label": t("Content") } },
        el("span", { class: "numbers", attributes: { "aria-hidden": "true" } }, numbers.join("\n")),
        code,
      ),
    );
    this.#colours.colour(code, language);
  }

  /** Draws the diff of a file, with its name if there are several. */
  #change({ path, added, removed, diff }: ViewTool["changes"][number], { changes }: ViewTool): HTMLElement {
    const shown = diff === "" ? el("p", { class: "note" }, t("No text to compare.")) : diffLines(diff);
    if (changes.length === 1) return shown;
    const name = path.split(/[/\\]/).at(-1) ?? path;
    const open = button(
      name,
      () => this.#send({ type: "openDiff", path }),
      "link",
      t("Open the diff of {0}", path),
    );
    return el(
      "div",
      { class: "change" },
      el("div", { class: "file" }, open, countsOf(added, removed)),
      shown,
    );
  }

  #hideEmpty(): void {
    const tool = this.#tool;
    this.#input.hidden = this.#input.textContent === "";
    this.#rendered.hidden = tool?.format !== "markdown" || tool.output === "";
    this.#plain.hidden = tool?.format !== "text" || this.#plain.textContent === "";
    this.#hits.element.hidden = tool?.format !== "hits" || tool.output === "";
    this.#terminal.element.hidden = tool?.format !== "terminal" || this.#terminal.isEmpty;
    this.#file.hidden = tool?.format !== "file" || tool.output === "";
  }
}

function named(name: string, label: string): HTMLElement {
  return el("pre", { class: name, attributes: { tabindex: "0", role: "group", "aria-label": label } });
}

function isSame(before: unknown, now: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}

/** Draws the numbers of added and removed lines. */
export function countsOf(added: number, removed: number): HTMLElement {
  return el(
    "span",
    { class: "counts" },
    el("span", { class: "added" }, `+${added}`),
    el("span", { class: "removed" }, `−${removed}`),
  );
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return plural(bytes, "{0} byte", "{0} bytes");
  return bytes < 1024 * 1024
    ? t("{0} KB", Math.round(bytes / 1024))
    : t("{0} MB", numberText(bytes / 1024 / 1024, 1));
}
