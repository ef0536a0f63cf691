import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOf, runText } from "../../src/transcript/runs.ts";
import type { Member } from "../../src/transcript/runs.ts";
import { argumentsOf, fileText, foundText, languageOf, nameOf } from "../../src/transcript/toolParts.ts";

for (const [name, input, want] of [
  ["nothing", undefined, []],
  ["plain values", { path: "a", all: true, depth: 2, none: null }, ["path=a", "all=true", "depth=2"]],
  ["lines", { text: "one\ntwo" }, ["text=one\ntwo"]],
  ["a list", { names: ["a", "b"], none: [] }, ["names=- a\n- b", "none=(none)"]],
  [
    "objects in a list",
    { items: [{ id: 1, tags: ["x", "y"] }, { id: 2 }] },
    ["items=- id: 1\n  tags: \n    - x\n    - y\n- id: 2"],
  ],
  ["an object", { at: { line: 1, more: { column: 2 } } }, ["at=line: 1\nmore: \n  column: 2"]],
  ["lines in an object", { at: { text: "a\nb" } }, ["at=text: a\n  b"]],
  ["no object", "free text", ["=free text"]],
] as [string, unknown, string[]][]) {
  test(`arguments as a person reads them: ${name}`, () => {
    assert.deepEqual(
      argumentsOf(input).map(({ name, value }) => `${name}=${value}`),
      want,
    );
  });
}

for (const [name, output, line, want] of [
  ["plain", "a\nb", undefined, ["a\nb", 1, ""]],
  ["from a line on", "a\nb", 7, ["a\nb", 7, ""]],
  ["a tab behind the number", "     9\ta\n    10\tb", 9, ["a\nb", 9, ""]],
  ["a colon", "3: a\n4: \n5: c", undefined, ["a\n\nc", 3, ""]],
  ["a letter before it", "L1: a\nL2: b", undefined, ["a\nb", 1, ""]],
  ["a list that looks numbered", "1: a\n1: b", undefined, ["1: a\n1: b", 1, ""]],
  [
    "a note",
    "a\nb\n\n[5 more lines in file. Use offset=3 to continue.]",
    undefined,
    ["a\nb", 1, "5 more lines in file."],
  ],
] as [string, string, number | undefined, [string, number, string]][]) {
  test(`the text of a file: ${name}`, () => {
    const { text, firstLine, note } = fileText(output, line);
    assert.deepEqual([text, firstLine, note], want);
  });
}

for (const [output, want] of [
  ["No matches found", "no results"],
  ["No files found matching pattern", "no results"],
  ["a.ts:1: x", "1 result"],
  ["a.ts-1- before\na.ts:2: x\na.ts-3- after\nb.ts:9: x", "2 results"],
  ["src/a.ts\nsrc/b.ts\nsrc/c.ts", "3 results"],
  ["a:1: x\nb:2: x\n\n[2 matches limit reached. Use limit=4 for more, or refine pattern]", "2+ results"],
] as const) {
  test(`what a search found: ${want}`, () => assert.equal(foundText(output), want));
}

for (const [path, language, name] of [
  ["/w/src/a.ts", "ts", "a.ts"],
  ["C:\\w\\Main.RS", "rs", "Main.RS"],
  ["Makefile", "", "Makefile"],
  ["src/", "", "src/"],
] as const) {
  test(`the language and the name of ${path}`, () => {
    assert.deepEqual([languageOf(path), nameOf(path)], [language, name]);
  });
}

/** Calls as letters: r, l, s; a dot may stand between; anything else ends a run. */
function members(text: string): Member[] {
  const groups = { r: "read", l: "list", s: "search" } as const;
  return [...text].map((letter) => {
    if (letter === ".") return { kind: "between" };
    return letter in groups ? { kind: "call", group: groups[letter as "r"] } : { kind: "other" };
  });
}

for (const [text, want] of [
  ["", []],
  ["r", []],
  ["rr", [[0, 1]]],
  ["r.s", [[0, 2]]],
  [".r.s.", [[1, 3]]],
  ["rxr", []],
  [
    "rsxlrx",
    [
      [0, 1],
      [3, 4],
    ],
  ],
  ["r..x", []],
] as [string, [number, number][]][]) {
  test(`runs of calls: ${text}`, () => assert.deepEqual(runsOf(members(text)), want));
}

for (const [groups, want] of [
  [["read", "read", "search", "search", "search"], "Read 2 files, searched 3 times"],
  [["search", "read"], "Searched once, read 1 file"],
  [["list", "list", "read"], "Listed 2 directories, read 1 file"],
] as const) {
  test(`a run in words: ${want}`, () => assert.equal(runText([...groups]), want));
}
