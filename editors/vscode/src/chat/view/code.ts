/** What a person does with links and code of messages: opens files at lines, copies, inserts, applies. */
import * as path from "node:path";
import * as vscode from "vscode";
import { columnOfFiles, currentEditor } from "../../documents/view/currentEditor.ts";
import type { HasFolder } from "../../owner.ts";
import { isAbsolute, withSlashes } from "../../paths.ts";
import { applyPatch } from "../../review/changes.ts";
import { t } from "../../words.ts";
import { fileOfCode, readLink } from "../links.ts";

/** Opens what a link leads to: an address outside, a file in an editor. */
export async function openLink(owner: HasFolder, href: string): Promise<void> {
  const link = readLink(href);
  if (link === undefined) {
    void vscode.window.showWarningMessage(t("Could not open the link: {0}", href));
    return;
  }
  if (link.kind === "address") {
    await vscode.env.openExternal(vscode.Uri.parse(link.address, true));
    return;
  }
  const uri = await find(owner, link.path);
  if (uri === undefined) {
    void vscode.window.showWarningMessage(t("No such file in this workspace: {0}", link.path));
    return;
  }
  const { line, column = 1, end = line } = link;
  const selection =
    line === undefined || end === undefined
      ? undefined
      : new vscode.Range(line - 1, column - 1, end - 1, end === line ? column - 1 : Number.MAX_SAFE_INTEGER);
  const options = { ...columnOfFiles(), ...(selection === undefined ? {} : { selection }) };
  await vscode.commands.executeCommand("vscode.open", uri, options);
}

/** A file by its path, which may be whole, from a folder of the workspace, or its end. */
async function find(owner: HasFolder, name: string): Promise<vscode.Uri | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath);
  const candidates = isAbsolute(name)
    ? [name]
    : [owner.folderPath, ...folders].map((folder) => path.join(folder, name));
  for (const each of candidates) {
    const uri = vscode.Uri.file(each);
    const isThere = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (isThere) return uri;
  }
  if (isAbsolute(name) || name.includes("..")) return undefined;
  const [found] = await vscode.workspace.findFiles(
    `**/${withSlashes(name).replaceAll(/[[\]{}*?]/g, "?")}`,
    undefined,
    1,
  );
  return found;
}

/** Puts code where the cursor is, in the editor that was used last. */
export async function insertCode(text: string): Promise<void> {
  const editor = currentEditor() ?? vscode.window.visibleTextEditors[0];
  if (editor === undefined) {
    void vscode.window.showInformationMessage(t("Open the file for this code and place the cursor in it."));
    return;
  }
  await editor.edit((edit) => {
    for (const each of editor.selections) edit.replace(each, text);
  });
  await vscode.window.showTextDocument(editor.document, editor.viewColumn);
}

/**
 * Puts code into a file, as one step that can be undone and is not saved: a patch into the file that it names, any other code in place of
 * what is selected. The whole of a file is replaced only after a question.
 */
export async function applyCode(owner: HasFolder, text: string, info: string): Promise<void> {
  const named = fileOfCode(text, info);
  const found = named === undefined ? currentEditor()?.document.uri : await find(owner, named);
  const isNew = named !== undefined && found === undefined;
  const target = isNew ? newFile(owner, named) : found;
  if (target === undefined) {
    void vscode.window.showInformationMessage(t("Open the file for this code, then apply it."));
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  if (isNew) edit.createFile(target, { contents: Buffer.from(`${text}\n`) });
  else {
    const change = await changeOf(await vscode.workspace.openTextDocument(target), text);
    if (change === undefined) return;
    edit.replace(target, change.range, change.text);
  }
  if (await vscode.workspace.applyEdit(edit)) await vscode.window.showTextDocument(target);
}

/** Where a file that does not exist yet is created; undefined without a folder. */
function newFile({ folder }: HasFolder, name: string): vscode.Uri | undefined {
  if (isAbsolute(name)) return vscode.Uri.file(name);
  return folder && vscode.Uri.joinPath(folder.uri, withSlashes(name));
}

interface Replacement {
  range: vscode.Range;
  text: string;
}

/** What the code replaces; undefined where it does not fit, or the person says no. */
async function changeOf(document: vscode.TextDocument, text: string): Promise<Replacement | undefined> {
  const label = vscode.workspace.asRelativePath(document.uri);
  const range = new vscode.Range(0, 0, document.lineCount, 0);
  const patch = text.search(/^@@ -\d/m);
  if (patch >= 0) {
    const patched = applyPatch(document.getText(), `${text.slice(patch)}\n`);
    if (patched !== undefined) return { range, text: patched };
    void vscode.window.showWarningMessage(t("The patch does not apply to the current {0}.", label));
    return undefined;
  }
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  if (editor !== undefined && !editor.selection.isEmpty) return { range: editor.selection, text };
  const question = t("Nothing is selected in {0}. Replace the whole file with this code?", label);
  const answer = await vscode.window.showWarningMessage(question, { modal: true }, t("Replace All"));
  return answer === undefined ? undefined : { range, text: `${text}\n` };
}
