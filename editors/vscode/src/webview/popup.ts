/** A menu, or a small panel, that opens at its button: above it, within the page. One is open at a time. */
import { el, icon } from "./dom.ts";

export interface MenuItem {
  label: string;
  detail?: string;
  /** A codicon's name. */
  icon?: string;
  /** The heading that it stands under. */
  group?: string;
  /** One of several, of which one holds. */
  isCurrent?: boolean;
  run: () => void;
}

/** Between a menu and its button, and the edges of the page, in pixels. */
const GAP = 4;
const EDGE = 8;
/** Letters that follow each other within so long are one word to look for. */
const TYPING_MS = 700;

let open: Popup | undefined;

export class Popup {
  readonly #anchor: HTMLElement;
  #element: HTMLElement | undefined;
  #items: HTMLElement[] = [];
  #typed = "";
  #typedAt = 0;

  /** `anchor` is the button that it belongs to. */
  constructor(anchor: HTMLElement, kind: "menu" | "dialog") {
    this.#anchor = anchor;
    anchor.setAttribute("aria-haspopup", kind);
    anchor.setAttribute("aria-expanded", "false");
  }

  get isOpen(): boolean {
    return this.#element !== undefined;
  }

  /** Opens a menu of items; the keyboard goes to the one that holds, else to the first. */
  menu(label: string, items: MenuItem[]): void {
    const groups = new Map<string, HTMLElement[]>();
    this.#items = [];
    const buttons: [MenuItem, HTMLElement][] = items.map((item) => [item, this.#item(item)]);
    for (const [{ group = "" }, element] of buttons) {
      groups.set(group, [...(groups.get(group) ?? []), element]);
    }
    const parts = [...groups].map(([group, elements]) => {
      const name = group === "" ? label : group;
      const heading = el("div", { class: "heading", attributes: { "aria-hidden": "true" } }, group);
      const shown = group === "" ? elements : [heading, ...elements];
      return el("div", { class: "group", attributes: { role: "group", "aria-label": name } }, ...shown);
    });
    // The order of the groups is that in which they are drawn.
    this.#items = [...groups.values()].flat();
    this.#show(el("div", { class: "popup", attributes: { role: "menu", "aria-label": label } }, ...parts));
    const current = buttons.find(([{ isCurrent }]) => isCurrent === true)?.[1];
    (current ?? this.#items[0])?.focus();
  }

  /** Opens a panel with these contents; the keyboard goes into it. */
  panel(label: string, ...contents: HTMLElement[]): void {
    this.#items = [];
    const attributes = { role: "dialog", "aria-label": label, tabindex: "-1" };
    const element = el("div", { class: "popup panel", attributes }, ...contents);
    this.#show(element);
    element.focus();
  }

  close(): void {
    if (this.#element === undefined) return;
    const element = this.#element;
    this.#element = undefined;
    element.remove();
    window.removeEventListener("resize", this.#place);
    this.#anchor.setAttribute("aria-expanded", "false");
    if (open === this) open = undefined;
  }

  #item({ label, detail = "", icon: name, isCurrent, run }: MenuItem): HTMLElement {
    const role = isCurrent === undefined ? "menuitem" : "menuitemradio";
    const sign = isCurrent === true ? "check" : name;
    const text = el("span", { class: "label" }, label);
    const more = detail === "" ? undefined : el("span", { class: "detail" }, detail);
    const element = el(
      "button",
      { class: "item", attributes: { role, tabindex: "-1", type: "button" } },
      sign === undefined ? el("span", { class: "codicon" }) : icon(sign),
      el("span", { class: "words" }, text, more),
    );
    if (isCurrent !== undefined) element.setAttribute("aria-checked", String(isCurrent));
    element.addEventListener("click", () => {
      this.#leave();
      run();
    });
    return element;
  }

  #show(element: HTMLElement): void {
    open?.close();
    open = this;
    this.#element = element;
    this.#anchor.setAttribute("aria-expanded", "true");
    element.addEventListener("keydown", (event) => this.#key(event));
    element.addEventListener("focusout", ({ relatedTarget }) => {
      const isInside = relatedTarget instanceof Node && element.contains(relatedTarget);
      if (!isInside && relatedTarget !== this.#anchor) this.close();
    });
    document.body.append(element);
    window.addEventListener("resize", this.#place);
    this.#place();
  }

  /** Above its button, within the page, also when that gets another width. */
  readonly #place = (): void => {
    const element = this.#element;
    if (element === undefined) return;
    const at = this.#anchor.getBoundingClientRect();
    const left = Math.min(at.left, window.innerWidth - EDGE - element.offsetWidth);
    element.style.left = `${Math.max(EDGE, left)}px`;
    element.style.bottom = `${window.innerHeight - at.top + GAP}px`;
    element.style.maxHeight = `${Math.max(80, at.top - GAP - EDGE)}px`;
  };

  /** Closes it by a person's will: the keyboard goes back to the button. */
  #leave(): void {
    this.close();
    this.#anchor.focus();
  }

  #key(event: KeyboardEvent): void {
    const at = this.#items.findIndex((each) => each === document.activeElement);
    const count = this.#items.length;
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      event.stopPropagation();
      this.#leave();
      return;
    }
    if (count === 0) return;
    const to = { ArrowDown: (at + 1) % count, ArrowUp: (at + count - 1) % count, Home: 0, End: count - 1 }[
      event.key
    ];
    if (to !== undefined) {
      event.preventDefault();
      this.#items[to]?.focus();
    } else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.#find(event.key, at, event.timeStamp);
    }
  }

  /** Goes to the next item whose label begins with what is typed. */
  #find(letter: string, at: number, now: number): void {
    const isNew = now - this.#typedAt > TYPING_MS;
    this.#typedAt = now;
    this.#typed = (isNew ? "" : this.#typed) + letter.toLowerCase();
    const from = isNew ? at + 1 : at;
    const order = [...this.#items.slice(from), ...this.#items.slice(0, from)];
    const label = (item: HTMLElement): string =>
      item.querySelector(".label")?.textContent.toLowerCase() ?? "";
    order.find((each) => label(each).startsWith(this.#typed))?.focus();
  }
}
