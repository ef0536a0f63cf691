/** The texts that unified diffs of files would leave. Pure. */

const NO_LINE_END = "\\";

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
