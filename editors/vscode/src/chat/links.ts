/** Links of messages: addresses, and files with the place in them that is meant. Pure. */
import { HERE, ofAddress } from "../paths.ts";

export type Link =
  | { kind: "address"; address: string }
  /** Lines from 1; `end` is the last of several. */
  | { kind: "file"; path: string; line?: number; column?: number; end?: number };

/** Reads a link; undefined where it leads nowhere that a person would want, such as to a command. */
export function readLink(href: string, system = HERE): Link | undefined {
  if (/^(https?|mailto):/i.test(href)) return { kind: "address", address: href };
  const path = ofAddress(decoded(href), system);
  if (/^[a-z][a-z\d+.-]+:(?!\d)/i.test(path) || path.startsWith("#")) return undefined;
  const [, named, first, column, last] = /^(.+?)(?:#L|:)(\d+)(?:[:C](\d+))?(?:-L?(\d+))?$/.exec(path) ?? [];
  if (named === undefined || first === undefined) {
    const plain = path.replace(/#.*$/, "");
    return plain === "" ? undefined : { kind: "file", path: plain };
  }
  return {
    kind: "file",
    path: named,
    line: Number(first),
    ...(column === undefined ? {} : { column: Number(column) }),
    ...(last === undefined ? {} : { end: Number(last) }),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The file that a block of code says it is for: behind its fence, or in a patch's own lines. */
export function fileOfCode(text: string, info: string): string | undefined {
  const patched = /^\+\+\+ (?:b\/)?([^\t\r\n]+)/m.exec(text)?.[1];
  if (patched !== undefined && patched !== "/dev/null") return patched;
  const [, ...words] = info.split(/\s+/);
  const named = /(?:file|title|path|filename)=["']?([^"'\s]+)/.exec(info)?.[1];
  return (
    named ??
    words.find((word) => /^(?:[a-z]:[/\\])?[\w./\\-]+\.\w+$/i.test(word)) ??
    /^[a-z]+:([\w./-]+\.\w+)$/.exec(info)?.[1]
  );
}
