/** A tool call as a card: a one-line description that expands to its arguments, output and changes. */
import type { Append, ViewEntry, ViewTool } from "../chat/messages.ts";
import { statusWord } from "../transcript/toolWords.ts";
import { numberText, t } from "../words.ts";
import type { Colours } from "./code.ts";
import { button, el, icon, iconButton } from "./dom.ts";
import type { DrawEntry } from "./nested.ts";
import { Nested } from "./nested.ts";
import { countsOf, ToolBody } from "./toolBody.ts";
import type { Drawn, Foldable, Send } from "./types.ts";

type Entry = Extract<ViewEntry, { kind: "tool" }>;

export class ToolCard implements Drawn {
  readonly element: HTMLElement;
  readonly #key: string;
  readonly #send: Send;
  readonly #colours: Colours;
  readonly #drawEntry: DrawEntry;
  readonly #icon = el("span", { class: "badge" });
  readonly #title = el("span", { class: "title" });
  readonly #counts = el("span", { class: "sums" });
  readonly #facts = el("span", { class: "facts" });
  readonly #chevron: HTMLButtonElement;
  readonly #terminal: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  #body: ToolBody | undefined;
  #nested: Nested | undefined;
  #tool: ViewTool;
  #isOpen = false;
  #isTouched = false;

  constructor(entry: Entry, send: Send, colours: Colours, drawEntry: DrawEntry) {
    this.#key = entry.key;
    this.#send = send;
    this.#colours = colours;
    this.#drawEntry = drawEntry;
    this.#tool = entry.tool;
    this.#chevron = iconButton("chevron-right", t("Details"), () => this.#toggle());
    this.#chevron.classList.add("chevron");
    this.#terminal = iconButton("terminal", t("Open Terminal"), () => this.#openTerminal());
    this.#stop = iconButton("debug-stop", t("Stop This"), () => this.#stopIt());
    this.#stop.classList.add("stopOne");
    const parts = [
      this.#icon,
      this.#title,
      this.#counts,
      this.#facts,
      this.#chevron,
      this.#terminal,
      this.#stop,
    ];
    const row = el("div", { class: "row" }, ...parts);
    // The whole row is clickable; keyboard users have the chevron.
    row.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("button") === null) this.#toggle();
    });
    this.element = el("article", { class: "entry tool" }, row);
    this.#draw();
  }

  get nested(): Nested | undefined {
    return this.#nested;
  }

  get folding(): Foldable | undefined {
    const { group, sentence, subject, status } = this.#tool;
    if (group === undefined) return undefined;
    const isRunning = status === "running" || status === "pending";
    return { group, text: sentence.replace("{0}", () => subject), isRunning, isOpen: this.#isOpen };
  }

  update(entry: ViewEntry): boolean {
    if (entry.kind !== "tool") return false;
    this.#tool = entry.tool;
    this.#draw();
    return true;
  }

  append(append: Append): void {
    const tool = this.#tool;
    if (append.field === "input") this.#tool = { ...tool, input: tool.input + append.text };
    if (append.field === "output") this.#tool = { ...tool, output: tool.output + append.text };
    this.#chevron.hidden = !hasBody(this.#tool);
    if (this.#isOpen) this.#body?.append(append);
  }

  #draw(): void {
    const tool = this.#tool;
    const status = statusOf(tool);
    this.element.dataset["status"] = status;
    const said = tool.sentence.replace("{0}", () => tool.subject);
    this.element.setAttribute("aria-label", `${said}, ${statusWord(status)}`);
    this.#chevron.setAttribute("aria-label", t("Details: {0}", said));
    this.#chevron.title = t("Details");
    this.#chevron.hidden = !hasBody(tool);
    this.#icon.replaceChildren(icon(iconOf(status, tool.icon)));
    const [before = "", after = ""] = tool.sentence.split("{0}");
    this.#title.replaceChildren(before, this.#subject(), after);
    // It is cut off in a narrow view.
    this.#title.title = said;
    const { changes } = tool;
    const sum = (side: "added" | "removed"): number => changes.reduce((all, each) => all + each[side], 0);
    this.#counts.replaceChildren(...(changes.length === 0 ? [] : [countsOf(sum("added"), sum("removed"))]));
    this.#facts.textContent = factsOf(tool, status);
    this.#terminal.hidden = tool.terminal === undefined;
    this.#stop.hidden = tool.stop === undefined;
    if (!this.#isTouched && this.#isOpen !== (status === "failed")) this.#open(status === "failed");
    else if (this.#isOpen) this.#body?.draw(tool);
  }

  /** The subject of the sentence: a link for a file, code for a command. */
  #subject(): Node | string {
    const { file, isCode, subject, changes } = this.#tool;
    if (file === undefined) return isCode ? el("code", {}, subject) : subject;
    const { path, line, name } = file;
    const isChanged = changes.length > 0;
    const href = `${encodeURI(path).replaceAll("#", "%23")}${line === undefined ? "" : `#L${line}`}`;
    const link = button(
      name,
      () => this.#send(isChanged ? { type: "openDiff", path } : { type: "openLink", href }),
      "link",
      isChanged ? t("Open the diff of {0}", path) : path,
    );
    return link;
  }

  #toggle(): void {
    if (!hasBody(this.#tool)) return;
    this.#isTouched = true;
    this.#open(!this.#isOpen);
  }

  #open(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.#chevron.setAttribute("aria-expanded", String(isOpen));
    this.element.dataset["open"] = String(isOpen);
    if (isOpen) {
      if (this.#body === undefined) {
        this.#body = new ToolBody(this.#key, this.#send, this.#colours);
        this.element.append(this.#body.element);
      }
      const status = statusOf(this.#tool);
      this.#body.atEnd = status === "failed" || status === "running";
      this.#body.draw(this.#tool);
    }
    if (this.#body !== undefined) this.#body.element.hidden = !isOpen;
    this.#openNested(isOpen);
  }

  /** Loads a sub-agent's transcript when its card is expanded. */
  #openNested(isOpen: boolean): void {
    const session = this.#tool.agentSession;
    if (session === undefined) return;
    if (this.#nested === undefined && isOpen) {
      this.#nested = new Nested(session, this.#send, this.#colours, this.#drawEntry);
      this.#body?.element.append(this.#nested.element);
    }
    this.#send({ type: "nested", session, isOpen });
  }

  #openTerminal(): void {
    const { terminal, input } = this.#tool;
    if (terminal !== undefined) this.#send({ type: "openTerminal", jobId: terminal, command: input });
  }

  #stopIt(): void {
    const { stop } = this.#tool;
    if (stop === undefined) return;
    this.#stop.disabled = true;
    if (stop.kind === "job") this.#send({ type: "stopJob", jobId: stop.jobId });
    else this.#send({ type: "stopTool", itemId: this.#key });
  }
}

function statusOf({ isError, status }: ViewTool): string {
  return isError && status === "completed" ? "failed" : status;
}

/** Whether there is anything to expand. */
function hasBody({ args, input, output, changes, fullBytes, note, agentSession }: ViewTool): boolean {
  const isText = input !== "" || output !== "" || note !== "" || fullBytes !== undefined;
  return isText || args.length > 0 || changes.length > 0 || agentSession !== undefined;
}

/** The icon shows the status of a running, failed or declined call, and the kind of any other. */
function iconOf(status: string, name: string): string {
  if (status === "failed") return "error";
  if (status === "declined") return "circle-slash";
  if (status === "running") return "loading codicon-modifier-spin";
  return name;
}

function factsOf({ exitCode, durationMs, found }: ViewTool, status: string): string {
  const facts: string[] = [];
  if (found !== "") facts.push(found);
  if (exitCode !== undefined && exitCode !== 0) facts.push(t("exit {0}", exitCode));
  if (status === "declined") facts.push(t("not allowed"));
  if (durationMs !== undefined && durationMs >= 1000)
    facts.push(t("{0} s", numberText(durationMs / 1000, 1)));
  return facts.join(" · ");
}
