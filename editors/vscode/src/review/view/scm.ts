/**
 * The open hunks as a source control: bars in the gutter, a peek that shows deleted lines, and the files in the Source Control view.
 *
 * It is there only while something is open: the provider that was registered last comes first in the peek.
 */
import * as vscode from "vscode";
import type { HasFolder, HasReview } from "../../owner.ts";
import { split } from "../../paths.ts";
import { t } from "../../words.ts";
import type { ReviewedFile } from "../review.ts";
import type { BaseFiles } from "./baseFiles.ts";

export class HunkControl implements vscode.QuickDiffProvider {
  readonly #owner: HasReview & HasFolder & { readonly base: BaseFiles };
  #control: vscode.SourceControl | undefined;
  #group: vscode.SourceControlResourceGroup | undefined;

  constructor(owner: HasReview & HasFolder & { readonly base: BaseFiles }) {
    this.#owner = owner;
  }

  changed(): void {
    const files = this.#owner.review?.files ?? [];
    if (files.length === 0) {
      this.dispose();
      return;
    }
    const group = this.#group ?? this.#create();
    group.resourceStates = files.map((file) => this.#state(file));
  }

  provideOriginalResource(uri: vscode.Uri): vscode.Uri | undefined {
    const { review } = this.#owner;
    const file = uri.scheme === "file" ? review?.file(uri.fsPath) : undefined;
    const isText = file?.hunks.some((hunk) => hunk.kind !== "mode" && hunk.newText !== "") === true;
    const isLines = file?.hunks.some((hunk) => hunk.kind === "lines") === true;
    if (file === undefined || !(isText || isLines)) return undefined;
    return this.#owner.base.uri(file.session, file.path);
  }

  dispose(): void {
    this.#control?.dispose();
    this.#control = undefined;
    this.#group = undefined;
  }

  #create(): vscode.SourceControlResourceGroup {
    const control = vscode.scm.createSourceControl(
      "pintle",
      "Pintle",
      vscode.Uri.file(this.#owner.folderPath),
    );
    control.inputBox.visible = false;
    // The badge of Source Control counts what is to be committed; hunks are counted by Pintle's own view.
    control.count = 0;
    control.quickDiffProvider = this;
    this.#control = control;
    this.#group = control.createResourceGroup("hunks", t("Open Hunks"));
    return this.#group;
  }

  #state(file: ReviewedFile): vscode.SourceControlResourceState {
    const isGone = file.hunks.some((hunk) => hunk.kind === "file" && hunk.newText === "");
    return {
      resourceUri: vscode.Uri.file(file.path),
      contextValue: "pintleFile",
      command: {
        command: "pintle.openDiff",
        title: t("Open Diff"),
        arguments: [{ path: file.path }],
      },
      decorations: { strikeThrough: isGone, tooltip: split(file.path).name },
    };
  }
}
