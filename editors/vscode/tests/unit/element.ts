/** A small stand-in for a document: the page's cards are drawn on it. */
import assert from "node:assert/strict";

/** An element, as far as the page uses one. */
export class Element {
  readonly tag: string;
  className = "";
  id = "";
  title = "";
  type = "";
  value = "";
  placeholder = "";
  hidden = false;
  /** Class names are for eyes alone: nothing here asks for them. */
  readonly classList = {
    add: (): void => undefined,
    remove: (): void => undefined,
    toggle: (): void => undefined,
  };
  readonly style = { setProperty: (): void => undefined };
  dataset: Record<string, string> = {};
  disabled = false;
  isFocused = false;
  isScrolledTo = false;
  children: (Element | string)[] = [];
  parent: Element | undefined;
  readonly attributes = new Map<string, string>();
  readonly #listeners = new Map<string, ((event: unknown) => void)[]>();

  constructor(tag: string) {
    this.tag = tag;
  }

  append(...children: (Element | string)[]): void {
    for (const each of children) if (typeof each !== "string") each.parent = this;
    this.children.push(...children);
  }

  prepend(...children: (Element | string)[]): void {
    this.children.unshift(...children);
  }

  get childNodes(): (Element | string)[] {
    return this.children;
  }

  get childElementCount(): number {
    return this.children.length;
  }

  get textContent(): string {
    return this.text;
  }

  set textContent(text: string) {
    this.children = [text];
  }

  replaceChildren(...children: (Element | string)[]): void {
    this.children = children;
  }

  get lastElementChild(): Element | undefined {
    return this.children.findLast((each): each is Element => typeof each !== "string");
  }

  /** Goes out of what holds it, as far as that is known. */
  remove(): void {
    const { parent } = this;
    if (parent !== undefined) parent.children = parent.children.filter((each) => each !== this);
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  getAttribute(name: string): string | undefined {
    return this.attributes.get(name);
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  addEventListener(kind: string, listener: (event: unknown) => void): void {
    this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), listener]);
  }

  /** As a browser: nothing happens on what is disabled. */
  dispatch(kind: string, event: unknown = {}): void {
    if (this.disabled) return;
    for (const listener of this.#listeners.get(kind) ?? []) listener(event);
  }

  focus(): void {
    this.isFocused = true;
  }

  scrollIntoView(): void {
    this.isScrolledTo = true;
  }

  click(): void {
    this.dispatch("click");
  }

  get text(): string {
    return this.children.map((each) => (typeof each === "string" ? each : each.text)).join("");
  }

  /** All that a person sees, points at or hears of it and below; the text of an element is one, with what stands in it. */
  get shown(): string[] {
    const named = ["aria-label", "placeholder"].map((name) => this.attributes.get(name) ?? "");
    const own = this.children.some((each) => typeof each === "string") ? [this.text] : [];
    const below = this.children.flatMap((each) => (typeof each === "string" ? [] : each.shown));
    return [this.title, this.placeholder, ...named, ...own, ...below];
  }

  find(tag: string, text = ""): Element {
    const found = this.all(tag).find((each) => each.text.includes(text));
    assert.ok(found, `there is no ${tag} with ${text}`);
    return found;
  }

  all(tag: string): Element[] {
    const below = this.children.flatMap((each) => (typeof each === "string" ? [] : each.all(tag)));
    return this.tag === tag ? [this, ...below] : below;
  }
}

/** What waits for an element to come in sight. */
const awaited = new Map<Element, () => void>();

class Sight {
  readonly #seen: (entries: { isIntersecting: boolean }[]) => void;

  constructor(seen: (entries: { isIntersecting: boolean }[]) => void) {
    this.#seen = seen;
  }

  observe(element: Element): void {
    awaited.set(element, () => this.#seen([{ isIntersecting: true }]));
  }

  disconnect(): void {
    return undefined;
  }
}

/** Brings an element in sight. */
export function inSight(element: Element): void {
  awaited.get(element)?.();
}

/** Draws with the stand-in for a document. */
export function drawn<T>(draw: () => T): T {
  const stand = {
    document: { createElement: (tag: string) => new Element(tag) },
    IntersectionObserver: Sight,
    ResizeObserver: Sight,
  };
  Object.assign(globalThis, stand);
  try {
    return draw();
  } finally {
    for (const name of Object.keys(stand)) Reflect.deleteProperty(globalThis, name);
  }
}
