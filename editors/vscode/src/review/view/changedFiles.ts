/** Sends the files with open hunks to the list above the prompt, and handles its buttons. */
import * as vscode from "vscode";
import type { ChangedFile, FromPage, ToPage } from "../../chat/messages.ts";
import type { HasFolder, HasReview } from "../../owner.ts";
import { labelOf, split } from "../../paths.ts";
import type { ReviewedFile } from "../review.ts";

type Owner = HasReview &
  HasFolder & {
    readonly view: { post(message: ToPage): void };
    /** True if the changes of a session are listed here. */
    owns(session: string): boolean;
  };

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
    const own = this.#own();
    if (path === undefined) {
      const sessions = [...new Set(own.map(({ session }) => session))];
      void vscode.commands.executeCommand(all, { sessions });
      return;
    }
    const session = own.find((each) => each.path === path)?.session;
    void vscode.commands.executeCommand(file, { path, session });
  }

  /** The files of this chat: another one may show other changes of the same file. */
  #own(): ReviewedFile[] {
    return (this.#owner.review?.files ?? []).filter(({ session }) => this.#owner.owns(session));
  }

  #files(): ChangedFile[] {
    return this.#own().map(({ path, hunks }) => {
      const { folder, name } = split(labelOf(this.#owner.folderPath, path));
      const sum = (side: "before" | "after"): number =>
        hunks.reduce((all, hunk) => all + hunk[side].count, 0);
      return { path, name, folder, added: sum("after"), removed: sum("before") };
    });
  }
}
