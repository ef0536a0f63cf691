/** Removed lines, shown behind the lines that replaced them: VS Code lets extensions insert no lines. Pure. */
import { visible } from "../chat/visible.ts";
import { plural, t } from "../words.ts";
import type { Place } from "./hunks.ts";
import { linesOf } from "./hunks.ts";

/** Text after the end of a line. */
export interface Ghost {
  /** The line, from 0. */
  row: number;
  text: string;
  /** Removed lines of the hunk for the hover: all, or of many those from here on. */
  hover: string[];
}

/** Maximum length of a removed line, in characters: behind another line, and in a hover. */
const MOST = 120;
const MOST_IN_HOVER = 500;
/** Maximum number of ghosts for a hunk: each costs the editor a style of its own. */
const MOST_GHOSTS = 200;
/** Maximum number of lines in a hover. */
const MOST_LINES = 50;

/** Pairs removed lines with the lines that replaced them; the rest is counted at the last pair. */
export function ghostsOf(places: Place[]): Ghost[] {
  return places.flatMap(({ hunk, row, count }) => {
    // New files and mode changes have no removed lines.
    const removed = hunk.kind === "lines" ? linesOf(hunk.oldText) : [];
    if (removed.length === 0) return [];
    // Without replacement, they are shown at the line above.
    const first = count === 0 ? Math.max(0, row - 1) : row;
    const shown = removed.slice(0, Math.min(Math.max(1, count), MOST_GHOSTS));
    return shown.map((line, at) => {
      const rest = at === shown.length - 1 ? removed.length - shown.length : 0;
      const text = [short(line), ...moreOf(rest)].join(" ");
      return { row: first + at, text, hover: hoverOf(removed, at) };
    });
  });
}

function hoverOf(removed: string[], at: number): string[] {
  const from = removed.length <= MOST_LINES ? 0 : at;
  const lines = removed.slice(from, from + MOST_LINES);
  const rest = removed.length - from - lines.length;
  return [...lines.map((line) => `- ${cut(visible(line), MOST_IN_HOVER)}`), ...moreOf(rest)];
}

function moreOf(count: number): string[] {
  if (count === 0) return [];
  return [plural(count, "(and {0} more removed line)", "(and {0} more removed lines)")];
}

function short(line: string): string {
  const text = visible(line.trim());
  return text === "" ? t("(empty line)") : cut(text, MOST);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
