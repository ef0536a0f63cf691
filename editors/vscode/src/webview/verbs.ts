/** The buttons to send and stop; while a turn runs, sending steers it, with a menu to queue instead. */
import { t } from "../words.ts";
import { el, iconButton } from "./dom.ts";
import { Popup } from "./popup.ts";

export type Verb = "send" | "steer" | "queue";

export class Verbs {
  readonly element = el("span", { class: "send" });
  readonly #send: HTMLButtonElement;
  readonly #steer: HTMLButtonElement;
  readonly #more: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;

  constructor(submit: (verb: Verb) => void, stop: () => void) {
    const round = (
      name: string,
      label: string,
      title: string,
      run: () => void,
      kind = "",
    ): HTMLButtonElement => {
      const made = iconButton(name, label, run);
      made.title = title;
      made.className = `button icon round ${kind}`.trim();
      return made;
    };
    this.#send = round("arrow-up", t("Send"), t("Send (Enter)"), () => submit("send"), "primary");
    this.#steer = round(
      "arrow-up",
      t("Steer"),
      t("Add it to the running turn (Enter)"),
      () => submit("steer"),
      "primary",
    );
    this.#more = iconButton("chevron-down", t("More Ways to Send"), () => this.#open(submit));
    this.#more.classList.add("moreWays");
    const popup = new Popup(this.#more, "menu");
    this.#open = (run) =>
      popup.menu(t("More Ways to Send"), [
        { label: t("Steer"), detail: t("Add it to the running turn (Enter)"), run: () => run("steer") },
        { label: t("Queue"), detail: t("Send it after this turn (Alt+Enter)"), run: () => run("queue") },
      ]);
    this.#stop = round("debug-stop", t("Stop"), t("Stop the turn (Escape)"), stop, "stop");
    this.element.append(this.#send, this.#steer, this.#more, this.#stop);
  }

  readonly #open: (run: (verb: Verb) => void) => void;

  update(isRunning: boolean, isEmpty: boolean): void {
    this.#send.hidden = isRunning;
    for (const each of [this.#steer, this.#more, this.#stop]) each.hidden = !isRunning;
    for (const each of [this.#send, this.#steer, this.#more]) each.disabled = isEmpty;
  }
}
