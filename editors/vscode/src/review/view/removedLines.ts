/** Draws removed lines behind the lines that replaced them. */
import * as vscode from "vscode";
import { t } from "../../words.ts";
import type { Place } from "../hunks.ts";
import { ghostsOf } from "../removed.ts";

const SETTING = "pintle.removedLines";

export class RemovedLines {
  readonly #type = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor("editor.foreground"),
      backgroundColor: new vscode.ThemeColor("diffEditor.removedLineBackground"),
      textDecoration: "line-through",
      margin: "0 0 0 2em",
    },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });

  draw(editor: vscode.TextEditor, places: Place[]): void {
    const isOn = vscode.workspace.getConfiguration().get<boolean>(SETTING) !== false;
    const { document } = editor;
    const decorations = (isOn ? ghostsOf(places) : []).map(({ row, text, hover: lines }) => {
      const line = document.lineAt(Math.min(row, document.lineCount - 1));
      const hover = new vscode.MarkdownString(`${t("Removed lines:")}\n`);
      hover.appendCodeblock(lines.join("\n"), "diff");
      return {
        range: new vscode.Range(line.range.end, line.range.end),
        hoverMessage: hover,
        renderOptions: { after: { contentText: text } },
      };
    });
    editor.setDecorations(this.#type, decorations);
  }

  /** Whether a settings change affects them. */
  isMeant(event: vscode.ConfigurationChangeEvent): boolean {
    return event.affectsConfiguration(SETTING);
  }

  dispose(): void {
    this.#type.dispose();
  }
}
