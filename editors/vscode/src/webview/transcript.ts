/**
 * The transcript: a window onto the entries that follows the newest one unless a person has scrolled up.
 *
 * Only so many entries are on the page; others come from the extension host when a person comes near them. Entries have numbers, which may
 * be below 0.
 */
import type { Run, ToPage, ViewEntry } from "../chat/messages.ts";
import { t } from "../words.ts";
import { Colours } from "./code.ts";
import { button, el, icon, iconButton } from "./dom.ts";
import { followsAfter, heightBelow } from "./following.ts";
import type { Drawn, Send } from "./types.ts";
import { drawEntry } from "./entries.ts";
import { Folds } from "./folds.ts";
import { ToolCard } from "./toolCard.ts";
import type { Update } from "./updates.ts";

/** More than this on the page, and the oldest go when nobody looks at them. */
const MOST_DRAWN = 300;
const KEPT_DRAWN = 150;
/** More than this while a person reads, and those at the far end go. */
const MOST_READ = 500;
/** So close to an edge its next entries are asked for, in pixels. */
const AHEAD = 800;
/** So long after the last scrolling the place is kept. */
const KEEP_MS = 150;

export class Transcript {
  readonly element = el("main", {
    class: "transcript",
    attributes: { "aria-label": t("Transcript"), tabindex: "0" },
  });
  readonly #list = el("div", {
    class: "list",
    attributes: { role: "log", "aria-live": "polite", "aria-label": t("Conversation") },
  });
  readonly #earlier: HTMLButtonElement;
  readonly #latest: HTMLButtonElement;
  readonly #send: Send;
  readonly colours: Colours;
  readonly #keepPlace: (place: string | undefined) => void;
  /** What the agent may do, for a person who has not yet written anything. */
  readonly #modeText = el("p");
  readonly #empty = el(
    "div",
    { class: "empty" },
    icon("comment-discussion-sparkle"),
    el("p", { class: "heading" }, t("What should be done?")),
    this.#modeText,
  );
  readonly #folds = new Folds();
  #drawn: Drawn[] = [];
  readonly #keys = new Map<string, Drawn>();
  #first = 0;
  #hasEarlier = false;
  #isEnd = true;
  #isAsking = false;
  #follows = true;
  /** How far it was scrolled last. */
  #lastTop = 0;
  #keeper: number | undefined;
  /** Where the page stood before it was made anew. */
  #place: { key: string; offset: number } | undefined;

  /** `place` is where a page before this one stood, as `keepPlace` was told it. */
  constructor(send: Send, place: string | undefined, keepPlace: (place: string | undefined) => void) {
    this.#send = send;
    this.colours = new Colours(send);
    this.#keepPlace = keepPlace;
    this.#place = placeOf(place);
    this.#earlier = button(t("Show Earlier"), () => this.#ask("earlier"), "earlier");
    this.#latest = iconButton("arrow-down", t("Newest"), () => this.#toNewest());
    this.#latest.classList.add("latest");
    this.#latest.hidden = true;
    this.element.append(this.#earlier, this.#empty, this.#list, this.#latest);
    this.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#resized(true)).observe(this.element);
    new ResizeObserver(() => this.#resized(false)).observe(this.#list);
    // Folded runs can leave the page too short to scroll.
    this.element.addEventListener(
      "wheel",
      ({ deltaY }) => {
        if (deltaY < 0 && this.#hasEarlier && this.element.scrollTop === 0) this.#ask("earlier");
      },
      { passive: true },
    );
  }

  /** The entry at the top of the page; undefined while it follows the newest one. */
  get placeKey(): string | undefined {
    return this.#place?.key;
  }

  reset({ first, entries, hasEarlier, isEnd }: Extract<ToPage, { type: "reset" }>): void {
    this.#first = first;
    this.#hasEarlier = hasEarlier;
    this.#isEnd = isEnd;
    this.#isAsking = false;
    if (!this.#follows && this.#drawn.length > 0) this.#place = this.#here();
    this.#keys.clear();
    this.#drawn = entries.map((entry) => this.#draw(entry));
    this.#list.replaceChildren(...this.#drawn.map((each) => each.element));
    this.#folds.update(this.#drawn);
    const place = this.#place;
    const at = place === undefined ? undefined : this.#keys.get(place.key);
    if (entries.length > 0) this.#place = undefined;
    if (at === undefined || place === undefined) this.#follow();
    else {
      this.#follows = false;
      this.element.scrollTop = at.element.offsetTop - place.offset;
    }
    this.#edges();
  }

  update(updates: Update[]): void {
    for (const { entries, appends } of updates) {
      for (const { index, entry } of entries) this.#put(index - this.#first, entry);
      for (const append of appends) this.#keys.get(append.key)?.append(append);
    }
    if (updates.some(({ entries }) => entries.length > 0)) this.#folds.update(this.#drawn);
    if (this.#follows) {
      if (this.#drawn.length > MOST_DRAWN) this.#dropFirst(this.#drawn.length - KEPT_DRAWN);
      this.#toEnd();
    }
    this.#edges();
  }

  earlier({ first, entries, hasEarlier }: Extract<ToPage, { type: "earlier" }>): void {
    this.#isAsking = false;
    if (first + entries.length !== this.#first) return;
    this.#hasEarlier = hasEarlier;
    this.#keepingPlace(() => {
      const drawn = entries.map((entry) => this.#draw(entry));
      this.#list.prepend(...drawn.map((each) => each.element));
      this.#drawn = [...drawn, ...this.#drawn];
      this.#first = first;
      if (this.#drawn.length > MOST_READ) this.#dropLast(this.#drawn.length - MOST_READ);
    });
  }

  later({ first, entries, isEnd }: Extract<ToPage, { type: "later" }>): void {
    this.#isAsking = false;
    if (first !== this.#first + this.#drawn.length || this.#isEnd) return;
    this.#isEnd = isEnd;
    this.#keepingPlace(() => {
      const drawn = entries.map((entry) => this.#draw(entry));
      this.#list.append(...drawn.map((each) => each.element));
      this.#drawn.push(...drawn);
      if (this.#drawn.length > MOST_READ) this.#dropFirst(this.#drawn.length - MOST_READ);
    });
  }

  recolour(): void {
    this.colours.recolour(document.body);
  }

  highlighted(id: number, lines: Run[][]): void {
    this.colours.receive(id, lines);
  }

  nested(session: string, entries: ViewEntry[], hasEarlier: boolean): void {
    for (const each of this.#drawn) {
      if (each instanceof ToolCard && each.nested?.session === session)
        each.nested.update(entries, hasEarlier);
    }
    if (this.#follows) this.#toEnd();
  }

  set modeText(text: string) {
    this.#modeText.textContent = text;
  }

  /** While text streams, screen readers wait for its end. */
  set busy(isBusy: boolean) {
    this.#list.setAttribute("aria-busy", String(isBusy));
  }

  #draw(entry: ViewEntry): Drawn {
    const drawn = drawEntry(entry, this.#send, this.colours);
    this.#keys.set(entry.key, drawn);
    return drawn;
  }

  #put(at: number, entry: ViewEntry): void {
    const before = this.#drawn[at];
    // Beyond the window's edges: it comes when a person goes there.
    if (at < 0 || at > this.#drawn.length || (before === undefined && !this.#isEnd)) return;
    if (before?.update(entry) === true) return;
    const drawn = this.#draw(entry);
    if (before === undefined) this.#list.append(drawn.element);
    else before.element.replaceWith(drawn.element);
    this.#drawn[at] = drawn;
  }

  #dropFirst(count: number): void {
    this.#forget(this.#drawn.splice(0, count));
    this.#first += count;
    this.#hasEarlier = true;
  }

  #dropLast(count: number): void {
    this.#forget(this.#drawn.splice(-count));
    this.#isEnd = false;
  }

  #forget(dropped: Drawn[]): void {
    const gone = new Set(dropped);
    for (const each of gone) each.element.remove();
    for (const [key, each] of this.#keys) if (gone.has(each)) this.#keys.delete(key);
    this.#folds.update(this.#drawn);
  }

  /** Changes the list; what a person reads stays where it is, and nothing of it is read aloud. */
  #keepingPlace(change: () => void): void {
    const top = this.#top();
    const offset = top === undefined ? 0 : top.offsetTop - this.element.scrollTop;
    this.#list.setAttribute("aria-live", "off");
    change();
    this.#folds.update(this.#drawn);
    if (top?.isConnected === true) this.element.scrollTop = top.offsetTop - offset;
    this.#edges();
    requestAnimationFrame(() => this.#list.setAttribute("aria-live", "polite"));
  }

  /** The first entry in sight. */
  #top(): HTMLElement | undefined {
    const { scrollTop } = this.element;
    return this.#drawn.find(({ element }) => element.offsetTop + element.offsetHeight > scrollTop)?.element;
  }

  #ask(edge: "earlier" | "later"): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    if (edge === "earlier") this.#send({ type: "earlier", before: this.#first });
    else this.#send({ type: "later", after: this.#first + this.#drawn.length });
  }

  #edges(): void {
    this.#earlier.hidden = !this.#hasEarlier;
    this.#empty.hidden = this.#drawn.length > 0;
    this.#latest.hidden = this.#follows;
  }

  #scrolled(): void {
    const { scrollTop } = this.element;
    const below = heightBelow(this.element);
    this.#follows = followsAfter(this.#follows, this.#lastTop, this.element, this.#isEnd);
    this.#lastTop = scrollTop;
    this.#latest.hidden = this.#follows;
    if (this.#hasEarlier && scrollTop < AHEAD && !this.#follows) this.#ask("earlier");
    else if (!this.#isEnd && below < AHEAD) this.#ask("later");
    const here = this.#follows ? undefined : this.#here();
    clearTimeout(this.#keeper);
    this.#keeper = setTimeout(
      () => this.#keepPlace(here === undefined ? undefined : JSON.stringify(here)),
      KEEP_MS,
    );
  }

  /** The box has another size, or what is in it: a person who follows goes on to follow, and so does one who has all in sight. */
  #resized(isBox: boolean): void {
    if (isBox && this.#follows) this.#toEnd();
    else if (this.#isEnd && heightBelow(this.element) <= 0 && this.element.scrollTop === 0)
      this.#follows = true;
    this.#latest.hidden = this.#follows;
  }

  #here(): { key: string; offset: number } | undefined {
    const top = this.#top();
    const key = top?.dataset["key"];
    if (top === undefined || key === undefined) return undefined;
    return { key, offset: Math.round(top.offsetTop - this.element.scrollTop) };
  }

  #toNewest(): void {
    if (this.#isEnd) this.#follow();
    else {
      this.#follows = true;
      this.#send({ type: "newest" });
    }
  }

  #follow(): void {
    this.#follows = true;
    this.#toEnd();
    this.#latest.hidden = true;
  }

  #toEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
    this.#lastTop = this.element.scrollTop;
  }
}

function placeOf(kept: string | undefined): { key: string; offset: number } | undefined {
  return kept === undefined ? undefined : (JSON.parse(kept) as { key: string; offset: number });
}
