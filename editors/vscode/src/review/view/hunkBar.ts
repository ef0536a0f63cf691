/** The cursor's position among the hunks of its file: the status bar item, and context keys for keys and title buttons. */
import * as vscode from "vscode";
import { plural, t } from "../../words.ts";
import type { Place } from "../hunks.ts";
import { placeAt } from "../hunks.ts";

export class HunkBar {
  readonly #item = vscode.window.createStatusBarItem("pintle.hunk", vscode.StatusBarAlignment.Left, 0);

  constructor() {
    this.#item.name = t("Pintle: Changes in the File");
    this.#item.command = "pintle.nextHunk";
    this.#item.tooltip = t("Go to the next hunk");
  }

  /** Takes the hunks and the cursor line of the active editor. */
  update(places: Place[], row: number): void {
    const set = (name: string, value: unknown): unknown =>
      vscode.commands.executeCommand("setContext", `pintle.${name}`, value);
    const here = placeAt(places, row);
    set("onHunk", here !== undefined);
    set("hasHunks", places.length > 0);
    if (places.length === 0) return this.#item.hide();
    const count = places.length;
    const text =
      here === undefined
        ? plural(count, "{0} hunk", "{0} hunks")
        : t("Hunk {0} of {1}", places.indexOf(here) + 1, count);
    this.#item.text = `$(diff) ${text}`;
    this.#item.show();
  }

  /** Takes the visible files that have hunks, whose editor titles get the buttons. */
  files(paths: string[]): void {
    void vscode.commands.executeCommand("setContext", "pintle.hunkFiles", paths);
  }

  dispose(): void {
    this.#item.dispose();
  }
}
