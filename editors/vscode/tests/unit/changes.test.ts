/** Diffs as they are drawn, and the texts that they would leave. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { visible } from "../../src/chat/approvals.ts";
import { applyDiff, applyPatch, heightOf, runsOf } from "../../src/review/changes.ts";

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

test("a small diff is drawn whole, run by run", () => {
  assert.deepEqual(runsOf("@@ -1,3 +1,3 @@\n a\n-b\n+B\n+C\n c\n"), [
    { kind: "place", lines: ["@@ -1,3 +1,3 @@"] },
    { kind: "same", lines: ["a"] },
    { kind: "removed", lines: ["b"] },
    { kind: "added", lines: ["B", "C"] },
    { kind: "same", lines: ["c"] },
  ]);
  assert.deepEqual(runsOf(""), []);
});

test("of a large diff only lines that do not change are folded, and never a changed one", () => {
  const diff = `@@ -1,60 +1,60 @@\n${numbers(1, 30, " ")}-old\n+new\n${numbers(32, 60, " ")}`;
  const runs = runsOf(diff);
  assert.deepEqual(
    runs.map(({ kind, lines }) => [kind, ...lines]),
    [
      ["place", "@@ -1,60 +1,60 @@"],
      ["folded", "29 unchanged lines"],
      ["same", "30"],
      ["removed", "old"],
      ["added", "new"],
      ["same", "32"],
      ["folded", "28 unchanged lines"],
    ],
  );
  assert.equal(heightOf(runs), 7);
  const many = runsOf(`@@ -0,0 +1,5000 @@\n${numbers(1, 5000, "+")}`);
  assert.equal(heightOf(many), 5001);
});

test("what nobody would see is drawn as a sign; line ends that all lines share are not", () => {
  assert.equal(visible("a\u202eb\u0007c\td\n"), "a⟨U+202E⟩b␇c\td\n");
  const drawn = (diff: string): string[] => runsOf(diff).flatMap(({ lines }) => lines.slice());
  assert.deepEqual(drawn(" a\r\n-b\r\n+c\r\n"), ["a", "b", "c"]);
  assert.deepEqual(drawn("-b\r\n+b\n"), ["b␍", "b"]);
});
