/** Diffs as they are drawn, and the texts that they would leave. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { visible } from "../../src/chat/visible.ts";
import { applyDiff, applyPatch } from "../../src/review/changes.ts";
import { diffRows } from "../../src/review/diffRows.ts";

const numbers = (from: number, to: number, sign = ""): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${sign}${from + at}\n`).join("");

for (const [name, text, diff, want] of [
  ["a line", "a\nb\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"],
  ["two hunks", numbers(1, 20), "@@ -1,2 +1,1 @@\n-1\n 2\n@@ -20 +19,2 @@\n 20\n+21\n", numbers(2, 21)],
  ["only new lines", "a\nb\n", "@@ -1,0 +2 @@\n+x\n", "a\nx\nb\n"],
  ["a new file", "", "@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"],
  ["a file that goes", "a\n", "@@ -1 +0,0 @@\n-a\n", ""],
  ["no end of line before", "a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"],
  ["no end of line after", "a\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b"],
  ["carriage returns", "a\r\nb\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", "a\r\nc\r\n"],
  ["a line that looks like a place", "@@ -1 +1 @@\n", "@@ -1 +1 @@\n-@@ -1 +1 @@\n+x\n", "x\n"],
  ["another text", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", undefined],
  ["a text that is too short", "a\n", "@@ -5 +5 @@\n-e\n+E\n", undefined],
] as const) {
  test(`the text after a change: ${name}`, () => assert.equal(applyDiff(text, diff), want));
}

for (const [name, text, patch, want] of [
  ["the same line ends", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB\n"],
  ["a text with CR LF", "a\r\nb\r\n", "@@ -1,2 +1,3 @@\n a\n-b\n+B\n+C\n", "a\r\nB\r\nC\r\n"],
  ["a patch with CR LF", "a\nb\n", "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n", "a\nB\n"],
  ["both", "a\r\nb\r\n", "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n", "a\r\nB\r\n"],
  [
    "no end of the last line",
    "a\r\nb",
    "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline\n+B\n\\ No newline\n",
    "a\r\nB",
  ],
  ["another text", "a\r\nx\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", undefined],
] as const) {
  test(`the text after a patch: ${name}`, () => assert.equal(applyPatch(text, patch), want));
}

/** Rows as lines: kind, number and text. */
const drawn = (diff: string, isCompact = false): string[] =>
  diffRows(diff, isCompact).map(({ kind, number, text }) => `${kind} ${number ?? ""}: ${text}`);

for (const [name, diff, isCompact, want] of [
  ["nothing", "", false, []],
  [
    "a small one whole, with the numbers of both texts",
    "@@ -7,3 +9,4 @@ function f() {\n a\n-b\n+B\n+C\n c\n",
    false,
    ["gap : function f() {", "same 9: a", "removed 8: b", "added 10: B", "added 11: C", "same 12: c"],
  ],
  [
    "compact: the changed lines come first",
    "@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\n+x\n 5\n 6\n 7\n",
    true,
    ["gap : ", "removed 4: 4", "added 4: x"],
  ],
  [
    "compact: lines between changes are counted",
    "@@ -1,6 +1,5 @@\n-1\n 2\n 3\n 4\n 5\n-6\n",
    true,
    ["gap : ", "removed 1: 1", "folded : 4 unchanged lines", "removed 6: 6"],
  ],
  [
    "of a large one only lines that do not change are folded",
    `@@ -1,60 +1,60 @@\n${numbers(1, 30, " ")}-old\n+new\n${numbers(32, 60, " ")}`,
    false,
    [
      "gap : ",
      "folded : 29 unchanged lines",
      "same 30: 30",
      "removed 31: old",
      "added 31: new",
      "same 32: 32",
      "folded : 28 unchanged lines",
    ],
  ],
  [
    "a patch without numbers",
    "*** Update File: a.ts\n@@ class A\n-b\n+B\n\\ No newline at end of file\n",
    false,
    [
      "gap : *** Update File: a.ts",
      "gap : class A",
      "removed : b",
      "added : B",
      "same : \\ No newline at end of file",
    ],
  ],
] as const) {
  test(`the rows of a diff: ${name}`, () => assert.deepEqual(drawn(diff, isCompact), want));
}

test("no changed line is ever folded", () => {
  assert.equal(diffRows(`@@ -0,0 +1,5000 @@\n${numbers(1, 5000, "+")}`, true).length, 5001);
});

test("what nobody would see is drawn as a sign; line ends that all lines share are not", () => {
  for (const [text, want] of [
    ["a\u202eb\u0007c\td\n", "a⟨U+202E⟩b␇c\td\n"],
    ["a\u007fb\u009bc", "a␡b⟨U+009B⟩c"],
    ["x\u{e0041}y\u3164z", "x⟨U+E0041⟩y⟨U+3164⟩z"],
    ["a\u2028b\ufff9c\u2800", "a⟨U+2028⟩b⟨U+FFF9⟩c⟨U+2800⟩"],
    ["plain – “text” 文 é", "plain – “text” 文 é"],
  ] as const)
    assert.equal(visible(text), want);
  const texts = (diff: string): string[] => diffRows(diff).map(({ text }) => text);
  assert.deepEqual(texts(" a\r\n-b\r\n+c\r\n"), ["a", "b", "c"]);
  assert.deepEqual(texts("-b\r\n+b\n"), ["b␍", "b"]);
});
