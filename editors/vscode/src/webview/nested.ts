/** The end of a sub-agent's own transcript, in its card. */
import type { ViewEntry } from "../messages.ts";
import type { Colours } from "./code.ts";
import { el } from "./dom.ts";
import type { Drawn, Send } from "./entries.ts";
import { drawEntry } from "./entries.ts";
import { t } from "../words.ts";

export class Nested {
  readonly session: string;
  readonly element = el("div", {
    class: "nested",
    attributes: { role: "group", "aria-label": t("Transcript of the sub-agent") },
  });
  readonly #send: Send;
  readonly #colours: Colours;
  readonly #more = el("p", { class: "more" }, t("Only the last part is shown."));
  #drawn = new Map<string, Drawn>();

  constructor(session: string, send: Send, colours: Colours) {
    this.session = session;
    this.#send = send;
    this.#colours = colours;
    this.element.append(el("p", { class: "more" }, t("Reading…")));
  }

  update(entries: ViewEntry[], hasEarlier: boolean): void {
    const drawn = new Map<string, Drawn>();
    for (const entry of entries) {
      const before = this.#drawn.get(entry.key);
      drawn.set(
        entry.key,
        before?.update(entry) === true ? before : drawEntry(entry, this.#send, this.#colours),
      );
    }
    this.#drawn = drawn;
    const elements = [...drawn.values()].map(({ element }) => element);
    this.element.replaceChildren(...(hasEarlier ? [this.#more] : []), ...elements);
  }
}
