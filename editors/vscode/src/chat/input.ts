/** Messages of a person: what is attached, notes on lines as one message, and how a message is shown again. Pure. */
import type { Diagnostic, Input, LineRange } from "pintle-client";
import { cellsOf } from "../documents/notebooks.ts";
import { nameOf } from "../transcript/toolParts.ts";
import { plural, t } from "../words.ts";
import { sourceChip } from "./sources.ts";

export function textOfInput(content: Input[]): string {
  return content.map(line).join("\n");
}

function line(input: Input): string {
  switch (input.type) {
    case "text":
      return input.text;
    case "file":
      return `[${place(input.path, input.range)}]`;
    case "selection": {
      const source = sourceChip(input);
      return source === undefined
        ? t("[selection of {0}]", place(input.path, input.range))
        : `[${source.label}]`;
    }
    case "diagnostics":
      return plural(input.items.length, "[{0} diagnostic of {1}]", "[{0} diagnostics of {1}]", input.path);
    case "image":
      return t("[image]");
    case "document":
      return `[${input.name}]`;
  }
}

/** An attachment as a chip. */
export interface Chip {
  icon: string;
  /** Short name. */
  label: string;
  title: string;
}

/** Maximum length of a label, in characters. */
const MOST_LABEL = 32;

export function chipOf(input: Input): Chip {
  const title = line(input).replace(/^\[|\]$/g, "");
  switch (input.type) {
    case "file":
      return { icon: "file", label: middle(`${nameOf(input.path)}${rangeText(input.range)}`), title };
    case "selection":
      return (
        sourceChip(input) ??
        cellChip(input) ?? {
          icon: "list-selection",
          label: middle(`${nameOf(input.path)}${rangeText(input.range)}`),
          title,
        }
      );
    case "diagnostics": {
      const label = plural(input.items.length, "{0} problem", "{0} problems");
      return { icon: "warning", label, title };
    }
    case "image": {
      const kilobytes = Math.max(1, Math.round((input.data.length * 3) / 4 / 1024));
      return { icon: "file-media", label: t("image, {0} KB", kilobytes), title };
    }
    case "document":
      return { icon: "file-pdf", label: middle(input.name), title };
    case "text":
      return { icon: "file", label: middle(input.text), title: input.text };
  }
}

/** The chip of cells in a notebook; undefined for other files. */
function cellChip({ path, text }: Extract<Input, { type: "selection" }>): Chip | undefined {
  const cells = cellsOf(path, text);
  if (cells === undefined) return undefined;
  if (cells === "")
    return { icon: "notebook", label: middle(nameOf(path)), title: t("all cells of {0}", path) };
  const label = t("{0}, cell {1}", middle(nameOf(path)), cells);
  return { icon: "list-selection", label, title: t("{0}, cell {1}", path, cells) };
}

function rangeText(range: LineRange | undefined): string {
  if (range === undefined) return "";
  return range.start === range.end ? `:${range.start}` : `:${range.start}-${range.end}`;
}

/** Shortens a long name in the middle; its end distinguishes files. */
export function middle(name: string, most = MOST_LABEL): string {
  const characters = [...name];
  if (characters.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${characters.slice(0, head).join("")}…${characters.slice(head + 1 - most).join("")}`;
}

function place(path: string, range: LineRange | undefined): string {
  if (range === undefined) return path;
  const { start, end } = range;
  return start === end ? t("{0}, line {1}", path, start) : t("{0}, lines {1} to {2}", path, start, end);
}

/** What an editor shows of a file: lines and columns from 0, as editors count. */
export type Shown = {
  path: string;
  /** The text of the whole file, saved or not. */
  text: string;
  dirty: boolean;
  selected: { startLine: number; endLine: number; endColumn: number; text: string };
  diagnostics: Diagnostic[];
};

/** The blocks that tell what a person looks at: the selection, else the file; and what is wrong there. */
export function attach(shown: Shown): Input[] {
  const { path, text, dirty, selected, diagnostics } = shown;
  const isSelected = selected.text !== "";
  const all = { start: 1, end: Math.max(1, text.split("\n").length) };
  // A selection of whole lines ends at the beginning of the next one.
  const last =
    selected.endColumn === 0 ? Math.max(selected.startLine, selected.endLine - 1) : selected.endLine;
  const range = isSelected ? { start: selected.startLine + 1, end: last + 1 } : all;
  // What is not saved is not in the file that the engine would read.
  const what: Input =
    isSelected || dirty
      ? { type: "selection", path, range, text: isSelected ? selected.text : text }
      : { type: "file", path };
  const items = diagnostics.filter((each) => each.line >= range.start && each.line <= range.end);
  return items.length === 0 ? [what] : [what, { type: "diagnostics", path, items }];
}

export interface Note {
  path: string;
  /** The path as a person reads it. */
  label: string;
  /** Lines from 1. */
  start: number;
  end: number;
  /** What stands there. */
  lines: string;
  texts: string[];
}

export function noteMessage(notes: Note[]): { text: string; attached: Input[] } {
  const sorted = notes.toSorted((a, b) => a.path.localeCompare(b.path) || a.start - b.start);
  const rows = sorted.map(({ label, start, end, texts }) => {
    const place = start === end ? `${label}:${start}` : `${label}:${start}-${end}`;
    return `- ${place}: ${texts.join("\n").replaceAll("\n", "\n  ")}`;
  });
  const attached = sorted.map(({ path, start, end, lines }): Input => ({
    type: "selection",
    path,
    range: { start, end },
    text: lines,
  }));
  const head = sorted.length === 1 ? "My note:" : "My notes:";
  return { text: `${head}\n\n${rows.join("\n")}`, attached };
}
