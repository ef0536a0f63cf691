/** VS Code's door to the extension: it makes the one owner of everything, and ends it. */
import * as vscode from "vscode";
import { Extension } from "./root.ts";
import { ENGLISH, setWords } from "./words.ts";

let extension: Extension | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const texts = vscode.l10n.bundle;
  setWords(texts === undefined ? ENGLISH : { language: vscode.env.language, texts });
  extension = new Extension(context);
}

/** VS Code waits a few seconds for this: enough for the engine to end in order. */
export async function deactivate(): Promise<void> {
  await extension?.dispose();
  extension = undefined;
}
