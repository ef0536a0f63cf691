/**
 * Takes unified hunks back out of a text: what was the file before this change?
 *
 * Hunks are found by their new text, at their line or, when the file has changed since, at the nearest place
 * where it stands at the beginning of a line.
 */

interface Hunk {
  /** First line in the new text, 1-based. */
  line: number;
  before: string;
  after: string;
}

const HEADER = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;

/** The text before the change; undefined when a hunk does not stand in it any more. */
export function reverse(text: string, diff: string): string | undefined {
  const hunks = parse(diff);
  if (hunks === undefined) return undefined;
  // From the end, so that the lines of the hunks before stay where they are.
  for (const hunk of hunks.toReversed()) {
    const at = find(text, hunk);
    if (at === undefined) return undefined;
    text = text.slice(0, at) + hunk.before + text.slice(at + hunk.after.length);
  }
  return text;
}

function parse(diff: string): Hunk[] | undefined {
  const hunks: Hunk[] = [];
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let last: string | undefined;
  for (const line of lines) {
    const header = HEADER.exec(line);
    if (header !== null) {
      const start = Number(header[1]);
      // With no new lines the header names the line before.
      hunks.push({ line: header[2] === "0" ? start + 1 : start, before: "", after: "" });
      last = undefined;
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined) return undefined;
    const sign = line[0];
    const body = `${line.slice(1)}\n`;
    if (sign === "\\") {
      if (last !== "+") hunk.before = hunk.before.slice(0, -1);
      if (last !== "-") hunk.after = hunk.after.slice(0, -1);
      continue;
    }
    if (sign !== " " && sign !== "-" && sign !== "+") return undefined;
    if (sign !== "+") hunk.before += body;
    if (sign !== "-") hunk.after += body;
    last = sign;
  }
  return hunks;
}

function find(text: string, hunk: Hunk): number | undefined {
  const expected = offsetOfLine(text, hunk.line);
  if (fits(text, hunk.after, expected)) return expected;
  if (hunk.after === "") return undefined;
  let best: number | undefined;
  for (let at = text.indexOf(hunk.after); at >= 0; at = text.indexOf(hunk.after, at + 1)) {
    if (!fits(text, hunk.after, at)) continue;
    if (best === undefined || Math.abs(at - expected) < Math.abs(best - expected)) best = at;
  }
  return best;
}

function fits(text: string, part: string, at: number): boolean {
  const isLineStart = at === 0 || text[at - 1] === "\n";
  return isLineStart && text.startsWith(part, at) && (part !== "" || at <= text.length);
}

function offsetOfLine(text: string, line: number): number {
  let at = 0;
  for (let each = 1; each < line; each++) {
    const next = text.indexOf("\n", at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return at;
}
