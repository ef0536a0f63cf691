/** VS Code's own diff editors over files as a person accepted them last. */
import * as vscode from "vscode";
import { labelOf } from "../project.ts";
import type { ReviewedFile } from "../review.ts";
import type { Extension } from "../root.ts";

/** A file as it was accepted last, against the file itself. */
export async function openDiff(extension: Extension, path: string): Promise<void> {
  const session = extension.review?.session;
  if (session === undefined) return;
  const file = extension.review?.file(path);
  const base = extension.base.uri(session, file?.path ?? path);
  const label = labelOf(extension.folderPath, path);
  if (isGone(file)) {
    await vscode.commands.executeCommand("vscode.open", base, { preview: true }, `${label} (removed)`);
    return;
  }
  const title = `${label} (accepted ↔ now)`;
  await vscode.commands.executeCommand("vscode.diff", base, vscode.Uri.file(path), title, { preview: true });
}

/** All files with open hunks in one editor. */
export async function openReview(extension: Extension): Promise<void> {
  await extension.review?.refresh();
  const files = extension.review?.files ?? [];
  const session = extension.review?.session;
  if (files.length === 0 || session === undefined) {
    void vscode.window.showInformationMessage(
      "Nothing is open: the agent changed no file, or all of it is decided.",
    );
    return;
  }
  const resources = files.map((file) => {
    const uri = vscode.Uri.file(file.path);
    const isNew = file.hunks.some((hunk) => hunk.kind === "file" && hunk.oldText === "");
    const base = extension.base.uri(session, file.path);
    return [uri, isNew && !isGone(file) ? undefined : base, isGone(file) ? undefined : uri];
  });
  await vscode.commands.executeCommand("vscode.changes", "Open Hunks", resources);
}

/** An editor's unsaved text against the file on disk. */
export async function compareUnsaved(extension: Extension, path: string): Promise<void> {
  const disk = extension.base.diskUri(path);
  const title = `${labelOf(extension.folderPath, path)} (disk ↔ unsaved)`;
  await vscode.commands.executeCommand("vscode.diff", disk, vscode.Uri.file(path), title);
}

function isGone(file: ReviewedFile | undefined): boolean {
  return (
    file?.hunks.some((hunk) => hunk.kind === "file" && hunk.newText === "" && hunk.oldText !== "") === true
  );
}
