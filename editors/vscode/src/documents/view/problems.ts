/** Hands what VS Code finds wrong to the chat. */
import * as vscode from "vscode";
import type { HasChat, HasFolder } from "../../owner.ts";
import { Diagnostics } from "../diagnostics.ts";

export class Problems {
  readonly #diagnostics: Diagnostics;
  readonly #subscription: vscode.Disposable;

  constructor(owner: HasChat & HasFolder) {
    this.#diagnostics = new Diagnostics(
      () => owner.folderPaths,
      read,
      (report) => {
        for (const each of owner.chat?.sessions ?? []) if (each.isOpen) each.report(report);
      },
    );
    this.#subscription = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (owner.folder === undefined || (owner.chat?.sessions ?? []).length === 0) return;
      this.#diagnostics.changed(uris.filter((uri) => uri.scheme === "file").map((uri) => uri.fsPath));
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#diagnostics.dispose();
  }
}

function read(path: string): ReturnType<ConstructorParameters<typeof Diagnostics>[1]> {
  const uri = vscode.Uri.file(path);
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  const items = vscode.languages.getDiagnostics(uri).map((each) => ({
    startLine: each.range.start.line,
    endLine: each.range.end.line,
    severity: each.severity,
    message: each.message,
    source: each.source,
    code: each.code,
  }));
  return { items, version: open?.version };
}
