/** The notebook in the active editor. Its cells are documents, and an editor of a cell is a text editor. */
import * as vscode from "vscode";
import type { Shown } from "../../chat/input.ts";
import { shown } from "../../machine.ts";
import { shownNotebook } from "../notebooks.ts";
import { currentEditor } from "./currentEditor.ts";

/** What the active editor shows, of a file or a notebook. */
export function shownNow(): Shown | undefined {
  const notebook = currentNotebook();
  if (notebook !== undefined) return ofNotebook(notebook);
  const editor = currentEditor();
  return editor === undefined ? undefined : shown(editor);
}

/** The notebook editor that is active, of a file. */
export function currentNotebook(): vscode.NotebookEditor | undefined {
  const { activeNotebookEditor: editor } = vscode.window;
  return editor?.notebook.uri.scheme === "file" ? editor : undefined;
}

function ofNotebook({ notebook, selections }: vscode.NotebookEditor): Shown {
  const cells = notebook.getCells();
  const inCells = vscode.window.visibleTextEditors.filter(
    ({ document, selection }) => !selection.isEmpty && cells.some((each) => each.document === document),
  );
  const { activeTextEditor } = vscode.window;
  const editor = inCells.find((each) => each === activeTextEditor) ?? inCells[0];
  const { start, end } = editor?.selection ?? new vscode.Selection(0, 0, 0, 0);
  return shownNotebook({
    path: notebook.uri.fsPath,
    dirty: notebook.isDirty,
    cells: cells.map(({ document }) => ({ language: document.languageId, text: document.getText() })),
    range: selections[0] ?? { start: 0, end: 0 },
    selection:
      editor === undefined
        ? undefined
        : {
            cell: cells.findIndex((each) => each.document === editor.document),
            startLine: start.line,
            endLine: end.line,
            endColumn: end.character,
            text: editor.document.getText(editor.selection),
          },
  });
}
