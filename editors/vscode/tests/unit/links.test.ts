import assert from "node:assert/strict";
import { test } from "node:test";
import type { Link } from "../../src/chat/links.ts";
import { fileOfCode, readLink } from "../../src/chat/links.ts";

for (const [href, want] of [
  ["https://example.org/a.ts:12", { kind: "address", address: "https://example.org/a.ts:12" }],
  ["mailto:a@b.c", { kind: "address", address: "mailto:a@b.c" }],
  ["src/a.ts", { kind: "file", path: "src/a.ts" }],
  ["src/a.ts:12", { kind: "file", path: "src/a.ts", line: 12 }],
  ["src/a.ts:12:3", { kind: "file", path: "src/a.ts", line: 12, column: 3 }],
  ["src/a.ts#L12", { kind: "file", path: "src/a.ts", line: 12 }],
  ["src/a.ts#L12-L20", { kind: "file", path: "src/a.ts", line: 12, end: 20 }],
  ["src/a.ts#L12-20", { kind: "file", path: "src/a.ts", line: 12, end: 20 }],
  ["src/a.ts:12-20", { kind: "file", path: "src/a.ts", line: 12, end: 20 }],
  ["file:///w/a%20b/%E6%96%87.ts#L3", { kind: "file", path: "/w/a b/文.ts", line: 3 }],
  ["README.md#install", { kind: "file", path: "README.md" }],
  ["100%.txt", { kind: "file", path: "100%.txt" }],
  ["command:workbench.action.quit", undefined],
  ["javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["#install", undefined],
  ["", undefined],
] as [string, Link | undefined][]) {
  test(`a link: ${href === "" ? "none" : href}`, () => {
    assert.deepEqual(readLink(href), want);
  });
}

for (const [name, text, info, want] of [
  ["a patch names its file", "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n", "diff", "src/a.ts"],
  ["a file that a patch removes is none", "--- a/a.ts\n+++ /dev/null\n", "diff", undefined],
  ["a title", "x", 'ts title="src/a.ts"', "src/a.ts"],
  ["a name behind the language", "x", "ts src/a.ts", "src/a.ts"],
  ["a name in the language", "x", "ts:src/a.ts", "src/a.ts"],
  ["nothing but a language", "x", "ts", undefined],
  ["nothing", "x", "", undefined],
] as const) {
  test(`the file that code is for: ${name}`, () => {
    assert.equal(fileOfCode(text, info), want);
  });
}
