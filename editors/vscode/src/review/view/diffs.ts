/** VS Code's own diff editors over files as a person accepted them last. */
import type { SessionId } from "pintle-client";
import * as vscode from "vscode";
import { columnOfFiles } from "../../documents/view/currentEditor.ts";
import type { HasFolder, HasReview } from "../../owner.ts";
import { labelOf } from "../../paths.ts";
import { t } from "../../words.ts";
import type { ReviewedFile } from "../review.ts";
import type { BaseFiles } from "./baseFiles.ts";

export type DiffOwner = HasReview & HasFolder & { readonly base: BaseFiles };

/** A file as it was accepted last, against the file itself. If several sessions changed it, `first` has precedence. */
export async function openDiff(owner: DiffOwner, path: string, first?: SessionId): Promise<void> {
  const file = owner.review?.file(path, first);
  const session = file?.session ?? owner.review?.session;
  if (session === undefined) return;
  const base = owner.base.uri(session, file?.path ?? path);
  const label = labelOf(owner.folderPath, path);
  if (isGone(file)) {
    await vscode.commands.executeCommand("vscode.open", base, { preview: true }, t("{0} (removed)", label));
    return;
  }
  const title = t("{0} (accepted ↔ now)", label);
  await vscode.commands.executeCommand("vscode.diff", base, vscode.Uri.file(path), title, {
    preview: true,
    ...columnOfFiles(),
  });
}

/** All files with open hunks in one editor. */
export async function openReview(owner: DiffOwner): Promise<void> {
  await owner.review?.refresh();
  const files = owner.review?.files ?? [];
  if (files.length === 0) {
    void vscode.window.showInformationMessage(
      t("No open hunks: the agent changed no files, or everything is decided."),
    );
    return;
  }
  const resources = files.map((file) => {
    const uri = vscode.Uri.file(file.path);
    const isNew = file.hunks.some((hunk) => hunk.kind === "file" && hunk.oldText === "");
    const base = owner.base.uri(file.session, file.path);
    return [uri, isNew && !isGone(file) ? undefined : base, isGone(file) ? undefined : uri];
  });
  await vscode.commands.executeCommand("vscode.changes", t("Open Hunks"), resources);
}

/** An editor's unsaved text against the file on disk. */
export async function compareUnsaved(owner: DiffOwner, path: string): Promise<void> {
  const disk = owner.base.diskUri(path);
  const title = t("{0} (disk ↔ unsaved)", labelOf(owner.folderPath, path));
  await vscode.commands.executeCommand("vscode.diff", disk, vscode.Uri.file(path), title);
}

function isGone(file: ReviewedFile | undefined): boolean {
  return (
    file?.hunks.some((hunk) => hunk.kind === "file" && hunk.newText === "" && hunk.oldText !== "") === true
  );
}
