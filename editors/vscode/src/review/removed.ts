/** Lines that a hunk took away, for an editor that cannot show them as lines: each beside the line in its place. Pure. */
import { plural, t } from "../words.ts";
import type { Place } from "./hunks.ts";
import { linesOf } from "./hunks.ts";

/** Text behind the end of a line. */
export interface Ghost {
  /** The line, from 0. */
  row: number;
  text: string;
  /** All that the hunk took away. */
  removed: string[];
}

/** Characters of a line that is shown so. */
const MOST = 120;

/** The removed lines of hunks, each beside the line that came for it; those without one are counted at the last. */
export function ghostsOf(places: Place[]): Ghost[] {
  return places.flatMap(({ hunk, row, count }) => {
    // A file that is new, or whose mode alone is another one, has nothing to show.
    const removed = hunk.kind === "lines" ? linesOf(hunk.oldText) : [];
    if (removed.length === 0) return [];
    // Where lines are only gone, they stood below the line before.
    const first = count === 0 ? Math.max(0, row - 1) : row;
    const shown = removed.slice(0, Math.max(1, count));
    const rest = removed.length - shown.length;
    return shown.map((line, at) => {
      const more = at === shown.length - 1 && rest > 0 ? ` ${moreText(rest)}` : "";
      return { row: first + at, text: `− ${short(line)}${more}`, removed };
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
