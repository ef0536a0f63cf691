/**
 * Texts that only the editor has, such as a terminal's output, as attachments: with a title, fenced, and shortened in the middle. Pure.
 *
 * They are sent as selections, whose text the engine does not search for `@` mentions: a diff or an output may contain any.
 */
import type { Diagnostic, Input } from "pintle-client";
import { plain } from "../transcript/ansi.ts";
import { plural, t } from "../words.ts";
import type { Candidate } from "./complete.ts";

type Selection = Extract<Input, { type: "selection" }>;

/** Attachments that are read when their candidate or menu item is chosen. */
export type Source = "terminal" | "diff" | "allProblems";

/** Characters of a diff; the engine would shorten longer selections at their end. */
const MOST_DIFF = 60_000;
/** Characters of a command's output. */
const MOST_OUTPUT = 16_000;
/** The share of them for the first lines: errors are mostly in the last ones. */
const OUTPUT_SHARE = 0.25;
/** Characters of a line, such as of a minified file. */
const MOST_LINE = 1000;
/** Files and problems of the workspace. */
const MOST_FILES = 20;
const MOST_PROBLEMS = 100;

const TERMINAL = "terminal:";
const GIT = "git:";

/** Words that lead to a source; the first one is its label. Neovim's extension uses `terminal`, `diff` and `diagnostics`. */
const NAMES: Record<Source, string[]> = {
  terminal: ["terminal", "output"],
  diff: ["diff", "git", "changes"],
  allProblems: ["diagnostics", "problems"],
};

/** The candidates for sources that a query may mean. */
export function sourceCandidates(query: string): Candidate[] {
  const typed = query.toLowerCase();
  const descriptions: Record<Source, string> = {
    terminal: t("last command and its output"),
    diff: t("changes since the last commit"),
    allProblems: t("all problems of the workspace"),
  };
  return (Object.keys(NAMES) as Source[])
    .filter((source) => NAMES[source].some((name) => name.startsWith(typed)))
    .map((source) => ({
      label: NAMES[source][0] ?? "",
      description: descriptions[source],
      insert: "",
      attach: [],
      source,
    }));
}

/** Lines that are missing in a text. */
interface Gap {
  /** The number of lines before it. */
  at: number;
  lines: number;
}

/** Leaves out lines in the middle of a text that is too long, and counts them. `share` of the limit is for its beginning. */
export function cutMiddle(
  text: string,
  most: number,
  share = 0.5,
  gap?: Gap,
): { text: string; left: number; lines: number } {
  const lines = text
    .split("\n")
    .map((line) => (line.length > MOST_LINE ? `${line.slice(0, MOST_LINE)} […]` : line));
  const fits = (all: string[], limit: number): number => {
    let used = 0;
    const end = all.findIndex((line) => (used += line.length + 1) > limit);
    return end === -1 ? all.length : end;
  };
  const isWhole = gap === undefined && fits(lines, most) === lines.length;
  const first = isWhole ? lines.length : fits(lines.slice(0, gap?.at), most * share);
  const last = lines.length - fits(lines.slice(gap?.at ?? first).reverse(), most * (1 - share));
  const count = lines.length + (gap?.lines ?? 0);
  const left = isWhole ? 0 : last - first + (gap?.lines ?? 0);
  if (left === 0) return { text: lines.join("\n"), left, lines: count };
  const mark = `[… ${countOf(left, "line")} left out …]`;
  return {
    text: [...lines.slice(0, first), mark, ...lines.slice(last)].join("\n"),
    left,
    lines: count,
  };
}

/** A command's output as it arrives: of much, the beginning and the end are kept. */
export class Recorder {
  #head = "";
  #tail = "";
  /** Line ends dropped between them. */
  #dropped = 0;
  #isCut = false;

  write(data: string): void {
    const room = this.#tail === "" ? MOST_OUTPUT - this.#head.length : 0;
    this.#head += data.slice(0, room);
    this.#tail += data.slice(room);
    // Seldom, so that little is copied.
    if (this.#tail.length < 8 * MOST_OUTPUT) return;
    const end = this.#tail.length - 4 * MOST_OUTPUT;
    this.#dropped += this.#tail.slice(0, end).split("\n").length - 1;
    this.#tail = this.#tail.slice(end);
    this.#isCut = true;
  }

  /** The text as the terminal shows it, shortened. */
  read(): { text: string; left: number; lines: number } {
    if (!this.#isCut) return cutMiddle(trimmed(this.#head + this.#tail), MOST_OUTPUT, OUTPUT_SHARE);
    // The lines at the gap are incomplete.
    const head = plain(this.#head).split("\n").slice(0, -1);
    const tail = trimmed(this.#tail).split("\n").slice(1);
    const gap = { at: head.length, lines: this.#dropped + 1 };
    return cutMiddle([...head, ...tail].join("\n"), MOST_OUTPUT, OUTPUT_SHARE, gap);
  }
}

function trimmed(raw: string): string {
  return plain(raw).trimEnd();
}

/** The last command of a terminal. */
export interface Run {
  command: string;
  output: Recorder;
  /** Undefined while it runs, and if the shell does not report it. */
  exitCode: number | undefined;
  isRunning: boolean;
}

export function terminalInput(name: string, { command, output, exitCode, isRunning }: Run): Selection {
  const { text, left } = output.read();
  const outcome = isRunning
    ? ["still running"]
    : exitCode === undefined
      ? []
      : [`exit code ${String(exitCode)}`];
  const title = [`The terminal, ${name}`, "last command", ...outcome, ...leftOut(left)].join(", ");
  const shown = [`$ ${command}`, text].filter((each) => each !== "").join("\n");
  return textInput(`${TERMINAL}${name}`, title, shown, "console");
}

/** The output of a `git diff`. */
export function diffInput(args: string[], diff: string): Selection {
  const command = args.join(" ");
  const files = (diff.match(/^diff --git /gm) ?? []).length;
  const { text, left, lines } = cutMiddle(diff.trimEnd(), MOST_DIFF);
  const title = [
    `The output of \`git ${command}\``,
    countOf(files, "file"),
    countOf(lines, "line"),
    ...leftOut(left),
  ].join(", ");
  return textInput(`${GIT}${command}`, title, text, "diff");
}

/** The problems of files, those of the files with errors first. */
export function problemInputs(files: { path: string; items: Diagnostic[] }[]): Input[] {
  const errors = (items: Diagnostic[]): number => items.filter(({ severity }) => severity === "error").length;
  const sorted = files
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => errors(b.items) - errors(a.items) || a.path.localeCompare(b.path));
  let room = MOST_PROBLEMS;
  return sorted.slice(0, MOST_FILES).flatMap(({ path, items }) => {
    const some = items.slice(0, room);
    room -= some.length;
    return some.length === 0 ? [] : [{ type: "diagnostics" as const, path, items: some }];
  });
}

/** The chip of a source; undefined for a selection in a file. */
export function sourceChip({
  path,
  text,
}: Selection): { icon: string; label: string; title: string } | undefined {
  const title = text.slice(0, text.indexOf(":\n\n"));
  if (path.startsWith(TERMINAL))
    return { icon: "terminal", label: t("terminal: {0}", path.slice(TERMINAL.length)), title };
  if (!path.startsWith(GIT)) return undefined;
  const files = Number(/, ([\d,]+) files?,/.exec(title)?.[1]?.replaceAll(",", ""));
  return { icon: "diff", label: plural(files, "{0} changed file", "{0} changed files"), title };
}

/** A text that is not in a file. */
export function textInput(path: string, title: string, text: string, language = ""): Selection {
  let fence = "```";
  while (text.includes(fence)) fence += "`";
  const whole = `${title}:\n\n${fence}${language}\n${text}\n${fence}`;
  return { type: "selection", path, range: { start: 1, end: whole.split("\n").length }, text: whole };
}

function leftOut(lines: number): string[] {
  return lines === 0 ? [] : [`${countOf(lines, "line")} in the middle left out`];
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
