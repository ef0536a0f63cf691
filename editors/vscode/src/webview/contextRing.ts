/** A ring that shows how full the context window is, and opens an overview of its parts. */
import type { ContextView } from "../chat/contextParts.ts";
import type { Head } from "../chat/messages.ts";
import { t } from "../words.ts";
import { button, el } from "./dom.ts";
import { Popup } from "./popup.ts";
import type { Send } from "./types.ts";

export class ContextRing {
  readonly element: HTMLButtonElement;
  readonly #ring = el("span", { class: "ring", attributes: { "aria-hidden": "true" } });
  readonly #popup: Popup;
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
    this.element = button("", () => this.open(), "icon");
    this.element.classList.add("context");
    this.element.replaceChildren(this.#ring);
    this.#popup = new Popup(this.element, "dialog");
  }

  update({ context, cost }: Head, hasSession: boolean): void {
    this.element.hidden = !hasSession;
    const percent = context?.percent ?? 0;
    this.#ring.style.setProperty("--part", `${percent}%`);
    this.element.classList.toggle("warning", context?.isNearlyFull === true);
    const facts = [t("Context: {0}", context?.text ?? t("unknown size")), cost].filter((each) => each !== "");
    const text = facts.join(" · ");
    if (this.element.title === text) return;
    this.element.title = text;
    this.element.setAttribute("aria-label", text);
  }

  /** Requests the overview, which opens when it arrives. */
  open(): void {
    if (this.#popup.isOpen) this.#popup.close();
    else this.#send({ type: "readContext" });
  }

  show({ sum, parts, cost, canCompact }: ContextView): void {
    if (this.element.hidden) return;
    const rows = parts.map(({ label, tokens, share }) => {
      const bar = el("span", { class: "share", attributes: { "aria-hidden": "true" } });
      bar.style.setProperty("--part", `${share}%`);
      return el(
        "li",
        {},
        el("span", { class: "label" }, label),
        el("span", { class: "tokens" }, tokens),
        bar,
      );
    });
    const compact = button(
      t("Compact"),
      () => {
        this.#popup.close();
        this.#send({ type: "compact" });
      },
      "secondary",
      t("Summarize the conversation to free context"),
    );
    compact.disabled = !canCompact;
    this.#popup.panel(
      t("Context"),
      el("p", { class: "sum" }, sum),
      el("ul", { class: "parts" }, ...rows),
      ...(cost === "" ? [] : [el("p", {}, cost)]),
      el("p", { class: "note" }, t("The parts are estimates.")),
      el("div", { class: "actions" }, compact),
    );
  }
}
