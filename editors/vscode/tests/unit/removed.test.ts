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
  ["a reversed line", "a\u202eb\n", 4, 1, ["4 a⟨U+202E⟩b"]],
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

test("of a large hunk, as much is drawn as an editor can show", () => {
  const lines = Array.from({ length: 5000 }, (_, at) => `${at}`);
  const ghosts = ghostsOf([{ hunk: hunk(`${lines.join("\n")}\n`), row: 0, count: 5000 }]);
  assert.equal(ghosts.length, 200);
  assert.equal(ghosts.at(-1)?.text, "199 (and 4800 more removed lines)");
  const [first] = ghosts;
  assert.deepEqual(first?.hover.slice(0, 2), ["- 0", "- 1"]);
  assert.deepEqual(first?.hover.slice(-2), ["- 49", "(and 4950 more removed lines)"]);
  assert.equal(ghosts[100]?.hover[0], "- 100");
});

test("the hover of a small hunk shows all of it at each line", () => {
  const ghosts = ghostsOf([{ hunk: hunk("a\nb\nc\n"), row: 0, count: 2 }]);
  assert.deepEqual(
    ghosts.map(({ hover }) => hover),
    [
      ["- a", "- b", "- c"],
      ["- a", "- b", "- c"],
    ],
  );
});
