/** The files with open hunks, for the list above the prompt; and what is chosen there. */
import * as vscode from "vscode";
import type { ChangedFile, FromPage, ToPage } from "../../chat/messages.ts";
import type { HasFolder, HasReview } from "../../owner.ts";
import { labelOf, split } from "../../paths.ts";

type Owner = HasReview & HasFolder & { readonly view: { post(message: ToPage): void } };

/** The commands for all files, and for one. */
const COMMANDS = {
  keep: ["pintle.keepAll", "pintle.keepFile"],
  undo: ["pintle.undoAll", "pintle.undoFile"],
} as const;

export class ChangedFiles {
  readonly #owner: Owner;
  #told = "";

  constructor(owner: Owner) {
    this.#owner = owner;
  }

  /** A page that has just come knows nothing. */
  ready(): void {
    this.#told = "";
    this.changed();
  }

  /** The review has another answer. */
  changed(): void {
    const files = this.#files();
    const told = JSON.stringify(files);
    if (told === this.#told) return;
    this.#told = told;
    this.#owner.view.post({ type: "changed", files });
  }

  decide({ verb, path }: Extract<FromPage, { type: "decide" }>): void {
    const [all, file] = COMMANDS[verb];
    if (path === undefined) void vscode.commands.executeCommand(all);
    else void vscode.commands.executeCommand(file, { path });
  }

  #files(): ChangedFile[] {
    return (this.#owner.review?.files ?? []).map(({ path, hunks }) => {
      const { folder, name } = split(labelOf(this.#owner.folderPath, path));
      const sum = (side: "before" | "after"): number =>
        hunks.reduce((all, hunk) => all + hunk[side].count, 0);
      return { path, name, folder, added: sum("after"), removed: sum("before") };
    });
  }
}
