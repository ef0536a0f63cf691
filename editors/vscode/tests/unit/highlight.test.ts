/** Code in the colours of a theme, with a small grammar and theme of the tests' own. */
import assert from "node:assert/strict";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { test } from "node:test";
import { Highlighter, parseJsonc, readLanguages, readTheme } from "../../src/chat/highlight.ts";

const FILES: Record<string, string> = {
  "/g/toy.json": JSON.stringify({
    scopeName: "source.toy",
    patterns: [
      { match: "\\b(let|fn)\\b", name: "keyword.toy" },
      { begin: '"', end: '"', name: "string.toy" },
    ],
  }),
  "/t/base.json": `{ // the base
    "colors": { "editor.foreground": "#111111" },
    "tokenColors": [ { "scope": "keyword", "settings": { "foreground": "#0000FF" } }, ],
  }`,
  "/t/theme.json": `{
    "include": "./base.json",
    "tokenColors": [
      { "scope": ["string", "comment"], "settings": { "foreground": "#00FF00", "fontStyle": "italic" } },
      { "scope": "keyword", "settings": { "fontStyle": "bold" } } /* last */
    ]
  }`,
};

const read = (file: string): Promise<string> => {
  // Windows joins names with a backslash.
  const text = FILES[file.replaceAll("\\", "/")];
  return text === undefined ? Promise.reject(new Error(`no ${file}`)) : Promise.resolve(text);
};

function highlighter(theme = "/t/theme.json"): Highlighter {
  const languages = readLanguages(
    [
      {
        folder: "/g",
        languages: [{ id: "toylang", aliases: ["Toy"], extensions: [".ty"] }],
        grammars: [{ language: "toylang", scopeName: "source.toy", path: "toy.json" }],
      },
    ],
    (folder, file) => `${folder}/${file}`,
  );
  const wasm = path.join(import.meta.dirname, "../../node_modules/vscode-oniguruma/release/onig.wasm");
  return new Highlighter(
    languages,
    read,
    () => fs.readFile(wasm),
    () => readTheme(theme, read),
  );
}

test("code has the colours of the theme, a string over two lines too", async () => {
  const lines = await highlighter().lines("ty", 'let a = "b\nc" fn');
  assert.deepEqual(lines, [
    [
      { text: "let", color: "#0000FF", style: "bold" },
      { text: " a = ", color: "#111111", style: "" },
      { text: '"b', color: "#00FF00", style: "italic" },
    ],
    [
      { text: 'c"', color: "#00FF00", style: "italic" },
      { text: " ", color: "#111111", style: "" },
      { text: "fn", color: "#0000FF", style: "bold" },
    ],
  ]);
});

test("a language is known by its id, its alias and the end of its files; any other stays plain", async () => {
  const all = highlighter();
  for (const name of ["toylang", "toy", "TOY", "ty"])
    assert.equal((await all.lines(name, "let")).length, 1, name);
  assert.deepEqual(await all.lines("brainfuck", "let"), []);
});

test("another theme holds from the next code on", async () => {
  const all = highlighter("/t/base.json");
  assert.equal((await all.lines("toy", "let"))[0]?.[0]?.style, "");
  FILES["/t/base.json"] = '{"tokenColors":[{"scope":"keyword","settings":{"foreground":"#FF0000"}}]}';
  all.themeChanged();
  assert.equal((await all.lines("toy", "let"))[0]?.[0]?.color, "#FF0000");
});

test("JSON with comments and commas at ends is read; what looks like them in strings stays", () => {
  assert.deepEqual(parseJsonc('{"a": "// no, ] comment", /* x */ "b": [1, 2,], // y\n}'), {
    a: "// no, ] comment",
    b: [1, 2],
  });
});

test("themes that include each other end", async () => {
  FILES["/t/circle.json"] = '{"include": "./circle.json", "tokenColors": []}';
  assert.deepEqual(await readTheme("/t/circle.json", read), []);
});
