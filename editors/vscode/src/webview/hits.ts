/** The places of a search or listing as links. One of them is in the tab order; the arrow keys move between them. */
import { hitLines } from "../transcript/hits.ts";
import { t } from "../words.ts";
import { el } from "./dom.ts";
import type { Send } from "./types.ts";

export class Hits {
  readonly element = el("pre", {
    class: "output hits",
    attributes: { role: "group", "aria-label": t("Output") },
  });
  readonly #send: Send;
  #links: HTMLAnchorElement[] = [];

  constructor(send: Send) {
    this.#send = send;
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  set(output: string, base: string): void {
    this.#links = [];
    const lines = output === "" ? [] : hitLines(output, base);
    this.element.replaceChildren(
      ...lines.flatMap(({ place, rest, target }, at) => {
        const end = at === lines.length - 1 ? "" : "\n";
        return target === undefined ? [rest + end] : [this.#link(place, target), rest + end];
      }),
    );
    // Without a link, the text itself is in the tab order, to scroll it.
    if (this.#links[0] === undefined) this.element.tabIndex = 0;
    else this.element.removeAttribute("tabindex");
  }

  #link(place: string, { path, line }: { path: string; line: number | undefined }): HTMLElement {
    const isFirst = this.#links.length === 0;
    const link = el("a", { attributes: { href: "#", tabindex: isFirst ? "0" : "-1" } }, place);
    const address = encodeURI(path).replaceAll("#", "%23");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.#enter(link);
      this.#send({ type: "openLink", href: line === undefined ? address : `${address}#L${line}` });
    });
    this.#links.push(link);
    return link;
  }

  #key(event: KeyboardEvent): void {
    const at = this.#links.findIndex((each) => each === document.activeElement);
    const last = this.#links.length - 1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    const link = at < 0 || next === undefined ? undefined : this.#links[Math.min(last, Math.max(0, next))];
    if (link === undefined) return;
    event.preventDefault();
    this.#enter(link);
    link.focus();
  }

  #enter(link: HTMLAnchorElement): void {
    for (const each of this.#links) each.tabIndex = each === link ? 0 : -1;
  }
}
