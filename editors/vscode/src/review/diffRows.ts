/** The rows that are drawn of a unified diff: every changed line with its number and signs for what is invisible. Pure. */
import { visible } from "../chat/visible.ts";
import { plural } from "../words.ts";

export interface Row {
  /** `gap` is where a hunk begins, with the heading of its place; `folded` names the unchanged lines that are left out. */
  kind: "gap" | "same" | "added" | "removed" | "folded";
  text: string;
  /** The line's number: in the old text for a removed line, else in the new one. */
  number?: number;
}

/** More lines than this, and those that do not change are folded but for the nearest. */
const LARGE = 40;
/** Lines that stay beside a change where others are folded. */
const NEAREST = 1;
/** Up to this many unchanged lines at the edge of a hunk are omitted without a mark. */
const USUAL = 5;
const NO_LINE_END = "\\";

/** Returns the rows. `isCompact` leaves out the unchanged lines, so that the changed ones are in sight first. */
export function diffRows(diff: string, isCompact = false): Row[] {
  const lines = diff === "" ? [] : diff.replace(/\n$/, "").split("\n");
  const rows = numbered(lines);
  return isCompact || lines.length > LARGE ? folded(rows, isCompact) : rows;
}

function numbered(lines: string[]): Row[] {
  // If all lines end in CR LF, the sign for it would be noise.
  const texts = lines.filter((line) => /^[ +-]/.test(line));
  const isCrLf = texts.length > 0 && texts.every((line) => line.endsWith("\r"));
  const shown = (line: string): string => visible(isCrLf ? line.replace(/\r$/, "") : line);
  let before: number | undefined;
  let after: number | undefined;
  return lines.map((line): Row => {
    if (line.startsWith("@@")) {
      const [, first, second, heading] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line) ?? [];
      before = first === undefined ? undefined : Number(first);
      after = second === undefined ? undefined : Number(second);
      const text = first === undefined ? line.replace(/^@@ ?| ?@@$/g, "") : (heading ?? "");
      return { kind: "gap", text: shown(text) };
    }
    const text = shown(line.startsWith(NO_LINE_END) ? line : line.slice(1));
    if (line.startsWith("+"))
      return { kind: "added", text, ...numberOf(after === undefined ? after : after++) };
    if (line.startsWith("-"))
      return { kind: "removed", text, ...numberOf(before === undefined ? before : before++) };
    if (line.startsWith(NO_LINE_END)) return { kind: "same", text };
    if (line !== "" && !line.startsWith(" ")) return { kind: "gap", text: shown(line) };
    if (before !== undefined) before += 1;
    return { kind: "same", text, ...numberOf(after === undefined ? after : after++) };
  });
}

function numberOf(number: number | undefined): { number?: number } {
  return number === undefined ? {} : { number };
}

function folded(rows: Row[], isCompact: boolean): Row[] {
  const result: Row[] = [];
  let first = 0;
  for (const [at, row] of [...rows, undefined].entries()) {
    if (row?.kind === "same") continue;
    for (const each of foldRun(rows.slice(first, at), rows[first - 1], row, isCompact)) result.push(each);
    if (row !== undefined) result.push(row);
    first = at + 1;
  }
  return result;
}

function foldRun(run: Row[], before: Row | undefined, after: Row | undefined, isCompact: boolean): Row[] {
  const nearest = isCompact ? 0 : NEAREST;
  const head = isChange(before) ? run.slice(0, nearest) : [];
  const tail = isChange(after) ? run.slice(Math.max(head.length, run.length - nearest)) : [];
  const left = run.length - head.length - tail.length;
  const isEdge = !isChange(before) || !isChange(after);
  if (isCompact && isEdge && left <= USUAL) return [...head, ...tail];
  if (left < 2) return run;
  const text = plural(left, "{0} unchanged line", "{0} unchanged lines");
  return [...head, { kind: "folded", text }, ...tail];
}

function isChange(row: Row | undefined): boolean {
  return row?.kind === "added" || row?.kind === "removed";
}
