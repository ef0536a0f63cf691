/** Completion in the prompt: the word at the caret, the candidates, and the text after one was taken. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, fileCandidate, rank, wordAt } from "../../src/chat/complete.ts";
import { asDraft } from "../../src/chat/turns.ts";

// The caret stands at the bar.
for (const [name, text, want] of [
  ["nothing", "|", undefined],
  ["a mention", "see @src/a|", { sign: "@", query: "src/a", start: 4 }],
  ["a mention at the beginning", "@|", { sign: "@", query: "", start: 0 }],
  ["a mention in its middle", "@sr|c/a", { sign: "@", query: "sr", start: 0 }],
  ["a mention in another line", "one\n@b|", { sign: "@", query: "b", start: 4 }],
  ["an address", "me@example|", undefined],
  ["behind a mention", "@a |", undefined],
  ["a prompt", "/rev|", { sign: "/", query: "rev", start: 0 }],
  ["a slash in the text", "a /b|", undefined],
  ["the arguments of a prompt", "/rev a|", undefined],
] as const) {
  test(`the word at the caret: ${name}`, () => {
    const caret = text.indexOf("|");
    assert.deepEqual(wordAt(text.replace("|", ""), caret), want);
  });
}

test("a candidate takes the place of the word, up to the caret, with one blank behind it", () => {
  const word = { sign: "@", query: "a", start: 4 } as const;
  assert.deepEqual(complete("see @a now", word, "@src/a.ts "), { text: "see @src/a.ts now", caret: 14 });
  assert.deepEqual(complete("see @a now", word, ""), { text: "see  now", caret: 4 });
});

test("candidates hold the query in order; the nearest name comes first, and all come for nothing", () => {
  const paths = ["lib/parse/other.ts", "src/a.ts", "src/parse.ts", "src/sparse.ts", "docs/p/a/r.md"];
  const ranked = (query: string): string[] => rank(query, paths, (path) => path);
  assert.deepEqual(ranked("parse"), ["src/parse.ts", "src/sparse.ts", "lib/parse/other.ts"]);
  assert.deepEqual(ranked("PAR"), ["src/parse.ts", "src/sparse.ts", "lib/parse/other.ts", "docs/p/a/r.md"]);
  assert.deepEqual(ranked(""), paths);
  assert.deepEqual(ranked("zz"), []);
});

test("a file is mentioned in the text, or attached where its path has blanks", () => {
  assert.deepEqual(fileCandidate("src/a.ts"), {
    label: "a.ts",
    description: "src/a.ts",
    insert: "@src/a.ts ",
    attach: [],
  });
  assert.deepEqual(fileCandidate("my notes.md").attach, [{ type: "file", path: "my notes.md" }]);
});

test("messages that come back bring what was attached", () => {
  const waiting = { itemId: "i", turnId: "t", delivery: "steer" as const };
  const picture = { type: "image" as const, mimeType: "image/png", data: "AAAA" };
  const messages = [
    { ...waiting, content: [{ type: "text" as const, text: "one" }, picture] },
    { ...waiting, content: [picture] },
    { ...waiting, content: [{ type: "text" as const, text: "two" }] },
  ];
  assert.deepEqual(asDraft(messages), { text: "one\n\ntwo", attached: [picture, picture] });
});
