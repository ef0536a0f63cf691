/** VS Code's documents for the engine: what happens to them is told, and what the engine edits is done in them. */
import type { ApplyEditParams, DocumentChange } from "pintle-client";
import * as vscode from "vscode";
import type { HasChat, HasFolder, HasLog } from "../../owner.ts";
import { isSame, labelOf } from "../../paths.ts";
import { t } from "../../words.ts";
import type { Editor, OpenDocument } from "../documents.ts";

export class OpenDocuments implements Editor {
  readonly #owner: HasChat & HasFolder & HasLog;
  readonly #disposables: vscode.Disposable[];

  constructor(owner: HasChat & HasFolder & HasLog) {
    this.#owner = owner;
    const changed = (document: vscode.TextDocument, changes?: DocumentChange[]): void => {
      if (isFile(document)) owner.chat?.documents.changed(opened(document), changes);
    };
    this.#disposables = [
      vscode.workspace.onDidOpenTextDocument((document) => changed(document)),
      vscode.workspace.onDidSaveTextDocument((document) => changed(document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) =>
        changed(document, contentChanges.map(toChange)),
      ),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === "file") owner.chat?.documents.closed(document.uri.fsPath);
      }),
    ];
  }

  documents(): OpenDocument[] {
    return vscode.workspace.textDocuments.filter(isFile).map(opened);
  }

  async apply(params: ApplyEditParams): Promise<boolean> {
    const all = new vscode.WorkspaceEdit();
    for (const { path, changes } of params.edits) {
      const document = find(path);
      if (document === undefined) return false;
      for (const { range, text } of changes) {
        const { start, end } = range;
        // What lies beyond the end of a line or of the text means that end.
        const where = document.validateRange(
          new vscode.Range(start.line, start.character, end.line, end.character),
        );
        all.replace(document.uri, where, text);
      }
    }
    return vscode.workspace.applyEdit(all);
  }

  async save(path: string): Promise<boolean> {
    const document = find(path);
    return document !== undefined && (await document.save());
  }

  refused(path: string, why: string): void {
    const text = t("{0}: the agent sees only saved text ({1}).", labelOf(this.#owner.folderPath, path), why);
    this.#owner.log.warn(text);
    void vscode.window.showWarningMessage(text);
  }

  dispose(): void {
    for (const each of this.#disposables) each.dispose();
  }
}

function isFile(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" && !document.isClosed;
}

function find(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((each) => isFile(each) && isSame(each.uri.fsPath, path));
}

/** A document as it stands now. */
function opened(document: vscode.TextDocument): OpenDocument {
  return {
    path: document.uri.fsPath,
    version: document.version,
    dirty: document.isDirty,
    eol: document.eol,
    text: () => document.getText(),
  };
}

function toChange({ range, text }: vscode.TextDocumentContentChangeEvent): DocumentChange {
  const { start, end } = range;
  return {
    range: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    text,
  };
}
