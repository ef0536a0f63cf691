/** Removed lines, shown behind the lines that replaced them: VS Code lets extensions insert no lines. Pure. */
import { plural, t } from "../words.ts";
import type { Place } from "./hunks.ts";
import { linesOf } from "./hunks.ts";

/** Text after the end of a line. */
export interface Ghost {
  /** The line, from 0. */
  row: number;
  text: string;
  /** All removed lines of the hunk. */
  removed: string[];
}

/** Maximum length of a removed line, in characters. */
const MOST = 120;

/** Pairs removed lines with the lines that replaced them; the rest is counted at the last pair. */
export function ghostsOf(places: Place[]): Ghost[] {
  return places.flatMap(({ hunk, row, count }) => {
    // New files and mode changes have no removed lines.
    const removed = hunk.kind === "lines" ? linesOf(hunk.oldText) : [];
    if (removed.length === 0) return [];
    // Without replacement, they are shown at the line above.
    const first = count === 0 ? Math.max(0, row - 1) : row;
    const shown = removed.slice(0, Math.max(1, count));
    const rest = removed.length - shown.length;
    return shown.map((line, at) => {
      const more = at === shown.length - 1 && rest > 0 ? ` ${moreText(rest)}` : "";
      return { row: first + at, text: `${short(line)}${more}`, removed };
    });
  });
}

function moreText(count: number): string {
  return plural(count, "(and {0} more removed line)", "(and {0} more removed lines)");
}

function short(line: string): string {
  const text = line.trim();
  if (text === "") return t("(empty line)");
  return text.length <= MOST ? text : `${text.slice(0, MOST)}…`;
}
