/** The last line of the transcript: the current activity of the turn, with a timer. It is outside the live region, so screen readers do not announce it. */
import type { Head, ToPage } from "../chat/messages.ts";
import { elapsedText, WorkingState } from "../transcript/working.ts";
import { el, icon } from "./dom.ts";

const TICK_MS = 1000;

export class WorkingLine {
  readonly element = el("div", { class: "working" });
  readonly #badge = el("span", { class: "badge" });
  readonly #text = el("span", { class: "text" });
  readonly #time = el("span", { class: "time", attributes: { "aria-hidden": "true" } });
  readonly #state = new WorkingState();
  readonly #answers = new Set<string>();
  #icon = "";
  #head: Head | undefined;
  #sinceMs: number | undefined;
  #timer: number | undefined;

  constructor() {
    this.element.hidden = true;
    this.element.append(this.#badge, this.#text, this.#time);
  }

  /** Takes a message to the page. */
  receive(message: ToPage): void {
    if (message.type !== "update" && message.type !== "reset") return;
    if (message.head !== undefined) this.#head = message.head;
    if (message.type === "reset") {
      this.#answers.clear();
      this.#state.reset(message.entries);
      for (const each of message.entries) if (each.kind === "agent") this.#answers.add(each.key);
    } else {
      for (const { entry } of message.entries) {
        if (entry.kind === "agent") this.#answers.add(entry.key);
        this.#state.entry(entry, Date.now());
      }
      for (const { key, text } of message.appends) this.#state.append(key, text, this.#answers.has(key));
    }
    this.#draw();
  }

  #draw(): void {
    const now = this.#head && this.#state.now(this.#head, Date.now());
    this.element.hidden = now === undefined;
    const name = now?.sinceMs === undefined ? "question" : "loading codicon-modifier-spin";
    if (this.#icon !== name) this.#badge.replaceChildren(icon(name));
    this.#icon = name;
    this.#sinceMs = now?.sinceMs;
    const text = now?.text ?? "";
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#tick();
    if (now === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #tick(): void {
    const text = this.#sinceMs === undefined ? "" : elapsedText(Date.now() - this.#sinceMs);
    if (this.#time.textContent !== text) this.#time.textContent = text;
  }
}
