/** The list of candidates above the prompt box. The keyboard stays in the box. */
import type { Input } from "pintle-client";
import type { Candidate, Word } from "../chat/complete.ts";
import { complete, wordAt } from "../chat/complete.ts";
import { t } from "../words.ts";
import { el } from "./dom.ts";
import type { Send } from "./types.ts";

export class Completion {
  readonly element = el("ul", {
    class: "candidates",
    attributes: { role: "listbox", id: "candidates", "aria-label": t("Candidates") },
  });
  readonly #box: HTMLTextAreaElement;
  readonly #send: Send;
  readonly #attach: (inputs: Input[]) => void;
  #word: Word | undefined;
  #candidates: Candidate[] = [];
  #selected = 0;
  /** The last question to the extension host: answers to others are late. */
  #asked = 0;

  /** `attach` takes what a candidate brings beside text. */
  constructor(box: HTMLTextAreaElement, send: Send, attach: (inputs: Input[]) => void) {
    this.#box = box;
    this.#send = send;
    this.#attach = attach;
    this.element.hidden = true;
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-controls", "candidates");
    box.addEventListener("input", () => this.#look());
    box.addEventListener("blur", () => this.close());
  }

  /** Takes the keys of an open list; false for all others. */
  key(event: KeyboardEvent): boolean {
    if (this.element.hidden || event.isComposing || event.shiftKey || event.altKey) return false;
    const count = this.#candidates.length;
    switch (event.key) {
      case "ArrowDown":
        this.#select((this.#selected + 1) % count);
        break;
      case "ArrowUp":
        this.#select((this.#selected + count - 1) % count);
        break;
      case "Enter":
      case "Tab":
        this.#accept(this.#selected);
        break;
      case "Escape":
        this.close();
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  }

  receive(id: number, candidates: Candidate[]): void {
    if (id !== this.#asked || this.#word === undefined) return;
    this.#candidates = candidates;
    this.element.replaceChildren(...candidates.map((each, at) => this.#row(each, at)));
    this.element.hidden = candidates.length === 0;
    this.#select(Math.min(this.#selected, Math.max(0, candidates.length - 1)));
  }

  close(): void {
    this.#asked += 1;
    this.#word = undefined;
    this.#candidates = [];
    this.element.hidden = true;
    this.#box.removeAttribute("aria-activedescendant");
  }

  #look(): void {
    const word = wordAt(this.#box.value, this.#box.selectionStart);
    if (word === undefined) return this.close();
    this.#word = word;
    this.#selected = 0;
    this.#asked += 1;
    this.#send({ type: "complete", id: this.#asked, sign: word.sign, query: word.query });
  }

  #row({ label, description }: Candidate, at: number): HTMLElement {
    const row = el(
      "li",
      { attributes: { role: "option", id: `candidate-${at}` } },
      el("span", { class: "label" }, label),
      el("span", { class: "description" }, description),
    );
    // The box keeps the keyboard.
    row.addEventListener("mousedown", (event) => event.preventDefault());
    row.addEventListener("click", () => this.#accept(at));
    return row;
  }

  #select(at: number): void {
    this.#selected = at;
    for (const [index, row] of [...this.element.children].entries()) {
      row.setAttribute("aria-selected", String(index === at));
      if (index === at) row.scrollIntoView({ block: "nearest" });
    }
    if (!this.element.hidden) this.#box.setAttribute("aria-activedescendant", `candidate-${at}`);
  }

  #accept(at: number): void {
    const candidate = this.#candidates[at];
    const word = this.#word;
    this.close();
    if (candidate === undefined || word === undefined) return;
    const { text, caret } = complete(this.#box.value, word, candidate.insert);
    this.#box.value = text;
    this.#box.setSelectionRange(caret, caret);
    this.#attach(candidate.attach);
    if (candidate.source !== undefined) this.#send({ type: "attachFrom", what: candidate.source });
    if (candidate.command !== undefined) this.#send({ type: "slash", name: candidate.command });
  }
}
