/** Paths by the rules of each system: every row runs on every system. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isAbsolute,
  isInside,
  isSame,
  keyOf,
  labelOf,
  ofAddress,
  split,
  systemOf,
  withSlashes,
} from "../../src/paths.ts";

test("only win32 is Windows", () => {
  assert.deepEqual(["win32", "linux", "darwin", undefined].map(systemOf), [
    "windows",
    "unix",
    "unix",
    "unix",
  ]);
});

for (const [name, a, b, windows, unix] of [
  ["equal text", "C:\\w\\a.ts", "C:\\w\\a.ts", true, true],
  ["the drive's case and the separators", "c:\\w\\a.ts", "C:/w/a.ts", true, false],
  ["the case of names", "C:\\W\\A.ts", "c:\\w\\a.TS", true, false],
  ["the case of other letters", "C:\\ÄÖ\\ПРИВЕТ", "C:\\äö\\привет", true, false],
  ["a letter that has two in upper case", "C:\\straße", "C:\\STRASSE", false, false],
  ["composed and decomposed letters", "C:\\\u00e9", "C:\\e\u0301", false, false],
  ["double and last separators", "C:\\w\\\\a\\", "C:/w/a", true, false],
  ["dots", "C:\\w\\.\\b\\..\\a.ts", "c:/w/a.ts", true, false],
  ["dots above the root", "C:\\..\\a.ts", "c:/a.ts", true, false],
  ["another drive", "C:\\w\\a.ts", "D:\\w\\a.ts", false, false],
  ["a server", "\\\\Server\\Share\\a.ts", "//server/share/A.ts", true, false],
  ["another share", "\\\\server\\one\\a.ts", "\\\\server\\two\\a.ts", false, false],
  ["a verbatim path", "\\\\?\\C:\\w\\a.ts", "C:\\w\\a.ts", true, false],
  ["a verbatim path with slashes", "//?/C:/w/a.ts", "C:\\w\\a.ts", true, false],
  ["a verbatim path of a server", "\\\\?\\UNC\\server\\share\\a", "\\\\server\\share\\a", true, false],
  ["a path that is relative to a drive", "C:a.ts", "C:\\a.ts", false, false],
  ["case on Unix", "/w/a.ts", "/w/A.ts", true, false],
  ["a backslash, which is a letter on Unix", "/w/a\\b", "/w/a/b", true, false],
  ["slashes on Unix", "/w//a/./b/../c/", "/w/a/c", true, true],
] as const) {
  test(`the same file: ${name}`, () => {
    assert.deepEqual([isSame(a, b, "windows"), isSame(a, b, "unix")], [windows, unix]);
    assert.equal(keyOf(a, "windows") === keyOf(b, "windows"), windows);
  });
}

for (const [system, folder, file, want] of [
  ["windows", "c:\\w", "C:/w/src/a.ts", "src/a.ts"],
  ["windows", "C:\\Work Space", "c:\\work space\\SRC\\文件.txt", "SRC/文件.txt"],
  ["windows", "c:\\w\\", "C:\\w\\a.ts", "a.ts"],
  ["windows", "c:\\", "C:\\a.ts", "a.ts"],
  ["windows", "c:\\w", "C:\\w2\\a.ts", undefined],
  ["windows", "c:\\w", "C:\\w", undefined],
  ["windows", "c:\\w", "d:\\w\\a.ts", undefined],
  ["windows", "c:\\w", "C:\\w\\..\\b.ts", undefined],
  ["windows", "c:\\w", "a.ts", undefined],
  ["windows", "c:\\w", "C:\\w\\..a", "..a"],
  ["windows", "\\\\server\\share\\w", "//SERVER/share/w/a.ts", "a.ts"],
  ["windows", "\\\\server\\share", "\\\\server\\share2\\a.ts", undefined],
  ["windows", "", "C:\\w\\a.ts", undefined],
  ["windows", "", "a.ts", undefined],
  ["unix", "/w", "/w/a b/文件.txt", "a b/文件.txt"],
  ["unix", "/w/", "/w/a.ts", "a.ts"],
  ["unix", "/", "/w/a.ts", "w/a.ts"],
  ["unix", "/w", "/W/a.ts", undefined],
  ["unix", "/w", "/w2/a.ts", undefined],
  ["unix", "/w", "/w", undefined],
  ["unix", "/w", "/w/../b.ts", undefined],
  ["unix", "/w", "/w/..a", "..a"],
  ["unix", "/w", "/w/a\\b.ts", "a\\b.ts"],
  ["unix", "", "/w/a.ts", undefined],
] as const) {
  test(`below ${folder === "" ? "no folder" : folder} on ${system}: ${file}`, () => {
    assert.equal(isInside(folder, file, system), want !== undefined);
    assert.equal(labelOf(folder, file, system), want ?? file);
  });
}

for (const [path, windows, unix] of [
  ["C:\\a.ts", true, false],
  ["c:/a.ts", true, false],
  ["\\\\server\\share\\a.ts", true, false],
  ["//server/share", true, true],
  ["C:a.ts", false, false],
  ["\\a.ts", false, false],
  ["/a.ts", false, true],
  ["src\\a.ts", false, false],
  ["..\\a.ts", false, false],
  ["", false, false],
] as const) {
  test(`absolute: ${path === "" ? "nothing" : path}`, () => {
    assert.deepEqual([isAbsolute(path, "windows"), isAbsolute(path, "unix")], [windows, unix]);
  });
}

for (const [system, path, folder, name] of [
  ["windows", "C:\\w\\a.ts", "C:\\w", "a.ts"],
  ["windows", "C:/w\\src/a.ts", "C:/w\\src", "a.ts"],
  ["windows", "a.ts", "", "a.ts"],
  ["unix", "/w/a\\b.ts", "/w", "a\\b.ts"],
  ["unix", "a.ts", "", "a.ts"],
] as const) {
  test(`split on ${system}: ${path}`, () => assert.deepEqual(split(path, system), { folder, name }));
}

test("glob patterns get slashes, and names on Unix keep their backslashes", () => {
  assert.equal(withSlashes("src\\a.ts", "windows"), "src/a.ts");
  assert.equal(withSlashes("src/a\\b.ts", "unix"), "src/a\\b.ts");
});

for (const [address, windows, unix] of [
  ["file:///c:/w/a.ts", "c:/w/a.ts", "/c:/w/a.ts"],
  ["FILE:///C:\\w\\a.ts", "C:\\w\\a.ts", "/C:\\w\\a.ts"],
  ["file://localhost/c:/w/a.ts", "c:/w/a.ts", "/c:/w/a.ts"],
  ["file://server/share/a.ts", "//server/share/a.ts", "/share/a.ts"],
  ["file:////server/share/a.ts", "//server/share/a.ts", "//server/share/a.ts"],
  ["file:///w/a.ts", "/w/a.ts", "/w/a.ts"],
  ["/c:/w/a.ts", "c:/w/a.ts", "/c:/w/a.ts"],
  ["C:\\w\\a.ts", "C:\\w\\a.ts", "C:\\w\\a.ts"],
  ["src/a.ts", "src/a.ts", "src/a.ts"],
] as const) {
  test(`the path of ${address}`, () => {
    assert.deepEqual([ofAddress(address, "windows"), ofAddress(address, "unix")], [windows, unix]);
  });
}
