/** The editor that a chat refers to, and where a chat opens files. A chat in an editor tab is not an editor of text, and stays in sight. */
import * as vscode from "vscode";

/** The active text editor; while a chat's tab is active, one that is visible next to it. */
export function currentEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  if (activeTextEditor !== undefined || !isChatActive()) return activeTextEditor;
  return visibleTextEditors.find(({ document }) => document.uri.scheme === "file");
}

/** Opens next to a chat whose tab is active, else in the active group. */
export function columnOfFiles(): { viewColumn?: vscode.ViewColumn } {
  if (!isChatActive()) return {};
  return { viewColumn: currentEditor()?.viewColumn ?? vscode.ViewColumn.Beside };
}

function isChatActive(): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith("pintle.chatEditor");
}
