/**
 * Folds runs of read-only calls into one row each. The entries stay in the list: a row is inserted before the first of them, and hides them.
 */
import type { Member } from "../transcript/runs.ts";
import { runsOf, runText } from "../transcript/runs.ts";
import { t } from "../words.ts";
import { el, icon, iconButton } from "./dom.ts";
import type { Drawn, Foldable } from "./types.ts";

class Fold {
  readonly element: HTMLElement;
  readonly #badge = el("span", { class: "badge" });
  readonly #title = el("span", { class: "title" });
  readonly #facts = el("span", { class: "facts" });
  readonly #chevron: HTMLButtonElement;
  #members: Drawn[] = [];
  #said = "";
  isOpen = false;

  constructor() {
    this.#chevron = iconButton("chevron-right", t("Details"), () => this.#toggle());
    this.#chevron.classList.add("chevron");
    // The text changes often while calls run; it is not announced.
    const row = el(
      "div",
      { class: "row", attributes: { "aria-live": "off" } },
      this.#badge,
      this.#title,
      this.#facts,
      this.#chevron,
    );
    row.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("button") === null) this.#toggle();
    });
    this.element = el("article", { class: "tool fold" }, row);
  }

  get members(): readonly Drawn[] {
    return this.#members;
  }

  show(members: Drawn[]): void {
    const calls = members
      .map(({ folding }) => folding)
      .filter((each): each is Foldable => each !== undefined);
    // A card that the user has expanded stays visible.
    if (this.#members.length === 0 && calls.some((each) => each.isOpen)) this.isOpen = true;
    const left = this.#members.filter((each) => !members.includes(each));
    for (const each of left) each.element.classList.remove("folded", "inFold");
    this.#members = members;
    this.#say(calls);
    this.#draw();
    const [first] = members;
    if (first !== undefined && this.element.nextSibling !== first.element) first.element.before(this.element);
  }

  remove(): void {
    for (const each of this.#members) each.element.classList.remove("folded", "inFold");
    this.#members = [];
    this.element.remove();
  }

  #say(calls: Foldable[]): void {
    const running = calls.findLast((each) => each.isRunning);
    const groups = calls.map(({ group }) => group);
    const all = runText(groups);
    const said = running === undefined ? all : running.text;
    const facts = running === undefined ? "" : t("{0} of {1}", calls.indexOf(running) + 1, calls.length);
    if (this.#said === `${said} ${facts}`) return;
    this.#said = `${said} ${facts}`;
    this.#title.textContent = said;
    this.#title.title = said;
    this.#facts.textContent = facts;
    const name = groups.includes("read") ? "file" : groups.includes("search") ? "search" : "folder-opened";
    this.#badge.replaceChildren(icon(running === undefined ? name : "loading codicon-modifier-spin"));
    this.element.setAttribute("aria-label", all);
    this.#chevron.setAttribute("aria-label", t("Details: {0}", all));
  }

  #toggle(): void {
    this.isOpen = !this.isOpen;
    this.#draw();
  }

  #draw(): void {
    this.element.dataset["open"] = String(this.isOpen);
    this.#chevron.setAttribute("aria-expanded", String(this.isOpen));
    for (const { element } of this.#members) {
      element.classList.add("inFold");
      element.classList.toggle("folded", !this.isOpen);
    }
  }
}

export class Folds {
  #folds: Fold[] = [];

  /** Updates the folds after entries were added, removed or changed; rows of continuing runs are reused. */
  update(drawn: readonly Drawn[]): void {
    const before = new Map(this.#folds.flatMap((fold) => fold.members.map((each) => [each, fold] as const)));
    const unused = new Set(this.#folds);
    this.#folds = runsOf(drawn.map(memberOf)).map(([first, last]) => {
      const members = drawn.slice(first, last + 1);
      const known = members
        .map((each) => before.get(each))
        .find((each) => each !== undefined && unused.has(each));
      const fold = known ?? new Fold();
      unused.delete(fold);
      fold.show(members);
      return fold;
    });
    for (const each of unused) each.remove();
  }
}

function memberOf({ folding, isBetween }: Drawn): Member {
  if (folding !== undefined) return { kind: "call", group: folding.group };
  return isBetween === true ? { kind: "between" } : { kind: "other" };
}
