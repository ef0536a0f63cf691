/**
 * The transcript: a window onto the entries that follows the newest one unless a person has scrolled up.
 *
 * Only so many entries are on the page; older ones come back from the extension host on demand.
 */
import type { Append, ViewEntry } from "../messages.ts";
import { button, el } from "./dom.ts";
import type { Drawn, Send } from "./entries.ts";
import { drawEntry } from "./entries.ts";

/** More than this on the page, and the oldest go when nobody looks at them. */
const MOST_DRAWN = 300;
const KEPT_DRAWN = 150;
/** So close to the end counts as the end, in pixels. */
const NEAR = 40;

export class Transcript {
  readonly element = el("main", {
    class: "transcript",
    attributes: { "aria-label": "Transcript", tabindex: "0" },
  });
  readonly #list = el("div", {
    class: "list",
    attributes: { role: "log", "aria-live": "polite", "aria-label": "Conversation" },
  });
  readonly #earlier: HTMLButtonElement;
  readonly #latest: HTMLButtonElement;
  readonly #send: Send;
  readonly #empty = el(
    "div",
    { class: "empty" },
    el("p", { class: "heading" }, "What is to be done?"),
    el("p", {}, "The agent reads freely, and asks before it changes a file or runs a command."),
  );
  #drawn: Drawn[] = [];
  readonly #keys = new Map<string, Drawn>();
  #first = 0;
  #follows = true;

  constructor(send: Send) {
    this.#send = send;
    this.#earlier = button("", () => this.#send({ type: "earlier", before: this.#first }), "earlier");
    this.#latest = button("↓ Newest", () => this.#follow(), "latest");
    this.#latest.hidden = true;
    this.element.append(this.#earlier, this.#empty, this.#list, this.#latest);
    this.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  reset(first: number, entries: ViewEntry[]): void {
    this.#first = first;
    this.#keys.clear();
    this.#drawn = entries.map((entry) => this.#draw(entry));
    this.#list.replaceChildren(...this.#drawn.map((each) => each.element));
    this.#follow();
    this.#edges();
  }

  update(entries: { index: number; entry: ViewEntry }[], appends: Append[]): void {
    for (const { index, entry } of entries) this.#put(index - this.#first, entry);
    for (const append of appends) this.#keys.get(append.key)?.append(append);
    if (this.#follows) {
      if (this.#drawn.length > MOST_DRAWN) this.#drop(this.#drawn.length - KEPT_DRAWN);
      this.#toEnd();
    }
    this.#edges();
  }

  earlier(first: number, entries: ViewEntry[]): void {
    if (first + entries.length !== this.#first) return;
    const drawn = entries.map((entry) => this.#draw(entry));
    const height = this.element.scrollHeight;
    const top = this.element.scrollTop;
    this.#list.prepend(...drawn.map((each) => each.element));
    this.#drawn = [...drawn, ...this.#drawn];
    this.#first = first;
    this.#follows = false;
    this.#edges();
    this.element.scrollTop = top + this.element.scrollHeight - height;
  }

  /** While text streams, screen readers wait for its end. */
  set busy(isBusy: boolean) {
    this.#list.setAttribute("aria-busy", String(isBusy));
  }

  #draw(entry: ViewEntry): Drawn {
    const drawn = drawEntry(entry, this.#send);
    this.#keys.set(entry.key, drawn);
    return drawn;
  }

  #put(at: number, entry: ViewEntry): void {
    const before = this.#drawn[at];
    // Older than the window, or beyond what the page knows: a reset is on its way then.
    if (at < 0 || at > this.#drawn.length) return;
    if (before?.update(entry) === true) return;
    const drawn = this.#draw(entry);
    if (before === undefined) this.#list.append(drawn.element);
    else before.element.replaceWith(drawn.element);
    this.#drawn[at] = drawn;
  }

  #drop(count: number): void {
    const dropped = new Set(this.#drawn.splice(0, count));
    for (const each of dropped) each.element.remove();
    for (const [key, each] of this.#keys) if (dropped.has(each)) this.#keys.delete(key);
    this.#first += count;
  }

  #edges(): void {
    this.#earlier.hidden = this.#first === 0;
    this.#earlier.textContent = `Show earlier (${this.#first})`;
    this.#empty.hidden = this.#drawn.length > 0;
    this.#latest.hidden = this.#follows;
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    this.#follows = scrollHeight - scrollTop - clientHeight < NEAR;
    this.#latest.hidden = this.#follows;
  }

  #follow(): void {
    this.#follows = true;
    this.#toEnd();
    this.#latest.hidden = true;
  }

  #toEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }
}
