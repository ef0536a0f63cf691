/** Asks for an MCP server and writes it to the project's `.mcp.json`, in an editor: what is saved was seen. */
import * as vscode from "vscode";
import type { HasChat, HasFolder } from "../../owner.ts";
import { t } from "../../words.ts";
import type { ServerEntry } from "../add.ts";
import { AddError, entryOf, nameFor, nameProblem, withServer } from "../add.ts";

export async function addServer(owner: HasChat & HasFolder): Promise<void> {
  const { folder } = owner;
  if (folder === undefined) {
    void vscode.window.showInformationMessage(
      t("Open a folder first: the server is added to its .mcp.json."),
    );
    return;
  }
  const file = vscode.Uri.joinPath(folder.uri, ".mcp.json");
  try {
    const document = await existing(file);
    const text = document?.getText() ?? "";
    // A file that cannot be read is reported before any question.
    nameProblem(text, "-");
    const line = await vscode.window.showInputBox({
      title: t("Add MCP Server (1/2)"),
      prompt: t("The server's command with its arguments, or its address"),
      placeHolder: t("uvx mcp-server-time, or https://mcp.example.com/mcp"),
      ignoreFocusOut: true,
      validateInput: (given) => reason(() => entryOf(given)),
    });
    if (line === undefined) return;
    const entry = entryOf(line);
    const name = await vscode.window.showInputBox({
      title: t("Add MCP Server (2/2)"),
      prompt: t("A name, which becomes a part of its tools' names"),
      value: nameFor(entry),
      ignoreFocusOut: true,
      validateInput: (given) => nameProblem(text, given.trim()),
    });
    if (name !== undefined) await write(owner, file, name.trim(), entry);
  } catch (error) {
    if (!(error instanceof AddError)) throw error;
    void vscode.window.showErrorMessage(t("Could not add the MCP server: {0}", error.message));
  }
}

function reason(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AddError) return error.message;
    throw error;
  }
}

const open = (file: vscode.Uri): Thenable<vscode.TextDocument> => vscode.workspace.openTextDocument(file);

async function existing(file: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    await vscode.workspace.fs.stat(file);
  } catch {
    return undefined;
  }
  return open(file);
}

/** Changes the file in an editor, and saves it when the user agrees. */
async function write({ chat }: HasChat, file: vscode.Uri, name: string, entry: ServerEntry): Promise<void> {
  // A new file is on disk only once the user has saved it.
  const document = (await existing(file)) ?? (await open(file.with({ scheme: "untitled" })));
  const before = document.getText();
  const all = new vscode.Range(document.positionAt(0), document.positionAt(before.length));
  const change = new vscode.WorkspaceEdit();
  change.replace(document.uri, all, withServer(before, name, entry));
  await vscode.workspace.applyEdit(change);
  await vscode.window.showTextDocument(document);
  const save = t("Save and Review");
  const said = t("The MCP server {0} is in .mcp.json. It starts once the file is saved and reviewed.", name);
  if ((await vscode.window.showInformationMessage(said, save)) !== save || !(await document.save())) return;
  // A new session uses the files that it finds in a folder that VS Code trusts.
  if (chat?.session !== undefined) await vscode.commands.executeCommand("pintle.reviewProjectFiles");
}
