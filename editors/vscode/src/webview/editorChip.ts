/** A chip that attaches the active editor's file or selection to the next message. */
import type { InEditor } from "../chat/messages.ts";
import { t } from "../words.ts";
import { el, icon } from "./dom.ts";

export class EditorChip {
  readonly element: HTMLElement;
  readonly #toggle = el("button", { class: "chip editorChip", attributes: { type: "button" } });
  readonly #changed: () => void;
  #shown: InEditor | undefined;
  /** Files whose selections the user turned off. */
  readonly #unwanted = new Set<string>();
  /** The file that the user turned on. */
  #wanted: string | undefined;
  /** The last selection sent, which is not attached again by default. */
  #sent = "";

  constructor(changed: () => void) {
    this.#changed = changed;
    this.element = el("li", { class: "inEditor" }, this.#toggle);
    this.element.hidden = true;
    this.#toggle.addEventListener("click", () => this.#flip());
  }

  /** Whether it is attached to the next message. */
  get isOn(): boolean {
    const shown = this.#shown;
    if (shown === undefined) return false;
    if (!shown.isSelection) return this.#wanted === shown.path;
    if (this.#wanted === shown.path) return true;
    return !this.#unwanted.has(shown.path) && this.#sent !== placeOf(shown);
  }

  /** The path of the attached file. */
  get path(): string | undefined {
    return this.isOn ? this.#shown?.path : undefined;
  }

  update(shown: InEditor | undefined): void {
    if (shown?.path !== this.#shown?.path) this.#wanted = undefined;
    this.#shown = shown;
    this.#draw();
    this.#changed();
  }

  /** Resets the choice after a message was sent. */
  sent(): void {
    if (this.#shown !== undefined && this.isOn) this.#sent = placeOf(this.#shown);
    this.#wanted = undefined;
    this.#draw();
  }

  #flip(): void {
    const shown = this.#shown;
    if (shown === undefined) return;
    if (this.isOn) {
      this.#wanted = undefined;
      this.#unwanted.add(shown.path);
    } else {
      this.#wanted = shown.path;
      this.#unwanted.delete(shown.path);
    }
    this.#draw();
    this.#changed();
  }

  #draw(): void {
    const shown = this.#shown;
    this.element.hidden = shown === undefined;
    if (shown === undefined) return;
    const { isOn } = this;
    const { chip } = shown;
    this.#toggle.classList.toggle("off", !isOn);
    this.#toggle.setAttribute("aria-pressed", String(isOn));
    this.#toggle.setAttribute("aria-label", t("Attach {0}", chip.title));
    this.#toggle.title = isOn
      ? t("{0} is attached to the message. Click to remove it.", chip.title)
      : t("{0} is not attached. Click to attach it.", chip.title);
    this.#toggle.replaceChildren(icon(isOn ? chip.icon : "add"), el("span", {}, chip.label));
  }
}

function placeOf({ path, chip }: InEditor): string {
  return `${path}\n${chip.label}`;
}
