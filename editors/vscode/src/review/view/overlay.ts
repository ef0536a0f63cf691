/**
 * Open hunks in the editors of their files: a light background, and above each hunk what can be decided about it.
 *
 * It draws what the review says; deciding is done in `reviewCommands.ts`.
 */
import * as vscode from "vscode";
import type { HasReview } from "../../owner.ts";
import { t } from "../../words.ts";
import type { Place } from "../hunks.ts";
import { countsOf, stateWord } from "../hunks.ts";
import { HunkBar } from "./hunkBar.ts";
import { RemovedLines } from "./removedLines.ts";

/** So long after the last key hunks are placed anew. */
const SETTLE_MS = 60;
/** VS Code is told again after so long that the lenses have changed, where it has not asked for them; each further wait is twice as long. */
const AGAIN_MS = 500;
/** VS Code is told again so often at most: an editor whose lenses are off never asks. */
const MOST_AGAIN = 6;
/** Characters of a comment above a hunk. */
const MOST_COMMENT = 80;

interface Placed {
  version: number;
  generation: number;
  places: Place[];
}

export class Overlay implements vscode.CodeLensProvider {
  readonly #owner: HasReview;
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly #changedLines: vscode.TextEditorDecorationType;
  readonly #deletedLines: vscode.TextEditorDecorationType;
  readonly #placed = new WeakMap<vscode.TextDocument, Placed>();
  readonly #removed = new RemovedLines();
  readonly #bar = new HunkBar();
  readonly #disposables: vscode.Disposable[];
  #timer: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  /** The number of times that VS Code has asked about a document since it was told last; each of its editors asks for itself. */
  #asked = new WeakMap<vscode.TextDocument, number>();
  readonly onDidChangeCodeLenses = this.#lenses.event;

  constructor(owner: HasReview) {
    this.#owner = owner;
    this.#changedLines = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
      overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.modifiedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    this.#deletedLines = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
      borderStyle: "solid",
      borderWidth: "1px 0 0 0",
      overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.deletedForeground"),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    });
    this.#disposables = [
      this.#lenses,
      this.#changedLines,
      this.#deletedLines,
      this.#removed,
      this.#bar,
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (this.#removed.isMeant(event)) this.#draw();
      }),
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      vscode.window.onDidChangeTextEditorSelection(() => this.#mark()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#mark()),
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.#shown(editors)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (owner.review?.file(document.uri.fsPath) !== undefined) this.#schedule();
      }),
      // What a person has saved may be a part of a hunk by now.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (owner.review?.file(uri.fsPath) !== undefined) void owner.review.refresh();
      }),
    ];
  }

  /** The hunks of a document as its text stands now, from top to bottom. */
  places(document: vscode.TextDocument): Place[] {
    const { review } = this.#owner;
    if (review === undefined || document.uri.scheme !== "file") return [];
    const known = this.#placed.get(document);
    const { generation } = review;
    if (known?.version === document.version && known.generation === generation) return known.places;
    const places =
      review.file(document.uri.fsPath) === undefined
        ? []
        : review.places(document.uri.fsPath, document.getText());
    this.#placed.set(document, { version: document.version, generation, places });
    return places;
  }

  /** The review has another answer. */
  changed(): void {
    this.#tell();
    this.#tellAgain(1);
    this.#draw();
  }

  #tell(): void {
    this.#asked = new WeakMap();
    this.#lenses.fire();
  }

  /**
   * Tells VS Code again that the lenses have changed, while an editor has not asked. An editor forgets to ask when the keyboard leaves it
   * before its wait is over; that wait is as long as the slowest extension's lenses take.
   */
  #tellAgain(time: number): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(
      () => {
        const documents = vscode.window.visibleTextEditors.map(({ document }) => document);
        const isForgotten = documents.some((document) => {
          const editors = documents.filter((each) => each === document).length;
          return document.uri.scheme === "file" && (this.#asked.get(document) ?? 0) < editors;
        });
        if (!isForgotten) return;
        this.#tell();
        if (time < MOST_AGAIN) this.#tellAgain(time + 1);
      },
      AGAIN_MS * 2 ** (time - 1),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    this.#asked.set(document, (this.#asked.get(document) ?? 0) + 1);
    return this.places(document).flatMap(({ hunk, row }, at, all) => {
      const line = Math.min(row, document.lineCount - 1);
      const lens = (title: string, command = "", tooltip = ""): vscode.CodeLens =>
        new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
          title,
          command,
          tooltip,
          arguments: [{ hunk: hunk.id, changedSeq: hunk.changedSeq, waiting: hunk.waiting }],
        });
      const word = stateWord(hunk);
      const state = word === "" ? "" : ` (${word})`;
      const lenses = [
        lens(t("Keep"), "pintle.keep", t("Accept this hunk")),
        lens(t("Undo"), "pintle.undo", t("Undo this hunk")),
        lens(t("Comment"), "pintle.comment", t("Your comment; the model reads it at its next turn")),
        lens(`${countsOf(hunk)}${state}${all.length < 2 ? "" : ` · ${t("{0} of {1}", at + 1, all.length)}`}`),
      ];
      if (hunk.waiting !== undefined) {
        // The verb first: an editor cuts long lenses off.
        lenses.push(lens(t("Withdraw"), "pintle.revertDecision", t("Withdraw the waiting decision")));
        lenses.push(lens(t("a decision is waiting for the running call to end")));
      }
      for (const { text } of hunk.comments ?? []) lenses.push(lens(`» ${short(text)}`, "", text));
      return lenses;
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#again);
    for (const each of this.#disposables) each.dispose();
  }

  /** A file came into an editor: its hunks are placed once its baseline is there. */
  #shown(editors: readonly vscode.TextEditor[]): void {
    const { review } = this.#owner;
    const isNew = editors.some(({ document }) => {
      const file = document.uri.scheme === "file" ? review?.file(document.uri.fsPath) : undefined;
      return file !== undefined && file.baseline === undefined;
    });
    if (isNew) void review?.refresh();
    else this.#draw();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.changed(), SETTLE_MS);
  }

  #draw(): void {
    const files: string[] = [];
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (document.uri.scheme !== "file") continue;
      const places = this.places(document);
      if (places.length > 0) files.push(document.uri.fsPath);
      this.#removed.draw(editor, places);
      const changed = places.filter((each) => each.count > 0);
      const deleted = places.filter((each) => each.count === 0);
      const range = (row: number, count: number): vscode.Range => {
        const last = document.lineCount - 1;
        return new vscode.Range(Math.min(row, last), 0, Math.min(row + Math.max(count, 1) - 1, last), 0);
      };
      editor.setDecorations(
        this.#changedLines,
        changed.map(({ row, count }) => range(row, count)),
      );
      editor.setDecorations(
        this.#deletedLines,
        deleted.map(({ row, count }) => range(row, count)),
      );
    }
    this.#bar.files(files);
    this.#mark();
  }

  /** Keys for hunks hold where there is one. */
  #mark(): void {
    const editor = vscode.window.activeTextEditor;
    const places = editor === undefined ? [] : this.places(editor.document);
    this.#bar.update(places, editor?.selection.active.line ?? 0);
  }
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= MOST_COMMENT ? line : `${line.slice(0, MOST_COMMENT)}…`;
}
