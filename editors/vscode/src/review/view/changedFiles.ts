/** Sends the files with open hunks to the list above the prompt, and handles its buttons. */
import * as vscode from "vscode";
import type { ChangedFile, FromPage, ToPage } from "../../chat/messages.ts";
import type { HasFolder, HasReview } from "../../owner.ts";
import { labelOf, split } from "../../paths.ts";

type Owner = HasReview & HasFolder & { readonly view: { post(message: ToPage): void } };

/** The commands for all files and for one file. */
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

  /** A new page needs everything. */
  ready(): void {
    this.#told = "";
    this.changed();
  }

  /** The open hunks may have changed. */
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
