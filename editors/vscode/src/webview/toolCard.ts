/** A call of a tool as a card: one line in words, and behind it what went in, what came out and what it changed. */
import type { Append, ViewEntry, ViewTool } from "../chat/messages.ts";
import { statusWord } from "../transcript/toolWords.ts";
import { numberText, plural, t } from "../words.ts";
import type { Colours } from "./code.ts";
import { diffLines } from "./diff.ts";
import { button, el, icon, iconButton } from "./dom.ts";
import type { Drawn, Send } from "./types.ts";
import { TerminalText } from "./terminal.ts";

type Entry = Extract<ViewEntry, { kind: "tool" }>;

/** Draws an entry: a sub-agent's card has a transcript in it. */
type DrawEntry = (entry: ViewEntry, send: Send, colours: Colours) => Drawn;

export class ToolCard implements Drawn {
  readonly element: HTMLElement;
  readonly #key: string;
  readonly #send: Send;
  readonly #colours: Colours;
  readonly #drawEntry: DrawEntry;
  readonly #details = el("details", {});
  readonly #icon = el("span", { class: "badge" });
  readonly #title = el("span", { class: "title" });
  readonly #facts = el("span", { class: "facts" });
  readonly #input = el("pre", {
    class: "input",
    attributes: { tabindex: "0", role: "group", "aria-label": t("Arguments") },
  });
  readonly #plain = el("pre", {
    class: "output",
    attributes: { tabindex: "0", role: "group", "aria-label": t("Output") },
  });
  readonly #terminal = new TerminalText();
  readonly #full = el("p", { class: "full" });
  readonly #files = el("div", { class: "files" });
  readonly #stop: HTMLButtonElement;
  #nested: Nested | undefined;
  #tool: ViewTool;
  #isTouched = false;

  constructor(entry: Entry, send: Send, colours: Colours, drawEntry: DrawEntry) {
    this.#key = entry.key;
    this.#send = send;
    this.#colours = colours;
    this.#drawEntry = drawEntry;
    this.#tool = entry.tool;
    const summary = el("summary", {}, this.#icon, this.#title, this.#facts, icon("chevron-right"));
    summary.addEventListener("click", () => (this.#isTouched = true));
    this.#details.append(summary, this.#input, this.#plain, this.#terminal.element, this.#full);
    this.#details.addEventListener("toggle", () => this.#opened());
    this.#stop = iconButton("debug-stop", t("Stop This"), () => this.#stopIt());
    this.#stop.classList.add("stopOne");
    this.element = el("article", { class: "entry tool" }, this.#details, this.#stop, this.#files);
    this.#draw();
  }

  update(entry: ViewEntry): boolean {
    if (entry.kind !== "tool") return false;
    this.#tool = entry.tool;
    this.#draw();
    return true;
  }

  append(append: Append): void {
    if (append.field === "input") this.#input.append(append.text);
    if (append.field === "output") {
      if (this.#tool.isTerminal) this.#terminal.append(append.text);
      else this.#plain.append(append.text);
    }
    this.#hideEmpty();
  }

  #draw(): void {
    const tool = this.#tool;
    const status = tool.isError && tool.status === "completed" ? "failed" : tool.status;
    this.element.dataset["status"] = status;
    this.element.setAttribute(
      "aria-label",
      `${tool.sentence.replace("{0}", () => tool.subject)}, ${statusWord(status)}`,
    );
    this.#icon.replaceChildren(icon(iconOf(status, tool.icon)));
    const subject = tool.isCode ? el("code", {}, tool.subject) : tool.subject;
    const [before = "", after = ""] = tool.sentence.split("{0}");
    this.#title.replaceChildren(before, subject, after);
    this.#facts.textContent = factsOf(tool, status);
    this.#input.textContent = tool.input;
    if (status !== "pending") this.#colours.colour(this.#input, tool.language);
    if (tool.isTerminal) this.#terminal.set(tool.output);
    else this.#plain.textContent = tool.output;
    this.#drawFull();
    if (!this.#isTouched) this.#details.open = status === "failed";
    this.#files.replaceChildren(...tool.changes.map((change) => this.#file(change)));
    this.#stop.hidden = tool.stop === undefined;
    this.#hideEmpty();
  }

  #drawFull(): void {
    const { fullBytes } = this.#tool;
    this.#full.hidden = fullBytes === undefined;
    if (fullBytes === undefined) return;
    const show = button(t("Show All"), () => this.#send({ type: "fullOutput", key: this.#key }), "link");
    this.#full.replaceChildren(`${t("Part of {0}.", sizeText(fullBytes))} `, show);
  }

  /** A sub-agent's own transcript is read when somebody looks at it. */
  #opened(): void {
    const session = this.#tool.agentSession;
    if (session === undefined) return;
    if (this.#nested === undefined && this.#details.open) {
      this.#nested = new Nested(session, this.#send, this.#colours, this.#drawEntry);
      this.#details.append(this.#nested.element);
    }
    this.#send({ type: "nested", session, isOpen: this.#details.open });
  }

  get nested(): Nested | undefined {
    return this.#nested;
  }

  #stopIt(): void {
    const { stop } = this.#tool;
    if (stop === undefined) return;
    this.#stop.disabled = true;
    if (stop.kind === "job") this.#send({ type: "stopJob", jobId: stop.jobId });
    else this.#send({ type: "stopTool", itemId: this.#key });
  }

  #file(change: ViewTool["changes"][number]): HTMLElement {
    const name = change.path.split(/[/\\]/).at(-1) ?? change.path;
    const open = button(
      name,
      () => this.#send({ type: "openDiff", path: change.path }),
      "link",
      t("Open the diff of {0}", change.path),
    );
    const counts = el(
      "span",
      { class: "counts" },
      el("span", { class: "added" }, `+${change.added}`),
      el("span", { class: "removed" }, `−${change.removed}`),
    );
    const line = el("div", { class: "file" }, open, counts);
    if (change.diff === "") return line;
    // The button stands beside the fold's own, not in it: a screen reader would not find it there.
    const hunks = el("details", { class: "hunks" }, el("summary", {}, t("Hunks")), diffLines(change.diff));
    return el("div", {}, line, hunks);
  }

  #hideEmpty(): void {
    this.#input.hidden = this.#input.textContent === "";
    this.#plain.hidden = this.#tool.isTerminal || this.#plain.textContent === "";
    this.#terminal.element.hidden = !this.#tool.isTerminal || this.#terminal.isEmpty;
  }
}

/** What runs, failed or was not allowed says so by its picture, anything else says what it is. */
function iconOf(status: string, name: string): string {
  if (status === "failed") return "error";
  if (status === "declined") return "circle-slash";
  if (status === "running") return "loading codicon-modifier-spin";
  return name;
}

function factsOf({ exitCode, durationMs }: ViewTool, status: string): string {
  const facts: string[] = [];
  if (exitCode !== undefined && exitCode !== 0) facts.push(t("exit {0}", exitCode));
  if (status === "declined") facts.push(t("not allowed"));
  if (durationMs !== undefined && durationMs >= 1000)
    facts.push(t("{0} s", numberText(durationMs / 1000, 1)));
  return facts.join(" · ");
}

export function sizeText(bytes: number): string {
  if (bytes < 1024) return plural(bytes, "{0} byte", "{0} bytes");
  return bytes < 1024 * 1024
    ? t("{0} KB", Math.round(bytes / 1024))
    : t("{0} MB", numberText(bytes / 1024 / 1024, 1));
}

/** The end of a sub-agent's own transcript, in its card. */
class Nested {
  readonly session: string;
  readonly element = el("div", {
    class: "nested",
    attributes: { role: "group", "aria-label": t("Transcript of the sub-agent") },
  });
  readonly #send: Send;
  readonly #colours: Colours;
  readonly #drawEntry: DrawEntry;
  readonly #more = el("p", { class: "more" }, t("Only the last part is shown."));
  #drawn = new Map<string, Drawn>();

  constructor(session: string, send: Send, colours: Colours, drawEntry: DrawEntry) {
    this.session = session;
    this.#send = send;
    this.#colours = colours;
    this.#drawEntry = drawEntry;
    this.element.append(el("p", { class: "more" }, t("Reading…")));
  }

  update(entries: ViewEntry[], hasEarlier: boolean): void {
    const drawn = new Map<string, Drawn>();
    for (const entry of entries) {
      const before = this.#drawn.get(entry.key);
      drawn.set(
        entry.key,
        before?.update(entry) === true ? before : this.#drawEntry(entry, this.#send, this.#colours),
      );
    }
    this.#drawn = drawn;
    const elements = [...drawn.values()].map(({ element }) => element);
    this.element.replaceChildren(...(hasEarlier ? [this.#more] : []), ...elements);
  }
}
