/** The end of a sub-agent's own transcript, in its card. */
import { fromSession } from "../chat/atCard.ts";
import type { ViewEntry } from "../chat/messages.ts";
import { t } from "../words.ts";
import type { Colours } from "./code.ts";
import { el } from "./dom.ts";
import { Folds } from "./folds.ts";
import type { Drawn, Send } from "./types.ts";

/** Draws an entry of the nested transcript. */
export type DrawEntry = (entry: ViewEntry, send: Send, colours: Colours) => Drawn;

export class Nested {
  readonly session: string;
  readonly element = el("div", {
    class: "nested",
    attributes: { role: "group", "aria-label": t("Transcript of the sub-agent") },
  });
  readonly #send: Send;
  readonly #colours: Colours;
  readonly #drawEntry: DrawEntry;
  readonly #more = el("p", { class: "more" }, t("Only the last part is shown."));
  readonly #folds = new Folds();
  #drawn = new Map<string, Drawn>();

  constructor(session: string, send: Send, colours: Colours, drawEntry: DrawEntry) {
    this.session = session;
    this.#send = (message) => send(fromSession(message, session));
    this.#colours = colours;
    this.#drawEntry = drawEntry;
    this.element.append(el("p", { class: "more" }, t("Reading…")));
  }

  update(entries: ViewEntry[], hasEarlier: boolean): void {
    const drawn = new Map<string, Drawn>();
    for (const entry of entries) {
      const before = this.#drawn.get(entry.key);
      drawn.set(
        entry.key,
        before?.update(entry) === true ? before : this.#drawEntry(entry, this.#send, this.#colours),
      );
    }
    this.#drawn = drawn;
    const all = [...drawn.values()];
    this.element.replaceChildren(...(hasEarlier ? [this.#more] : []), ...all.map(({ element }) => element));
    this.#folds.update(all);
  }
}
