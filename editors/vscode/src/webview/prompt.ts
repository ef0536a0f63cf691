/** The prompt box and its verbs. Steering, queueing and stopping are separate buttons while a turn runs. */
import type { Input } from "pintle-client";
import type { Candidate } from "../chat/complete.ts";
import type { Head } from "../chat/messages.ts";
import { withoutEffort } from "../settings/choices.ts";
import { t } from "../words.ts";
import { Attachments } from "./attachments.ts";
import { Completion } from "./completion.ts";
import { button, el } from "./dom.ts";
import type { Send } from "./types.ts";

/** So long after the last key the text is kept. */
const KEEP_MS = 200;

/** What needs no question, in a word or two. */
const MODES: Record<string, () => string> = {
  readOnly: () => t("Read only"),
  ask: () => t("Ask"),
  autoEdit: () => t("Edit freely"),
  full: () => t("Full"),
};

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
  readonly #verbs: Record<"send" | "steer" | "queue" | "stop", HTMLButtonElement>;
  readonly #pickers: Record<"chooseModel" | "chooseEffort" | "chooseMode", HTMLButtonElement>;
  #isRunning = false;
  /** What stands here could not be sent. */
  #cameBack = false;

  constructor(send: Send) {
    this.#send = send;
    this.#verbs = {
      send: button(t("Send"), () => this.#submit("send"), "", t("Send (Enter)")),
      steer: button(t("Steer"), () => this.#submit("steer"), "", t("Add it to the running turn (Enter)")),
      queue: button(
        t("Queue"),
        () => this.#submit("queue"),
        "secondary",
        t("Send it after this turn (Alt+Enter)"),
      ),
      stop: button(
        t("Stop"),
        () => this.#send({ type: "stop" }),
        "secondary stop",
        t("Stop the turn (Escape)"),
      ),
    };
    const picker = (type: "chooseModel" | "chooseEffort" | "chooseMode"): HTMLButtonElement =>
      button("", () => this.#send({ type }), "picker");
    this.#pickers = {
      chooseModel: picker("chooseModel"),
      chooseEffort: picker("chooseEffort"),
      chooseMode: picker("chooseMode"),
    };
    const pickers = el("span", { class: "pickers" }, ...Object.values(this.#pickers));
    const verbs = el(
      "div",
      { class: "verbs" },
      pickers,
      el("span", { class: "send" }, ...Object.values(this.#verbs)),
    );
    this.#attachments = new Attachments(send, () => this.#changed());
    this.#completion = new Completion(this.#box, send, (inputs) => {
      this.#attachments.add(inputs);
    });
    this.element.append(this.#completion.element, this.#attachments.element, this.#box, verbs);
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
    this.#verbs.send.hidden = this.#isRunning;
    for (const verb of ["steer", "queue", "stop"] as const) this.#verbs[verb].hidden = !this.#isRunning;
    this.#box.placeholder = this.#isRunning
      ? t("Steer the running turn, or queue a message")
      : t("Ask Pintle to do something");
    this.#drawPickers(head);
    this.#changed();
  }

  #drawPickers({ model, permissionMode, mode }: Head): void {
    const plain = withoutEffort(model);
    const effort = model.slice(plain.length + 1);
    const name = plain.slice(plain.indexOf("/") + 1);
    const work = mode === "plan" ? t("Plan first") : (MODES[permissionMode]?.() ?? t("Default mode"));
    const { chooseModel, chooseEffort, chooseMode } = this.#pickers;
    const draw = (element: HTMLButtonElement, text: string, title: string): void => {
      element.textContent = text;
      element.title = title;
      element.setAttribute("aria-label", title);
    };
    draw(
      chooseModel,
      name === "" ? t("Model…") : name,
      plain === "" ? t("Choose a model") : t("Model: {0}", plain),
    );
    draw(
      chooseEffort,
      effort === "" ? t("Effort") : effort,
      effort === "" ? t("Effort: the model's own") : t("Effort: {0}", effort),
    );
    draw(chooseMode, work, t("Mode: {0}", work));
    chooseEffort.hidden = model === "";
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

  #submit(verb: "send" | "steer" | "queue"): void {
    const text = this.#box.value.trim();
    if (this.#isEmpty) return;
    this.#completion.close();
    this.#send({ type: verb, ...this.#take(text) });
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
    for (const verb of ["send", "steer", "queue"] as const) this.#verbs[verb].disabled = this.#isEmpty;
    if (this.#box.value === this.#kept || !this.#isRestored) return;
    clearTimeout(this.#keeper);
    this.#keeper = setTimeout(() => this.#keep(), KEEP_MS);
  }
}
