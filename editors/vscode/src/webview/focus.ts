/** Brings the keyboard back to where it was before a person went to a question. */
import type { KeyboardPlace } from "../chat/messages.ts";
import type { Send } from "./types.ts";

export class Focus {
  readonly #area: HTMLElement;
  readonly #home: () => void;
  readonly #send: Send;
  /** Where the keyboard was on this page. */
  #before: Element | undefined;
  /** Where it was in the window: the way back may lead out of the page. */
  #from: KeyboardPlace = "chat";

  /** `area` holds the questions; `home` takes the keyboard when it came from nowhere. */
  constructor(area: HTMLElement, home: () => void, send: Send) {
    this.#area = area;
    this.#home = home;
    this.#send = send;
    area.addEventListener("focusin", ({ relatedTarget }) => {
      if (relatedTarget instanceof Element && !area.contains(relatedTarget)) this.#before = relatedTarget;
    });
    // Who walks on within the page stays there.
    area.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget instanceof Element && !area.contains(relatedTarget)) this.#from = "chat";
    });
  }

  /** Goes to the first open question: to its card, not to an answer. */
  toQuestion(from: KeyboardPlace): void {
    const card = this.#area.querySelector<HTMLElement>(".approval");
    if (card === null) return this.#home();
    this.#from = from;
    card.focus();
    card.scrollIntoView({ block: "nearest" });
  }

  /** Takes a card away, or puts another in its place; the keyboard does not fall into nothing with it. */
  replace(card: HTMLElement, next?: HTMLElement): void {
    const hadFocus = card.contains(document.activeElement);
    if (next === undefined) card.remove();
    else card.replaceWith(next);
    if (hadFocus) this.#back();
  }

  #back(): void {
    const before = this.#before;
    this.#before = undefined;
    const from = this.#from;
    this.#from = "chat";
    if (from !== "chat") this.#send({ type: "focusBack", to: from });
    else if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
    else this.#home();
  }
}
