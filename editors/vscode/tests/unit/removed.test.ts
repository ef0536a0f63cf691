import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hunk } from "pintle-client";
import { ghostsOf } from "../../src/review/removed.ts";

const hunk = (oldText: string, more: object = {}): Hunk =>
  ({ kind: "lines", oldText, newText: "", ...more }) as Hunk;

for (const [name, oldText, row, count, want] of [
  ["one for one", "  old\n", 4, 1, ["4 old"]],
  ["two for two", "a\nb\n", 4, 2, ["4 a", "5 b"]],
  ["one for two", "a\n", 4, 2, ["4 a"]],
  ["three for one", "a\nb\nc\n", 4, 1, ["4 a (and 2 more removed lines)"]],
  ["one more", "a\nb\n", 4, 1, ["4 a (and 1 more removed line)"]],
  ["only gone", "a\nb\n", 4, 0, ["3 a (and 1 more removed line)"]],
  ["gone from the top", "a\n", 0, 0, ["0 a"]],
  ["an empty line", "\n", 4, 1, ["4 (empty line)"]],
  ["nothing", "", 4, 3, []],
  ["a long line", "x".repeat(200), 4, 1, [`4 ${"x".repeat(120)}…`]],
] as [string, string, number, number, string[]][]) {
  test(`removed lines beside those that came: ${name}`, () => {
    const ghosts = ghostsOf([{ hunk: hunk(oldText), row, count }]);
    assert.deepEqual(
      ghosts.map(({ row: at, text }) => `${at} ${text}`),
      want,
    );
  });
}

test("a new file has no removed lines", () => {
  assert.deepEqual(ghostsOf([{ hunk: hunk("a\n", { kind: "file" }), row: 0, count: 1 }]), []);
});
