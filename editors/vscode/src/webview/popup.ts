/** A menu or panel that opens above its button. Only one is open at a time. */
import { el, icon } from "./dom.ts";

export interface MenuItem {
  label: string;
  detail?: string;
  /** A codicon's name. */
  icon?: string;
  /** Heading of its group. */
  group?: string;
  /** True for the selected one of several; undefined for an action. */
  isCurrent?: boolean;
  run: () => void;
}

/** Distances to the button and to the edges of the page, in pixels. */
const GAP = 4;
const EDGE = 8;
/** Pause after which type-ahead starts over. */
const TYPING_MS = 700;

/** The open popup, if any. */
const shown = new Set<Popup>();

export class Popup {
  readonly #anchor: HTMLElement;
  #element: HTMLElement | undefined;
  #items: HTMLElement[] = [];
  #typed = "";
  #typedAt = 0;

  /** `anchor` is its button. */
  constructor(anchor: HTMLElement, kind: "menu" | "dialog") {
    this.#anchor = anchor;
    anchor.setAttribute("aria-haspopup", kind);
    anchor.setAttribute("aria-expanded", "false");
  }

  get isOpen(): boolean {
    return this.#element !== undefined;
  }

  /** Opens a menu and focuses the selected item, or the first. */
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
      const all = group === "" ? elements : [heading, ...elements];
      return el("div", { class: "group", attributes: { role: "group", "aria-label": name } }, ...all);
    });
    // In drawing order.
    this.#items = [...groups.values()].flat();
    this.#show(el("div", { class: "popup", attributes: { role: "menu", "aria-label": label } }, ...parts));
    const current = buttons.find(([{ isCurrent }]) => isCurrent === true)?.[1];
    (current ?? this.#items[0])?.focus();
  }

  /** Opens a panel and focuses it. */
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
    shown.delete(this);
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
    for (const each of shown) each.close();
    shown.add(this);
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

  /** Places it above its button and within the page, also after a resize. */
  readonly #place = (): void => {
    const element = this.#element;
    if (element === undefined) return;
    const at = this.#anchor.getBoundingClientRect();
    const left = Math.min(at.left, window.innerWidth - EDGE - element.offsetWidth);
    element.style.left = `${Math.max(EDGE, left)}px`;
    element.style.bottom = `${window.innerHeight - at.top + GAP}px`;
    element.style.maxHeight = `${Math.max(80, at.top - GAP - EDGE)}px`;
  };

  /** Closes it and returns the focus to its button. */
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

  /** Focuses the next item whose label starts with the typed text. */
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
