/** What an editor shows, as plain values. */
import * as vscode from "vscode";
import type { Shown } from "../input.ts";

export function shown(editor: vscode.TextEditor): Shown {
  const { document, selection } = editor;
  const severities = ["error", "warning", "information", "hint"] as const;
  const diagnostics = vscode.languages.getDiagnostics(document.uri).map((each) => ({
    line: each.range.start.line + 1,
    severity: severities[each.severity] ?? "information",
    message: each.message,
    ...(each.source === undefined ? {} : { source: each.source }),
  }));
  return {
    path: document.uri.scheme === "file" ? document.uri.fsPath : document.uri.toString(true),
    text: document.getText(),
    isDirty: document.isDirty || document.uri.scheme !== "file",
    selected: {
      startLine: selection.start.line,
      endLine: selection.end.line,
      endColumn: selection.end.character,
      text: document.getText(selection),
    },
    diagnostics,
  };
}
