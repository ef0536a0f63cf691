/**
 * Ticks the steps of the walkthrough that are done.
 *
 * VS Code ticks a step when its context key becomes true, and never if the key was true before the page was opened first. So the keys are
 * true for a moment only, whenever such a page is there: nothing but its want of an input tells it from others.
 */
import * as vscode from "vscode";
import type { HasChat } from "../../owner.ts";

/** So long after a page was opened VS Code knows its steps. */
const KNOWN_MS = 1000;

interface Owner {
  readonly chats: { readonly current: HasChat & { readonly promptRow: { readonly isUsable: boolean } } };
}

export class Walkthrough {
  readonly #owner: Owner;
  readonly #registration: vscode.Disposable;
  readonly #ticked = new Set<string>();
  #wasShown = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#registration = vscode.window.tabGroups.onDidChangeTabs(() => this.#tabsChanged());
    this.#tabsChanged();
  }

  /** The chat view was drawn. */
  shown(): void {
    this.#wasShown = true;
    this.update();
  }

  update(): void {
    if (!hasPage()) return;
    const { chat, promptRow } = this.#owner.chats.current;
    this.#tick("what", this.#wasShown);
    this.#tick("engine", chat?.engine.status.kind === "ready");
    this.#tick("model", promptRow.isUsable);
    const isAnswered = (chat?.sessions ?? []).some(({ state }) =>
      state.entries.some((each) => each.kind === "turnEnd" && each.end.status === "completed"),
    );
    this.#tick("prompt", isAnswered);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#registration.dispose();
  }

  #tabsChanged(): void {
    if (!hasPage()) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#ticked.clear();
      this.update();
    }, KNOWN_MS);
  }

  #tick(step: string, isDone: boolean): void {
    if (!isDone || this.#ticked.has(step)) return;
    this.#ticked.add(step);
    for (const value of [true, false])
      void vscode.commands.executeCommand("setContext", `pintle.step.${step}`, value);
  }
}

/** Whether a page is open that may be a walkthrough. */
function hasPage(): boolean {
  return vscode.window.tabGroups.all.some((group) => group.tabs.some((tab) => tab.input === undefined));
}
