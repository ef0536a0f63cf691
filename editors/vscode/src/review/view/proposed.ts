/** What an open question of permission would make of files, in VS Code's own diff editor. Read only: an answer makes it real. */
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
import type { BaseFiles } from "./baseFiles.ts";
import { BASE_SCHEME } from "./baseFiles.ts";

/** The title where several files are shown at once; VS Code tells nothing else of such an editor. Every translation ends with the place. */
export function titleOfMany(title: string): string {
  return t("Asked: {0}", title);
}

export type ProposedOwner = HasChat & HasFolder & { readonly base: BaseFiles };

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
    const side = await sidesOf(owner, approvalId, change);
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
  const empty = owner.base.propose(approvalId, `${file.fsPath}.empty`, "");
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
  const uri = owner.base.propose(approvalId, `/${at}/${name}`, detail.text);
  await vscode.window.showTextDocument(uri, { ...columnOfFiles(), preview: true, preserveFocus: true });
}

/** Closes what was opened for questions that are no longer open. `open` holds the titles of those that are, by id. */
export async function closeProposed(open: Map<string, string>): Promise<void> {
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
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(isStale);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

/** The question that a text belongs to. */
export function approvalOf(uri: vscode.Uri): string | undefined {
  if (uri.scheme !== BASE_SCHEME) return undefined;
  try {
    const { approval } = JSON.parse(uri.query) as { approval?: unknown };
    return typeof approval === "string" ? approval : undefined;
  } catch {
    return undefined;
  }
}

async function sidesOf(
  owner: ProposedOwner,
  approvalId: Approval["approvalId"],
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
  const proposed = op === "delete" ? undefined : owner.base.propose(approvalId, file.fsPath, after);
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
