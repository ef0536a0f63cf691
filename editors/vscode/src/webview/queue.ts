/** The messages that wait: each can be edited, moved, sent into the running turn or after it, and removed. */
import { textOfInput } from "../chat/input.ts";
import type { Head } from "../chat/messages.ts";
import { t } from "../words.ts";
import { button, el, iconButton, sender } from "./dom.ts";
import type { Send } from "./types.ts";

type Waiting = Head["queue"][number];

export class Queue {
  readonly element = el("ul", { class: "queue", attributes: { "aria-label": t("Waiting messages") } });
  readonly #send: Send;
  #drawn = "";
  #shown: Waiting[] = [];
  /** The message that is being edited, and its box: nothing is drawn over it. */
  #editing: { itemId: string; element: HTMLElement } | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  update(queue: Waiting[]): void {
    const shown = queue.filter((each) => each.delivery !== "prompt");
    const key = JSON.stringify(shown);
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.#shown = shown;
    if (this.#editing !== undefined && !shown.some(({ itemId }) => itemId === this.#editing?.itemId)) {
      this.#editing = undefined;
    }
    this.#draw();
  }

  #draw(): void {
    const rows = this.#shown.map((each, at) =>
      this.#editing?.itemId === each.itemId ? this.#editing.element : this.#row(each, at),
    );
    this.element.replaceChildren(...rows);
  }

  #row(waiting: Waiting, at: number): HTMLElement {
    const { itemId, delivery } = waiting;
    const isSteer = delivery === "steer";
    const text = textOfInput(waiting.content);
    const update = (
      change: Omit<Extract<Parameters<Send>[0], { type: "queueUpdate" }>, "type" | "itemId">,
    ): void => this.#send({ type: "queueUpdate", itemId, ...change });
    const verb = (picture: string, name: string, run: () => void): HTMLElement => {
      const element = iconButton(picture, name, run);
      element.setAttribute("aria-label", `${name}: ${text.slice(0, 40)}`);
      return element;
    };
    const before = this.#shown[at - 1];
    const isFirst = before === undefined || before.delivery !== delivery;
    return el(
      "li",
      {},
      el("span", { class: "delivery" }, isSteer ? t("steer") : t("next")),
      sender(waiting.from),
      el("span", { class: "text" }, text),
      el(
        "span",
        { class: "verbs" },
        isFirst ? undefined : verb("arrow-up", t("Move Up"), () => update({ before: before.itemId })),
        verb(
          isSteer ? "debug-step-over" : "debug-step-into",
          isSteer ? t("Send After This Turn") : t("Add to the Running Turn"),
          () => update({ delivery: isSteer ? "followUp" : "steer" }),
        ),
        verb("edit", t("Edit"), () => this.#edit(waiting)),
        verb("close", t("Remove"), () => this.#send({ type: "queueRemove", itemId })),
      ),
    );
  }

  #edit(waiting: Waiting): void {
    const { itemId, content } = waiting;
    const box = el("textarea", { attributes: { "aria-label": t("Waiting message") } });
    box.value = textOfInput(content.filter(({ type }) => type === "text"));
    const end = (): void => {
      this.#editing = undefined;
      this.#draw();
    };
    const save = (): void => {
      const text = box.value.trim();
      const others = content.filter(({ type }) => type !== "text");
      if (text !== "")
        this.#send({ type: "queueUpdate", itemId, input: [{ type: "text", text }, ...others] });
      end();
    };
    box.addEventListener("keydown", (event) => {
      if (event.isComposing || !(event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)))
        return;
      event.preventDefault();
      if (event.key === "Enter") save();
      else end();
    });
    const verbs = el(
      "span",
      { class: "verbs" },
      button(t("Save"), save),
      button(t("Cancel"), end, "secondary"),
    );
    this.#editing = { itemId, element: el("li", { class: "editing" }, box, verbs) };
    this.#draw();
    box.focus();
  }
}
