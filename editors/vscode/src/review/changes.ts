/** Changes of files as unified diffs: what is drawn of one, and the text that it would leave. Pure. */
import { visible } from "../chat/approvals.ts";
import { t } from "../words.ts";

/** Lines of one kind that stand together. */
export interface Run {
  kind: "place" | "same" | "added" | "removed" | "folded";
  /** Lines without their sign; of `place`, where the hunk stands; of `folded`, how many lines are left out. */
  lines: string[];
}

/** More lines than this, and those that do not change are folded but for the nearest. */
const LARGE = 40;
/** Lines that stay beside a change. */
const NEAREST = 1;
const NO_LINE_END = "\\";

/** What a person sees of a diff: every changed line, with signs for what is invisible. */
export function runsOf(diff: string): Run[] {
  const lines = linesOf(diff);
  // Where all lines of a file end in CR LF, the sign for it says nothing.
  const texts = lines.filter((line) => /^[ +-]/.test(line));
  const isCrLf = texts.length > 0 && texts.every((line) => line.endsWith("\r"));
  const runs: Run[] = [];
  for (const line of lines) {
    const kind = kindOf(line);
    const body = kind === "place" || line.startsWith(NO_LINE_END) ? line : line.slice(1);
    const text = visible(isCrLf ? body.replace(/\r$/, "") : body);
    const last = runs.at(-1);
    if (last?.kind === kind) last.lines.push(text);
    else runs.push({ kind, lines: [text] });
  }
  return lines.length > LARGE ? runs.flatMap((run, at) => fold(run, runs[at - 1], runs[at + 1])) : runs;
}

/** Counts the lines of runs that are drawn. */
export function heightOf(runs: Run[]): number {
  return runs.reduce((sum, run) => sum + run.lines.length, 0);
}

function fold(run: Run, before: Run | undefined, after: Run | undefined): Run[] {
  if (run.kind !== "same") return [run];
  const head = isChange(before) ? run.lines.slice(0, NEAREST) : [];
  const tail = isChange(after) ? run.lines.slice(Math.max(head.length, run.lines.length - NEAREST)) : [];
  const left = run.lines.length - head.length - tail.length;
  if (left < 2) return [run];
  const parts: Run[] = [
    { kind: "same", lines: head },
    { kind: "folded", lines: [t("{0} unchanged lines", left)] },
    { kind: "same", lines: tail },
  ];
  return parts.filter((part) => part.lines.length > 0);
}

function isChange(run: Run | undefined): boolean {
  return run?.kind === "added" || run?.kind === "removed";
}

function kindOf(line: string): Run["kind"] {
  if (line.startsWith("@@")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}

/** The lines of a diff; only a line feed ends one. */
function linesOf(diff: string): string[] {
  return diff === "" ? [] : diff.replace(/\n$/, "").split("\n");
}

/** The text after a change; undefined where the diff is not one of this text. */
export function applyDiff(text: string, diff: string): string | undefined {
  const old = splitKeepingEnds(text);
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunksOf(diff)) {
    if (hunk.start < at || hunk.start > old.length) return undefined;
    result.push(...old.slice(at, hunk.start));
    at = hunk.start;
    for (const { sign, text: line } of hunk.lines) {
      if (sign !== "+") {
        if (old[at] !== line) return undefined;
        at += 1;
      }
      if (sign !== "-") result.push(line);
    }
  }
  return [...result, ...old.slice(at)].join("");
}

/** The text after a patch whose line ends may differ from those of the text, as a model writes it; the text keeps its own. */
export function applyPatch(text: string, patch: string): string | undefined {
  const exact = applyDiff(text, patch);
  if (exact !== undefined) return exact;
  const applied = applyDiff(text.replaceAll("\r\n", "\n"), patch.replaceAll("\r\n", "\n"));
  return text.includes("\r\n") ? applied?.replaceAll("\n", "\r\n") : applied;
}

interface Hunk {
  /** The first old line, from 0. */
  start: number;
  /** Lines with their ends. */
  lines: { sign: string; text: string }[];
}

function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of linesOf(diff)) {
    const place = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line);
    const hunk = hunks.at(-1);
    if (place !== null) {
      const [, first = "0", count = "1"] = place;
      // A hunk without old lines names the line before it.
      hunks.push({ start: Number(first) - (count === "0" ? 0 : 1), lines: [] });
    } else if (line.startsWith(NO_LINE_END)) {
      const last = hunk?.lines.at(-1);
      if (last !== undefined) last.text = last.text.slice(0, -1);
    } else hunk?.lines.push({ sign: line.slice(0, 1), text: `${line.slice(1)}\n` });
  }
  return hunks;
}

function splitKeepingEnds(text: string): string[] {
  return text === "" ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}
