import assert from "node:assert/strict";
import { test } from "node:test";
import type { Link } from "../../src/chat/links.ts";
import { fileOfCode, readLink } from "../../src/chat/links.ts";

interface Token {
  attrGet(name: string): string | null;
  type: string;
  children: Token[] | null;
}

// The page's files are checked with a browser's types, which are not here: hence a name that only the run resolves.
const TOKENS = "../../src/webview/tokens.ts";
const { parse } = (await import(TOKENS)) as { parse: (text: string) => Token[] };

/** The address of the first link in a message; undefined if it has none. */
function hrefIn(markdown: string): string | undefined {
  const all = parse(markdown).flatMap(({ children }) => children ?? []);
  return all.find(({ type }) => type === "link_open")?.attrGet("href") ?? undefined;
}

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

for (const [href, want] of [
  ["C:\\w\\a.ts", { kind: "file", path: "C:\\w\\a.ts" }],
  ["C:\\w\\a.ts:12", { kind: "file", path: "C:\\w\\a.ts", line: 12 }],
  ["C:%5Cw%5Ca%20b.ts:12:3", { kind: "file", path: "C:\\w\\a b.ts", line: 12, column: 3 }],
  ["c:/w/a.ts#L12-L20", { kind: "file", path: "c:/w/a.ts", line: 12, end: 20 }],
  ["file:///c%3A/w/a%20b/%E6%96%87.ts#L3", { kind: "file", path: "c:/w/a b/文.ts", line: 3 }],
  ["file:///C:/w/a.ts:12", { kind: "file", path: "C:/w/a.ts", line: 12 }],
  ["file://server/share/a.ts#L3", { kind: "file", path: "//server/share/a.ts", line: 3 }],
  ["\\\\server\\share\\a.ts", { kind: "file", path: "\\\\server\\share\\a.ts" }],
  ["/c:/w/a.ts", { kind: "file", path: "c:/w/a.ts" }],
  ["src\\a.ts:12", { kind: "file", path: "src\\a.ts", line: 12 }],
  ["https://example.org/a.ts:12", { kind: "address", address: "https://example.org/a.ts:12" }],
  ["vscode:extension/x", undefined],
] as [string, Link | undefined][]) {
  test(`a link on Windows: ${href}`, () => {
    assert.deepEqual(readLink(href, "windows"), want);
  });
}

for (const [markdown, path] of [
  ["[a](C:\\w\\a.ts:12)", "C:\\w\\a.ts"],
  ["[a](<C:\\w s\\a.ts:12>)", "C:\\w s\\a.ts"],
  ["[a](c:/w/a.ts#L12)", "c:/w/a.ts"],
  ["[a](src\\a.ts:12)", "src\\a.ts"],
  ["[a](file:///c%3A/w/a.ts#L12)", "c:/w/a.ts"],
  ["[a](FILE:///C:/w/a.ts:12)", "C:/w/a.ts"],
  ["[a](javascript:alert(1):12)", undefined],
  ["[a](data:text/html,x:12)", undefined],
] as const) {
  test(`a link in a message on Windows: ${markdown}`, () => {
    const href = hrefIn(markdown);
    const want = path === undefined ? undefined : { kind: "file", path, line: 12 };
    assert.deepEqual(href === undefined ? undefined : readLink(href, "windows"), want);
  });
}

for (const [name, text, info, want] of [
  ["a patch names its file", "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n", "diff", "src/a.ts"],
  ["a file that a patch removes is none", "--- a/a.ts\n+++ /dev/null\n", "diff", undefined],
  ["a patch with CR LF", "--- a/a.ts\r\n+++ b/src/a.ts\r\n@@ -1 +1 @@\r\n", "diff", "src/a.ts"],
  ["a path with a drive behind the language", "x", "ts C:\\w\\a.ts", "C:\\w\\a.ts"],
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
