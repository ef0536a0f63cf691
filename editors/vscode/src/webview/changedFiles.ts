/** The files with open hunks, above the prompt: a line that expands to a list with buttons to keep and undo. */
import type { ChangedFile } from "../chat/messages.ts";
import { plural, t } from "../words.ts";
import { button, el, icon, iconButton } from "./dom.ts";
import { countsOf } from "./toolBody.ts";
import type { Send } from "./types.ts";

export class ChangedFiles {
  readonly element = el("section", {
    class: "changedFiles",
    attributes: { "aria-label": t("Changed Files") },
  });
  readonly #fold: HTMLButtonElement;
  readonly #sum = el("span", { class: "sum" });
  readonly #list = el("ul", { attributes: { id: "changedFiles" } });
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
    this.#fold = button("", () => this.#open(this.#list.hidden), "fold");
    this.#fold.setAttribute("aria-controls", "changedFiles");
    this.#fold.append(icon("chevron-right"), this.#sum);
    const verbs = el(
      "span",
      { class: "verbs" },
      iconButton("arrow-down", t("Next Change"), () => send({ type: "nextChange" })),
      iconButton("discard", t("Undo All"), () => send({ type: "decide", verb: "undo" })),
      iconButton("check-all", t("Keep All"), () => send({ type: "decide", verb: "keep" })),
    );
    this.element.append(el("div", { class: "head" }, this.#fold, verbs), this.#list);
    this.element.hidden = true;
    this.#open(false);
  }

  update(files: ChangedFile[]): void {
    this.element.hidden = files.length === 0;
    const sum = (side: "added" | "removed"): number => files.reduce((all, each) => all + each[side], 0);
    const text = plural(files.length, "{0} file changed", "{0} files changed");
    this.#sum.replaceChildren(`${text} `, countsOf(sum("added"), sum("removed")));
    this.#list.replaceChildren(...files.map((file) => this.#row(file)));
  }

  #row({ path, name, folder, added, removed }: ChangedFile): HTMLElement {
    const open = button(
      name,
      () => this.#send({ type: "openDiff", path }),
      "link",
      t("Open the diff of {0}", path),
    );
    const verb = (name: string, label: string, verb: "keep" | "undo"): HTMLElement =>
      iconButton(name, label, () => this.#send({ type: "decide", verb, path }));
    return el(
      "li",
      {},
      open,
      el("span", { class: "folder" }, folder),
      countsOf(added, removed),
      verb("discard", t("Undo {0}", name), "undo"),
      verb("check", t("Keep {0}", name), "keep"),
    );
  }

  #open(isOpen: boolean): void {
    this.#list.hidden = !isOpen;
    this.#fold.setAttribute("aria-expanded", String(isOpen));
  }
}
