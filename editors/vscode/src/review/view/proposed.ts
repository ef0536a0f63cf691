/** What an open question of permission would make of files, in VS Code's own diff editor, where the user may edit it. An answer makes it real. */
import * as fs from "node:fs/promises";
import type { Approval, FileChange } from "pintle-client";
import * as vscode from "vscode";
import { titleOf } from "../../chat/consent.ts";
import { real } from "../../documents/documents.ts";
import { columnOfFiles } from "../../documents/view/currentEditor.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { isSame, labelOf } from "../../paths.ts";
import { t } from "../../words.ts";
import { applyDiff } from "../changes.ts";
import type { ProposalFiles } from "./proposalFiles.ts";
import { approvalOf } from "./proposalFiles.ts";

/** The title where several files are shown at once; VS Code tells nothing else of such an editor. Every translation ends with the place. */
export function titleOfMany(title: string): string {
  return t("Asked: {0}", title);
}

export type ProposedOwner = HasChat &
  HasFolder & { readonly attention: { readonly proposals: ProposalFiles } };

/** Opens the change of one file, or without a path those of all. False when there is nothing that a diff could show. */
export async function openProposed(
  owner: ProposedOwner,
  approvalId: string,
  path?: string,
): Promise<boolean> {
  const approval = owner.chat?.asked.approval(approvalId, owner.chat.state);
  const all = (approval?.changes ?? []).filter(({ diff }) => diff !== "");
  const changes = path === undefined ? all : all.filter((each) => isSame(each.path, path));
  const sides: [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined][] = [];
  for (const change of changes) {
    const side = await sidesOf(owner, approval, change);
    if (side === undefined) return false;
    sides.push(side);
  }
  const [first, ...more] = sides;
  if (first === undefined || approval === undefined) return false;
  if (more.length > 0) {
    await vscode.commands.executeCommand(
      "vscode.changes",
      titleOfMany(titleOf({ kind: "approval", approval })),
      sides,
    );
    return true;
  }
  const [file, before, after] = first;
  const title = t("{0} (now ↔ asked)", labelOf(owner.folderPath, file.fsPath));
  const empty = owner.attention.proposals.show(approvalId, `${file.fsPath}.empty`, "");
  const options = { ...columnOfFiles(), preview: true, preserveFocus: true };
  await vscode.commands.executeCommand("vscode.diff", before ?? empty, after ?? empty, title, options);
  return true;
}

/** Opens one of the texts of a question, whole, in an editor. */
export async function openDetail(owner: ProposedOwner, approvalId: string, at: number): Promise<void> {
  const approval = owner.chat?.asked.approval(approvalId, owner.chat.state);
  const detail = approval?.details?.[at];
  if (detail === undefined) return;
  const name = detail.kind === "command" ? `${t("Command")}.sh` : t("Question");
  const uri = owner.attention.proposals.show(approvalId, `/${at}/${name}`, detail.text);
  await vscode.window.showTextDocument(uri, { ...columnOfFiles(), preview: true, preserveFocus: true });
}

/**
 * Closes the editors of questions that are no longer open, except for texts with unused edits. `open` holds the titles of open questions
 * by id.
 */
export async function closeProposed(owner: ProposedOwner, open: Map<string, string>): Promise<void> {
  const { proposals } = owner.attention;
  const titles = new Set([...open.values()].map(titleOfMany));
  const isStale = ({ input, label }: vscode.Tab): boolean => {
    const uris =
      input instanceof vscode.TabInputTextDiff
        ? [input.original, input.modified]
        : input instanceof vscode.TabInputText
          ? [input.uri]
          : undefined;
    if (uris === undefined) return label.startsWith(titleOfMany("")) && !titles.has(label);
    return uris.some((uri) => {
      const id = approvalOf(uri);
      return id !== undefined && !open.has(id);
    });
  };
  const isUsed = (uri: vscode.Uri): boolean => {
    const id = approvalOf(uri);
    return id !== undefined && !open.has(id) && !proposals.isLeftOver(uri);
  };
  // VS Code would ask whether to save them.
  const edited = vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && isUsed(uri));
  await Promise.all(edited.map((document) => document.save()));
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isStale);
  const done = tabs.filter(({ input }) => {
    if (!(input instanceof vscode.TabInputTextDiff) || !proposals.isLeftOver(input.modified)) return true;
    const path = proposals.tellLeftOver(input.modified);
    if (path !== undefined) warnLeftOver(labelOf(owner.folderPath, path));
    return false;
  });
  if (done.length > 0) await vscode.window.tabGroups.close(done, true);
}

function warnLeftOver(label: string): void {
  void vscode.window.showWarningMessage(
    t(
      "The question is no longer open, so your edits to {0} were not used. They stay in the diff editor until you close it.",
      label,
    ),
  );
}

async function sidesOf(
  owner: ProposedOwner,
  approval: Approval | undefined,
  { op, path, oldPath, diff }: FileChange,
): Promise<[vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined] | undefined> {
  const file = vscode.Uri.file(path);
  const before = oldPath === undefined ? file : vscode.Uri.file(oldPath);
  const text = op === "add" ? "" : await textOf(before);
  const after = applyDiff(text, diff);
  if (after === undefined) {
    void vscode.window.showWarningMessage(
      t(
        "{0} has changed since the agent asked; the chat shows the original question.",
        labelOf(owner.folderPath, path),
      ),
    );
    return undefined;
  }
  const id = approval?.approvalId;
  if (id === undefined || op === "delete") return [file, before, undefined];
  const isEditable = approval?.editable === true && owner.chat?.asked.canAnswer(id) === true;
  const proposed = owner.attention.proposals.show(id, file.fsPath, after, isEditable ? path : undefined);
  return [file, op === "add" ? undefined : before, proposed];
}

/** The text that an editor shows, saved or not; else that of the disk. */
async function textOf(uri: vscode.Uri): Promise<string> {
  const wanted = real(uri.fsPath);
  const isIt = ({ uri: each }: vscode.TextDocument): boolean =>
    each.scheme === "file" && isSame(real(each.fsPath), wanted);
  const document = vscode.workspace.textDocuments.find(isIt);
  if (document?.isDirty === true) return document.getText();
  return fs.readFile(uri.fsPath, "utf8").catch(() => "");
}
