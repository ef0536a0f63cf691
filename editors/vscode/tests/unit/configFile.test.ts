/** Completion of the engine's `config.toml`: the place of the caret, what can be typed there, and what a key means. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { explained, placeAt, proposals } from "../../src/settings/configFile.ts";
import type { Schema } from "../../src/settings/configFile.ts";

const file = new URL("../../../../protocol/config.schema.json", import.meta.url);
const schema = JSON.parse(readFileSync(file, "utf8")) as Schema;

/** The lines of a text, and the caret in it, which stands at the bar. */
function caretIn(text: string): { lines: string[]; line: number; character: number } {
  const before = text.slice(0, text.indexOf("|")).split("\n");
  const lines = text.replace("|", "").split("\n");
  return { lines, line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}

function proposed(text: string): string[] | undefined {
  const { lines, line, character } = caretIn(text);
  const place = placeAt(lines, line, character);
  return place && proposals(schema, lines, line, place).map((each) => each.insert ?? each.label);
}

for (const [name, text, want] of [
  ["a comment", "# mod|", undefined],
  ["a mode", "permission_mode = |", ['"read-only"', '"ask"', '"auto-edit"', '"full"']],
  ["a begun value", 'permission_mode = "f|', ['"read-only"', '"ask"', '"auto-edit"', '"full"']],
  ["a flag", "[tools]\nweb_fetch = |", ["true", "false"]],
  ["a default", "retries = |", ["3"]],
  ["an example", "model = |", ['"anthropic/claude-sonnet-4-6:high"']],
  ["an unknown key", "colour = |", []],
  ["the keys of a table", "[title]\n|", ["enabled = ", "model = "]],
  ["without those that are set", "[title]\nenabled = false\n|\n[tools]\nmodel = 1", ["model = "]],
  [
    "the keys of a table in a list",
    "[[hooks]]\npoint = 1\ncommand = 1\ntools = 1\n|",
    ["timeout_s = ", "on_failure = "],
  ],
  ["dotted keys", "[providers.local]\nlogin.returns = |", ['"tokens"', '"key"']],
  ["tables in lists", "[[|", ["rules", "hooks"]],
] as const) {
  test(`in config.toml is proposed: ${name}`, () => {
    assert.deepEqual(proposed(text), want);
  });
}

test("above all tables the plain keys are proposed, and in a header the tables", () => {
  assert.ok(proposed("|")?.includes("model = "));
  assert.ok(!proposed("|")?.some((each) => each.startsWith("tools")));
  const tables = proposed("[|") ?? [];
  assert.ok(tables.includes("tools") && tables.includes("providers."));
  assert.ok(!tables.includes("rules"));
});

test("a model of a provider has its keys, and a price below them", () => {
  const keys = proposed('[providers.local.models."a.b"]\n|');
  assert.ok(keys?.includes("window = ") && keys.includes("price."));
  const price = proposed('[providers.local.models."a.b"]\nprice.|');
  assert.deepEqual(price?.slice(0, 2), ["input = ", "output = "]);
});

test("a word that is typed is replaced from its beginning", () => {
  for (const [text, want] of [
    ["mod|", 0],
    ["  per|", 2],
    ['model = "a|', 8],
    ["[too|", 1],
    ["login.cl|", 6],
  ] as const) {
    const { lines, line, character } = caretIn(text);
    assert.equal(placeAt(lines, line, character)?.start, want, text);
  }
});

test("a key and a table are explained", () => {
  for (const [text, want] of [
    ["retr|ies = 3", /^Retries of a request.* \(3\)$/],
    ["[to|ols]", /^The tools/],
    ["[tools]\nweb_|fetch = true", /fetches web pages/],
    ["[[hooks]]\npo|int = 1", /^The point/],
    ["retries = |3", undefined],
    ["colour| = 3", undefined],
  ] as const) {
    const { lines, line, character } = caretIn(text);
    const told = explained(schema, lines, line, character);
    if (want === undefined) assert.equal(told, undefined, text);
    else assert.match(told ?? "", want, text);
  }
});
