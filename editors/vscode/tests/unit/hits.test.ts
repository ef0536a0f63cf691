/** Places in the output of searches and listings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hitLines } from "../../src/transcript/hits.ts";

/** A line with its link in brackets and what that opens. */
function drawn(output: string, base: string): string[] {
  return hitLines(output, base).map(({ place, rest, target }) =>
    target === undefined
      ? rest
      : `[${place}](${target.path}${target.line === undefined ? "" : ` ${target.line}`})${rest}`,
  );
}

test("each place of a search or listing opens its file", () => {
  const cases: [name: string, base: string, output: string, want: string[]][] = [
    [
      "matches in a directory",
      "/w",
      "src/a.rs:12: fn a()\nsrc/b c.rs:3: x: 1",
      ["[src/a.rs:12](/w/src/a.rs 12): fn a()", "[src/b c.rs:3](/w/src/b c.rs 3): x: 1"],
    ],
    [
      "context lines of a file with matches",
      "/w",
      "a-1.rs-1- one\na-1.rs:2: two\na-1.rs-3- see b.rs:9: no\n\n[1 matches limit reached.]",
      [
        "[a-1.rs-1](/w/a-1.rs 1)- one",
        "[a-1.rs:2](/w/a-1.rs 2): two",
        "[a-1.rs-3](/w/a-1.rs 3)- see b.rs:9: no",
        "",
        "[1 matches limit reached.]",
      ],
    ],
    ["a search in one file", "/w/src/a.rs", "a.rs:2: two", ["[a.rs:2](/w/src/a.rs 2): two"]],
    [
      "files",
      "/w/",
      "src/a.rs\nMakefile\n\n[2 results limit reached.]",
      ["[src/a.rs](/w/src/a.rs)", "[Makefile](/w/Makefile)", "", "[2 results limit reached.]"],
    ],
    ["counts", "/w", "src/a.rs:2\nb.rs:1", ["[src/a.rs](/w/src/a.rs):2", "[b.rs](/w/b.rs):1"]],
    ["directories stay text", "/w", "src/\na.rs", ["src/", "[a.rs](/w/a.rs)"]],
    ["nothing was found", "/w", "No matches found", ["No matches found"]],
    ["nothing is there", "/w", "(empty directory)", ["(empty directory)"]],
    ["no places at all", "/w", "Some words: nothing\nmore", ["Some words: nothing", "more"]],
    ["Windows", "C:\\w", "src\\a.rs:1: x", ["[src\\a.rs:1](C:\\w\\src\\a.rs 1): x"]],
  ];
  for (const [name, base, output, want] of cases) assert.deepEqual(drawn(output, base), want, name);
});
