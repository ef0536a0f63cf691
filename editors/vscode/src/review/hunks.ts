/**
 * Hunks against texts: the text that the engine saw, and where its hunks stand in the text of an editor, line by line. Pure.
 *
 * Invariant: a hunk gets a place only where the editor holds the very lines that it is about.
 */
import type { Hunk, ReviewBaselineResult, ReviewTarget } from "pintle-client";
import { t, wordOf } from "../words.ts";

/** Where a hunk stands in an editor. */
export interface Place {
  hunk: Hunk;
  /** The first line, from 0; of no lines, the line that they stand before. */
  row: number;
  count: number;
}

/** Cuts a text into lines, each with its end. */
function pieces(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Lines without their ends. */
export function linesOf(text: string): string[] {
  return pieces(text).map((piece) => piece.replace(/\r?\n$/, ""));
}

/**
 * The text that the engine saw: the baseline with all open hunks of the file done to it. Undefined where hunks and baseline do not
 * belong together, or the file is no text or is gone.
 */
export function seen(baseline: ReviewBaselineResult, hunks: Hunk[]): string | undefined {
  const old = pieces(baseline.text ?? "");
  const parts: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    if (hunk.kind === "file") return hunk.newText === "" ? undefined : hunk.newText;
    if (hunk.kind !== "lines") continue;
    const first = hunk.before.start - 1;
    if (first < at || first > old.length) return undefined;
    parts.push(...old.slice(at, first));
    at = first + hunk.before.count;
    if (old.slice(first, at).join("") !== hunk.oldText) return undefined;
    parts.push(hunk.newText);
  }
  return [...parts, ...old.slice(at)].join("");
}

/** Where hunks stand in an editor's text, from top to bottom; those whose lines are others there are left out. */
export function placesOf(seenText: string, text: string, hunks: Hunk[]): Place[] {
  const known = linesOf(seenText.replace(/^\uFEFF/, ""));
  const mapped = mapLines(known, linesOf(text));
  const places: Place[] = [];
  for (const hunk of hunks) {
    if (hunk.kind === "mode" || (hunk.kind === "file" && hunk.newText === "")) continue;
    const [first, count] = [hunk.after.start - 1, hunk.after.count];
    const row = count === 0 ? gap(mapped, first, known.length) : mapped.get(first);
    if (row === undefined) continue;
    const isWhole = Array.from({ length: count }, (_, n) => n).every(
      (offset) => mapped.get(first + offset) === row + offset,
    );
    if (isWhole) places.push({ hunk, row, count });
  }
  return places;
}

/** Where lines stood that are gone: before the line that follows them, or behind the one before. */
function gap(mapped: Map<number, number>, line: number, lineCount: number): number | undefined {
  const [next, before] = [mapped.get(line), mapped.get(line - 1)];
  if (next !== undefined) return next;
  if (before !== undefined) return before + 1;
  return lineCount === 0 ? 0 : undefined;
}

/** The hunk at a line, of the deleted ones those right above it, or below it. */
export function placeAt(places: Place[], row: number): Place | undefined {
  return (
    places.find((each) => row >= each.row && row < each.row + each.count) ??
    places.find((each) => each.count === 0 && (row === each.row || row === each.row - 1))
  );
}

/** What a decision about a whole hunk is about. */
export function whole(hunk: Hunk): ReviewTarget {
  return { type: "hunk", hunk: hunk.id, changedSeq: hunk.changedSeq };
}

/**
 * What a decision about some lines of the editor is about. The lines before go with those now one by one; the rest of them goes with
 * the last one. Undefined where none of the hunk's lines was chosen. Lines count from 0.
 */
export function targetOf(place: Place, first: number, last: number): ReviewTarget | undefined {
  const { hunk, row, count } = place;
  if (count === 0) return first <= row && last >= row - 1 ? whole(hunk) : undefined;
  const from = Math.max(first, row) - row + 1;
  const to = Math.min(last, row + count - 1) - row + 1;
  if (from > to) return undefined;
  if (from === 1 && to === count) return whole(hunk);
  const oldTo = to === count ? hunk.before.count : Math.min(to, hunk.before.count);
  const lines = {
    new: { start: from, count: to - from + 1 },
    ...(oldTo >= from ? { old: { start: from, count: oldTo - from + 1 } } : {}),
  };
  return { type: "lines", hunk: hunk.id, changedSeq: hunk.changedSeq, lines };
}

/** How many lines went and came. */
export function countsOf(hunk: Hunk): string {
  return `−${hunk.before.count} +${hunk.after.count}`;
}

const STATES = {
  modified: () => t("modified"),
  conflict: () => t("conflict"),
  kept: () => t("kept"),
  undone: () => t("undone"),
};

/** The state of a hunk that is not plainly open, in a word or with its cause; empty for others. */
export function stateWord({ state, cause }: Hunk): string {
  if (cause !== undefined && state === "pending") return cause;
  return state === "pending" ? "" : wordOf(STATES, state);
}

/** A hunk in a line, for a list. */
export function hunkLabel(hunk: Hunk): string {
  if (hunk.kind === "mode") return t("mode changed");
  if (hunk.kind === "file" && hunk.newText === "")
    return hunk.oldText === "" ? t("file changed") : t("file removed");
  return (linesOf(hunk.newText === "" ? hunk.oldText : hunk.newText)[0] ?? "").trim();
}

/** More edits than this between two texts, and what lies between their equal ends is not looked into. */
const MOST_EDITS = 400;

/** From the first text to the second; both count from 0. */
export function mapLines(from: string[], to: string[]): Map<number, number> {
  const mapped = new Map<number, number>();
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) {
    mapped.set(head, head);
    head += 1;
  }
  let [fromEnd, toEnd] = [from.length, to.length];
  while (fromEnd > head && toEnd > head && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd -= 1;
    toEnd -= 1;
    mapped.set(fromEnd, toEnd);
  }
  for (const [a, b] of middle(from.slice(head, fromEnd), to.slice(head, toEnd)))
    mapped.set(head + a, head + b);
  return mapped;
}

/** The equal lines of a shortest edit script (Myers, "An O(ND) Difference Algorithm", 1986). */
function middle(from: string[], to: string[]): [number, number][] {
  if (from.length === 0 || to.length === 0) return [];
  const most = Math.min(from.length + to.length, MOST_EDITS);
  /** How far each diagonal got, by number of edits. */
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let edits = 0; edits <= most; edits++) {
    trace.push(new Map(reached));
    const next = new Map(reached);
    for (let k = -edits; k <= edits; k += 2) {
      let x = start(reached, k, edits);
      let y = x - k;
      while (x < from.length && y < to.length && from[x] === to[y]) {
        x += 1;
        y += 1;
      }
      next.set(k, x);
      if (x >= from.length && y >= to.length) return back(trace, from.length, to.length);
    }
    reached = next;
  }
  return [];
}

function start(reached: Map<number, number>, k: number, edits: number): number {
  const [below, above] = [reached.get(k - 1) ?? -1, reached.get(k + 1) ?? -1];
  return k === -edits || (k !== edits && below < above) ? above : below + 1;
}

function back(trace: Map<number, number>[], fromEnd: number, toEnd: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [fromEnd, toEnd];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reached = trace[edits] ?? new Map<number, number>();
    const k = x - y;
    const first = start(reached, k, edits);
    while (x > first && y > first - k) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    if (edits === 0) break;
    const isDown = k === -edits || (k !== edits && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    if (isDown) y -= 1;
    else x -= 1;
  }
  return pairs;
}
