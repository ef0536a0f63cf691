/**
 * Knows which files changed on disk under an editor with unsaved text. The engine writes to the disk only, and VS Code
 * keeps the unsaved text: here it is only noticed, so that the view can say so.
 */
import * as vscode from "vscode";

export class Unsaved {
  readonly #changed: () => void;
  readonly #paths = new Set<string>();
  readonly #disposables: vscode.Disposable[];

  constructor(changed: () => void) {
    this.#changed = changed;
    const settled = (document: vscode.TextDocument): void => {
      if (!document.isDirty && this.#paths.delete(document.uri.fsPath)) this.#changed();
    };
    this.#disposables = [
      vscode.workspace.onDidSaveTextDocument(settled),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.#paths.delete(document.uri.fsPath)) this.#changed();
      }),
      // A revert comes as a change that leaves the document clean.
      vscode.workspace.onDidChangeTextDocument(({ document }) => settled(document)),
    ];
  }

  get paths(): string[] {
    return [...this.#paths];
  }

  /** The agent wrote the file. */
  changedOnDisk(path: string): void {
    const isDirty = vscode.workspace.textDocuments.some(
      (document) => document.isDirty && document.uri.scheme === "file" && document.uri.fsPath === path,
    );
    if (!isDirty || this.#paths.has(path)) return;
    this.#paths.add(path);
    this.#changed();
  }

  reset(): void {
    this.#paths.clear();
  }

  dispose(): void {
    for (const each of this.#disposables) each.dispose();
  }
}
