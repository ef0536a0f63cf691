/** What is being typed that can be completed, and which candidates fit. Pure. */
import type { Input } from "pintle-client";
import type { Source } from "./sources.ts";

/** The word at the caret. */
export interface Word {
  sign: "@" | "/";
  /** What stands behind the sign. */
  query: string;
  /** Where the sign stands. */
  start: number;
}

/** A candidate: its text takes the word's place, or what it names is attached. */
export interface Candidate {
  label: string;
  description: string;
  /** With its sign and the blank behind it; empty where something is attached. */
  insert: string;
  attach: Input[];
  /** A slash command to run instead of inserting text. */
  command?: string;
  /** An attachment to read. */
  source?: Source;
}

/** As many candidates as are shown. */
export const MOST_CANDIDATES = 12;

/** `@` begins a mention anywhere, `/` a prompt at the very beginning of a message. */
export function wordAt(text: string, caret: number): Word | undefined {
  const before = text.slice(0, caret);
  const mention = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (mention !== null) {
    const query = mention[1] ?? "";
    return { sign: "@", query, start: caret - query.length - 1 };
  }
  const prompt = /^\/(\S*)$/.exec(before);
  return prompt === null ? undefined : { sign: "/", query: prompt[1] ?? "", start: 0 };
}

/** The text and the caret after a candidate was taken. */
export function complete(text: string, word: Word, insert: string): { text: string; caret: number } {
  const end = word.start + 1 + word.query.length;
  const rest = text.slice(end);
  return {
    text: text.slice(0, word.start) + insert + (insert === "" ? rest : rest.replace(/^ /, "")),
    caret: word.start + insert.length,
  };
}

/** The candidates that hold the query's characters in their order, the closest first; all, in their order, for an empty query. */
export function rank<T>(query: string, all: T[], nameOf: (each: T) => string): T[] {
  const scored = all.flatMap((each, at) => {
    const score = scoreOf(query.toLowerCase(), nameOf(each).toLowerCase());
    return score === undefined ? [] : [{ each, score, at }];
  });
  scored.sort((a, b) => b.score - a.score || a.at - b.at);
  return scored.slice(0, MOST_CANDIDATES).map(({ each }) => each);
}

function scoreOf(query: string, name: string): number | undefined {
  if (query === "") return 0;
  const base = name.slice(name.lastIndexOf("/") + 1);
  const length = name.length / 1000;
  if (base.startsWith(query)) return 4 - length;
  if (base.includes(query)) return 3 - length;
  if (name.includes(query)) return 2 - length;
  let at = -1;
  for (const character of query) {
    at = name.indexOf(character, at + 1);
    if (at < 0) return undefined;
  }
  return 1 - length;
}

/** A file as a candidate. A path with blanks would end at the first one in the text, so that file is attached. */
export function fileCandidate(path: string): Candidate {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isPlain = !/[\s@]/.test(path);
  return {
    label: name,
    description: path,
    insert: isPlain ? `@${path} ` : "",
    attach: isPlain ? [] : [{ type: "file", path }],
  };
}
