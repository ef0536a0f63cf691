/**
 * Knows which files changed on disk under an editor with unsaved text, as commands of the agent do it: VS Code keeps the text, and
 * here it is only noticed, so that the view can say so.
 */
import * as fs from "node:fs";
import * as vscode from "vscode";

export class Unsaved {
  readonly #changed: () => void;
  /** When the files of unsaved documents were written last, as the documents know it. */
  readonly #writtenMs = new Map<string, number>();
  readonly #paths = new Set<string>();
  readonly #disposables: vscode.Disposable[];

  constructor(changed: () => void) {
    this.#changed = changed;
    this.#disposables = [
      vscode.workspace.onDidSaveTextDocument((document) => this.#settled(document)),
      // A notebook's cells, and files on a diff's left side, have the same path.
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === "file") this.#forget(uri.fsPath);
      }),
      // A revert comes as a change that leaves the document clean.
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#look(document)),
      vscode.workspace.onDidSaveNotebookDocument(({ uri }) => this.#forget(uri.fsPath)),
      vscode.workspace.onDidCloseNotebookDocument(({ uri }) => this.#forget(uri.fsPath)),
      vscode.workspace.onDidChangeNotebookDocument(({ notebook }) => this.#lookAtNotebook(notebook)),
    ];
    for (const document of vscode.workspace.textDocuments) this.#look(document);
    for (const notebook of vscode.workspace.notebookDocuments) this.#lookAtNotebook(notebook);
  }

  get paths(): string[] {
    return [...this.#paths];
  }

  /** The agent has done something: files may have been written. */
  check(): void {
    let isNew = false;
    const clean = new Set(
      vscode.workspace.notebookDocuments.filter(({ isDirty }) => !isDirty).map(({ uri }) => uri.fsPath),
    );
    for (const [path, knownMs] of this.#writtenMs) {
      if (this.#paths.has(path) || writtenMs(path) === knownMs || clean.has(path)) continue;
      this.#paths.add(path);
      isNew = true;
    }
    if (isNew) this.#changed();
  }

  reset(): void {
    this.#paths.clear();
  }

  dispose(): void {
    for (const each of this.#disposables) each.dispose();
  }

  #look(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file") return;
    const path = document.uri.fsPath;
    if (!document.isDirty) this.#forget(path);
    else if (!this.#writtenMs.has(path)) this.#writtenMs.set(path, writtenMs(path));
  }

  /** VS Code marks a notebook as unsaved only after its first change, so a clean one that has changed may become unsaved. */
  #lookAtNotebook({ uri, isDirty }: vscode.NotebookDocument): void {
    if (uri.scheme !== "file") return;
    const path = uri.fsPath;
    if (isDirty && this.#writtenMs.has(path)) return;
    // A revert is a change that leaves it clean.
    this.#forget(path);
    this.#writtenMs.set(path, writtenMs(path));
  }

  /** It was written, and may have been typed into meanwhile. */
  #settled(document: vscode.TextDocument): void {
    this.#forget(document.uri.fsPath);
    this.#look(document);
  }

  #forget(path: string): void {
    this.#writtenMs.delete(path);
    if (this.#paths.delete(path)) this.#changed();
  }
}

/** 0 where there is no file, or none that can be looked at. */
function writtenMs(path: string): number {
  try {
    return fs.statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
