/** VS Code's door to the extension: it makes the one owner of everything, and ends it. */
import type * as vscode from "vscode";
import { Extension } from "./root.ts";

let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext): void {
  extension = new Extension(context);
}

/** VS Code waits a few seconds for this: enough for the engine to end in order. */
export async function deactivate(): Promise<void> {
  await extension?.dispose();
  extension = undefined;
}
