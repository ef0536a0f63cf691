/** Notebooks as text, and what is selected in them. The file on disk is JSON, which does not have the cells' unsaved text. Pure. */
import type { Shown } from "../chat/input.ts";

export interface Cell {
  language: string;
  text: string;
}

export interface ShownNotebook {
  path: string;
  dirty: boolean;
  cells: Cell[];
  /** The selected cells, from 0; the end is excluded. */
  range: { start: number; end: number };
  /** Selected text in a cell; lines from 0. */
  selection:
    { cell: number; startLine: number; endLine: number; endColumn: number; text: string } | undefined;
}

/** The first line of a selection in a notebook. */
const MARK = /^# (?:all cells$|cell (\d+)(?: to (\d+))?\b)/;

function cellText({ language, text }: Cell, number: number): string {
  return `# cell ${number} (${language})\n${text}`;
}

function textOf(cells: Cell[], first = 0): string {
  return cells.map((each, at) => cellText(each, first + at + 1)).join("\n\n");
}

/** A notebook in the form of a file. Text in a cell is selected, or several cells; a single cell is selected all the time. */
export function shownNotebook({ path, dirty, cells, range, selection }: ShownNotebook): Shown {
  const text = `# all cells\n${textOf(cells)}`;
  const shown = { path, text, dirty, diagnostics: [] };
  if (selection !== undefined && selection.text !== "") {
    const { cell, startLine, endLine, endColumn } = selection;
    const language = cells[cell]?.language ?? "";
    const marked = `# cell ${cell + 1} (${language}), lines of the cell\n${selection.text}`;
    return { ...shown, selected: { startLine, endLine, endColumn, text: marked } };
  }
  const some = cells.slice(range.start, range.end);
  const several =
    some.length < 2 ? "" : `# cell ${range.start + 1} to ${range.end}\n${textOf(some, range.start)}`;
  const endLine = several.split("\n").length - 1;
  return { ...shown, selected: { startLine: 0, endLine, endColumn: 1, text: several } };
}

/** The numbers of the cells that a selection is in; empty for all of them, undefined for other files. */
export function cellsOf(path: string, text: string): string | undefined {
  const mark = path.endsWith(".ipynb") ? MARK.exec(text.slice(0, text.indexOf("\n"))) : null;
  if (mark === null) return undefined;
  const [, first, last] = mark;
  return [first, last].filter((each) => each !== undefined).join("–");
}
