/** The output of a search or listing as lines whose places are links. Pure. */
import { nameOf } from "./toolParts.ts";

/** One line: the place that is a link, and the text after it. Without a target, it is all text. */
export interface HitLine {
  /** The path and line as the tool wrote them. */
  place: string;
  rest: string;
  target: { path: string; line: number | undefined } | undefined;
}

/** `path:12: text`; context lines have hyphens instead of colons. */
const MATCH = /^(.+?):(\d+)(?=: )/;
/** `path:3`, the number of hits in a file. */
const COUNT = /^([^:]+):(?=\d+$)/;
const PATH = /^[^\s:*?"<>|\[(][^:*?"<>|]*$/;

/** Reads an output. `base` is the directory or file that was searched. */
export function hitLines(output: string, base: string): HitLine[] {
  const lines = output.split("\n");
  const names = new Set(lines.flatMap((each) => MATCH.exec(each)?.[1] ?? []));
  const to = targets(base, names);
  const plain = (line: string): HitLine => ({ place: "", rest: line, target: undefined });
  const isList = names.size === 0 && isListing(lines);
  return lines.map((line) => {
    const found = contextOf(line, names) ?? MATCH.exec(line) ?? undefined;
    const [place = "", path = "", number] = found ?? [];
    if (found !== undefined)
      return { place, rest: line.slice(place.length), target: { path: to(path), line: Number(number) } };
    const listed = isList ? (COUNT.exec(line)?.[1] ?? line) : "";
    // Directories do not open.
    if (!PATH.test(listed) || /[/\\]$/.test(listed)) return plain(line);
    return { place: listed, rest: line.slice(listed.length), target: { path: to(listed), line: undefined } };
  });
}

/** A context line of a file that has matches: its own text may look like a place. */
function contextOf(
  line: string,
  names: Set<string>,
): [place: string, path: string, line: string] | undefined {
  for (const name of names) {
    if (!line.startsWith(`${name}-`)) continue;
    const number = /^\d+(?=- )/.exec(line.slice(name.length + 1))?.[0];
    if (number !== undefined) return [`${name}-${number}`, name, number];
  }
  return undefined;
}

/** True if the output has paths or counts, and not a sentence. The note of the tool follows a blank line. */
function isListing(lines: string[]): boolean {
  const end = lines.indexOf("");
  const body = end === -1 ? lines : lines.slice(0, end);
  return (
    body.every((each) => COUNT.test(each) || PATH.test(each)) &&
    !/^No (matches|files) found/.test(lines[0] ?? "")
  );
}

/** Returns the absolute path of a name in the output. A search in a single file names just that. */
function targets(base: string, names: Set<string>): (name: string) => string {
  const [only] = names;
  if (names.size === 1 && only === nameOf(base)) return () => base;
  const separator = base.includes("\\") && !base.includes("/") ? "\\" : "/";
  return (name) => (base.endsWith(separator) ? `${base}${name}` : `${base}${separator}${name}`);
}
