/** The prompt: attachments, text, and the row with menus and buttons. */
import type { Input } from "pintle-client";
import type { Pickers as Rows } from "../chat/choices.ts";
import type { Candidate } from "../chat/complete.ts";
import type { ContextView } from "../chat/contextParts.ts";
import type { FromPage, Head, InEditor, Menu } from "../chat/messages.ts";
import { t } from "../words.ts";
import { Attachments } from "./attachments.ts";
import { Completion } from "./completion.ts";
import { ContextRing } from "./contextRing.ts";
import { el, iconButton } from "./dom.ts";
import { EditorChip } from "./editorChip.ts";
import { Pickers } from "./pickers.ts";
import { Popup } from "./popup.ts";
import type { Send } from "./types.ts";
import type { Verb } from "./verbs.ts";
import { Verbs } from "./verbs.ts";

/** So long after the last key the text is kept. */
const KEEP_MS = 200;

export class Prompt {
  readonly element = el("form", { class: "prompt", attributes: { "aria-label": t("Message to Pintle") } });
  readonly #box = el("textarea", {
    attributes: { rows: "1", "aria-label": t("Prompt"), placeholder: t("Ask Pintle to do something") },
  });
  readonly #attachments: Attachments;
  readonly #completion: Completion;
  #kept = "";
  #keeper: number | undefined;
  #isRestored = false;
  /** The session whose box this is; undefined for that of the next new one. */
  #session: string | undefined;
  /** Something was sent since the session was shown. */
  #hasSent = false;
  readonly #send: Send;
  readonly #verbs: Verbs;
  readonly #pickers: Pickers;
  readonly #ring: ContextRing;
  readonly #chip = new EditorChip(() => this.#changed());
  #isRunning = false;
  /** What stands here could not be sent. */
  #cameBack = false;

  constructor(send: Send) {
    this.#send = send;
    this.#verbs = new Verbs(
      (verb) => this.#submit(verb),
      () => this.#send({ type: "stop" }),
    );
    this.#pickers = new Pickers(send);
    this.#ring = new ContextRing(send);
    const attach = this.#attachButton();
    const row = [attach, this.#pickers.element, this.#ring.element, this.#verbs.element];
    const bar = el("div", { class: "bar" }, ...row);
    this.#attachments = new Attachments(send, this.#chip.element, () => this.#changed());
    this.#completion = new Completion(this.#box, send, (inputs) => {
      this.#attachments.add(inputs);
      this.#changed();
    });
    this.element.append(this.#completion.element, this.#attachments.element, this.#box, bar);
    this.#box.addEventListener("paste", (event) => {
      if (this.#attachments.receive(event.clipboardData)) event.preventDefault();
    });
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => {
      if (this.#attachments.receive(event.dataTransfer)) event.preventDefault();
    });
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.#box.addEventListener("input", () => this.#changed());
    this.#box.addEventListener("blur", () => this.#keep());
    this.#box.addEventListener("keydown", (event) => this.#key(event));
    this.#changed();
  }

  update(head: Head): void {
    this.#isRunning = head.activity !== "idle";
    this.#box.placeholder = this.#isRunning
      ? t("Steer the running turn, or queue a message")
      : t("Ask Pintle to do something");
    this.#ring.update(head, this.#session !== undefined);
    this.#changed();
  }

  /** Takes the menus. */
  pickers(rows: Rows): void {
    this.#pickers.update(rows);
  }

  inEditor(shown: InEditor | undefined): void {
    this.#chip.update(shown);
  }

  context(view: ContextView): void {
    this.#ring.show(view);
  }

  openMenu(menu: Menu): void {
    if (menu === "context") this.#ring.open();
    else this.#pickers.open(menu);
  }

  /** Inserts text at the caret. */
  insert(text: string): void {
    const { value, selectionStart, selectionEnd } = this.#box;
    const before = value.slice(0, selectionStart);
    const blank = before === "" || /\s$/.test(before) ? "" : " ";
    this.#box.value = `${before}${blank}${text}${value.slice(selectionEnd)}`;
    const caret = before.length + blank.length + text.length;
    this.#box.setSelectionRange(caret, caret);
    this.#changed();
  }

  #attachButton(): HTMLButtonElement {
    const what = (what: Extract<FromPage, { type: "attachFrom" }>["what"]) => () =>
      this.#send({ type: "attachFrom", what });
    const made = iconButton("add", t("Attach…"), () => {
      if (popup.isOpen) return popup.close();
      popup.menu(t("Attach…"), [
        { label: t("Files and Folders…"), icon: "file", run: what("files") },
        { label: t("Image…"), icon: "file-media", run: what("image") },
        { label: t("Selection"), icon: "list-selection", run: what("selection") },
        { label: t("Problems in the File"), icon: "warning", run: what("problems") },
        { label: t("Last Terminal Command"), icon: "terminal", run: what("terminal") },
        { label: t("Changes Since the Last Commit"), icon: "diff", run: what("diff") },
      ]);
    });
    const popup = new Popup(made, "menu");
    return made;
  }

  /**
   * Shows the box of a session: what stood in it. The text that made a session came from the box of none, and what was typed since stays.
   */
  restore(session: string | undefined, draft: string): void {
    const isOther = this.#isRestored && session !== this.#session;
    const isMade = isOther && this.#session === undefined && this.#hasSent;
    if (isOther) this.#keep();
    this.#session = session;
    this.#isRestored = true;
    this.#hasSent = false;
    if (isOther && !isMade) {
      this.#box.value = draft;
      this.#attachments.take();
    } else if (this.#box.value === "") this.#box.value = draft;
    this.#kept = isMade ? "" : draft;
    this.#changed();
  }

  /** Text comes back that was not read: before what stands there now. */
  returned(text: string, attached: Input[]): void {
    this.#cameBack = true;
    this.#attachments.add(attached);
    this.#box.value = [text, this.#box.value].filter((each) => each !== "").join("\n\n");
    this.#changed();
    this.#keep();
  }

  /** Takes text away again that came back, with what came attached, unless it was touched. */
  taken(text: string): void {
    if (this.#box.value.trim() !== text.trim()) return;
    this.#attachments.take();
    this.#box.value = "";
    this.#changed();
    this.#keep();
  }

  focus(): void {
    this.#box.focus();
  }

  #keep(): void {
    clearTimeout(this.#keeper);
    if (this.#box.value === this.#kept) return;
    this.#kept = this.#box.value;
    this.#send({ type: "draft", session: this.#session, text: this.#kept });
  }

  candidates(id: number, candidates: Candidate[]): void {
    this.#completion.receive(id, candidates);
  }

  #key(event: KeyboardEvent): void {
    if (this.#completion.key(event)) return;
    if (event.key === "Escape" && this.#isRunning && !event.isComposing && !event.repeat) {
      event.preventDefault();
      this.#send({ type: "stop" });
      return;
    }
    // An Enter that ends a composition is not meant for us.
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    event.preventDefault();
    // A key that was held down on a question's answer sends nothing here.
    if (event.repeat) return;
    if (event.altKey && this.#isRunning) this.#submit("queue");
    else this.#submit(this.#isRunning ? "steer" : "send");
  }

  #submit(verb: Verb): void {
    const text = this.#box.value.trim();
    if (this.#isEmpty) return;
    this.#completion.close();
    // An explicit attachment of the same file takes precedence.
    const { path } = this.#chip;
    const withEditor = path !== undefined && !this.#attachments.has(path);
    this.#send({ type: verb, ...this.#take(text), withEditor });
    this.#chip.sent();
    this.#box.focus();
  }

  /** Empties the box for what is sent. */
  #take(text: string): { text: string; attached: Input[] } {
    this.#box.value = "";
    this.#hasSent = true;
    this.#cameBack = false;
    this.#changed();
    return { text, attached: this.#attachments.take() };
  }

  /** Tries again; text that came back because it could not be sent goes with it. */
  retry(): void {
    const isAgain = this.#cameBack && !this.#isEmpty;
    const text = this.#box.value.trim();
    this.#send({ type: "retry", ...(isAgain ? this.#take(text) : { text: "", attached: [] }) });
  }

  get #isEmpty(): boolean {
    return this.#box.value.trim() === "" && this.#attachments.isEmpty;
  }

  #changed(): void {
    this.#verbs.update(this.#isRunning, this.#isEmpty);
    if (this.#box.value === this.#kept || !this.#isRestored) return;
    clearTimeout(this.#keeper);
    this.#keeper = setTimeout(() => this.#keep(), KEEP_MS);
  }
}
