/** What VS Code asks of the extension, and reports to it, while no chat is open. */
import * as vscode from "vscode";
import { recordTerminals } from "../../chat/view/terminals.ts";
import { registerConfigFile } from "../../settings/view/configFile.ts";
import { registerCodeActions } from "./editorActions.ts";

export function registerProviders(extensionPath: string): vscode.Disposable {
  return vscode.Disposable.from(registerCodeActions(), registerConfigFile(extensionPath), recordTerminals());
}
