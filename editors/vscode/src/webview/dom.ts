/** Builds elements. Text is always text: nothing here or anywhere on the page takes HTML. */
import { t } from "../words.ts";

type Child = Node | string | undefined;

interface Options {
  class?: string;
  title?: string;
  attributes?: Record<string, string>;
  onClick?: (event: MouseEvent) => void;
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: Options = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.class !== undefined) element.className = options.class;
  if (options.title !== undefined) element.title = options.title;
  for (const [name, value] of Object.entries(options.attributes ?? {})) element.setAttribute(name, value);
  const { onClick } = options;
  if (onClick !== undefined) element.addEventListener("click", (event) => onClick(event as MouseEvent));
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

export function button(label: string, onClick: () => void, kind = "", title?: string): HTMLButtonElement {
  const options: Options = { class: `button ${kind}`.trim(), onClick };
  if (title !== undefined) options.title = title;
  const element = el("button", options, label);
  element.type = "button";
  return element;
}

/** A picture of VS Code's icon font, for eyes alone. */
export function icon(name: string): HTMLElement {
  return el("span", { class: `codicon codicon-${name}`, attributes: { "aria-hidden": "true" } });
}

/** A button that is an icon; `title` is its name. */
export function iconButton(name: string, title: string, onClick: () => void): HTMLButtonElement {
  const element = button("", onClick, "icon", title);
  element.setAttribute("aria-label", title);
  element.replaceChildren(icon(name));
  return element;
}

/** The other client that a message came from. */
export function sender(from: string | undefined): HTMLElement | undefined {
  return from === undefined ? undefined : el("span", { class: "from" }, t("from {0}", from));
}
