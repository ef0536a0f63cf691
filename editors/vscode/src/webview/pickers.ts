/** Model, effort and mode as buttons of the prompt's row, each with its menu. */
import type { Picker, Pickers as Rows } from "../chat/choices.ts";
import { t } from "../words.ts";
import { button, el, icon } from "./dom.ts";
import type { MenuItem } from "./popup.ts";
import { Popup } from "./popup.ts";
import type { Send } from "./types.ts";

type Kind = "model" | "effort" | "mode";

/** Messages that open the full lists. */
const LISTS = { model: "chooseModel", effort: "chooseEffort", mode: "chooseMode" } as const;

export class Pickers {
  readonly element = el("span", { class: "pickers" });
  readonly #send: Send;
  readonly #buttons: Record<Kind, { button: HTMLButtonElement; popup: Popup }>;
  #rows: Rows | undefined;

  constructor(send: Send) {
    this.#send = send;
    const make = (kind: Kind): { button: HTMLButtonElement; popup: Popup } => {
      const made = button("", () => this.open(kind), `picker ${kind}`);
      return { button: made, popup: new Popup(made, "menu") };
    };
    this.#buttons = { model: make("model"), effort: make("effort"), mode: make("mode") };
    this.element.append(...Object.values(this.#buttons).map((each) => each.button));
  }

  update(rows: Rows): void {
    this.#rows = rows;
    this.#draw("model", rows.model);
    this.#draw("effort", rows.effort);
    this.#draw("mode", rows.mode);
  }

  open(kind: Kind): void {
    const { popup } = this.#buttons[kind];
    const picker = this.#rows?.[kind];
    if (popup.isOpen) return popup.close();
    if (picker === undefined) return this.#send({ type: LISTS[kind] });
    const items = picker.choices.map(({ option, value, label, detail, group, isCurrent }): MenuItem => ({
      label,
      detail,
      group,
      isCurrent,
      run: () => this.#send({ type: "choose", option, value }),
    }));
    const more: MenuItem = {
      label: t("More…"),
      icon: "list-flat",
      run: () => this.#send({ type: LISTS[kind] }),
    };
    popup.menu(picker.title, [...items, more]);
  }

  #draw(kind: Kind, picker: Picker | undefined): void {
    const element = this.#buttons[kind].button;
    element.hidden = picker === undefined;
    if (picker === undefined) return;
    element.title = picker.title;
    element.setAttribute("aria-label", picker.title);
    const word = el("span", { class: "word" }, picker.text);
    element.replaceChildren(icon(picker.icon), word, icon("chevron-down"));
  }
}
