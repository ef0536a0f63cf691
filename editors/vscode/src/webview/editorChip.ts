/** The file in the editor in front, and what is selected there, as a chip that goes with the next message or does not. */
import type { InEditor } from "../chat/messages.ts";
import { t } from "../words.ts";
import { el, icon } from "./dom.ts";

export class EditorChip {
  readonly element: HTMLElement;
  readonly #toggle = el("button", { class: "chip editorChip", attributes: { type: "button" } });
  readonly #changed: () => void;
  #shown: InEditor | undefined;
  /** Files whose selections a person does not want to go along. */
  readonly #unwanted = new Set<string>();
  /** The file that goes along though nothing is selected in it. */
  #wanted: string | undefined;
  /** What went with the last message does not go again by itself. */
  #sent = "";

  constructor(changed: () => void) {
    this.#changed = changed;
    this.element = el("li", { class: "inEditor" }, this.#toggle);
    this.element.hidden = true;
    this.#toggle.addEventListener("click", () => this.#flip());
  }

  /** Whether it goes with the next message. */
  get isOn(): boolean {
    const shown = this.#shown;
    if (shown === undefined) return false;
    if (!shown.isSelection) return this.#wanted === shown.path;
    if (this.#wanted === shown.path) return true;
    return !this.#unwanted.has(shown.path) && this.#sent !== placeOf(shown);
  }

  /** The path of what goes along. */
  get path(): string | undefined {
    return this.isOn ? this.#shown?.path : undefined;
  }

  update(shown: InEditor | undefined): void {
    if (shown?.path !== this.#shown?.path) this.#wanted = undefined;
    this.#shown = shown;
    this.#draw();
    this.#changed();
  }

  /** A message went: what was wanted for it is over. */
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
      ? t("{0} goes with the message. Click to leave it out.", chip.title)
      : t("{0} does not go with the message. Click to attach it.", chip.title);
    this.#toggle.replaceChildren(icon(isOn ? chip.icon : "add"), el("span", {}, chip.label));
  }
}

function placeOf({ path, chip }: InEditor): string {
  return `${path}\n${chip.label}`;
}
