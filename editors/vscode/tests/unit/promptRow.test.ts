import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigOption, ModelInfo, ModelsListResult } from "pintle-client";
import type { Known } from "../../src/chat/choices.ts";
import { pickersOf } from "../../src/chat/choices.ts";
import { contextView } from "../../src/chat/contextParts.ts";
import { chipOf, middle } from "../../src/chat/input.ts";
import { slashOf } from "../../src/chat/slash.ts";

const model = (name: string, more: Partial<ModelInfo> = {}): ModelInfo => ({
  model: name,
  profile: "pi",
  source: "s",
  ...more,
});
const provider = (name: string, key: string): ModelsListResult["providers"][number] =>
  ({ name, api: "chat", key }) as ModelsListResult["providers"][number];

const LIST: ModelsListResult = {
  efforts: ["low", "high"],
  providers: [provider("a", "environment"), provider("b", "missing"), provider("c", "environment")],
  models: [
    model("a/plain", { window: 200_000 }),
    model("b/secret", { reasoning: true }),
    model("c/deep", { name: "Deep", reasoning: true, window: 1_000_000 }),
  ],
};
const EFFORT = { id: "effort", name: "Effort", value: "default", choices: ["default", "low", "high"] };
const known = (more: Partial<Known>): Known => ({
  model: "",
  permissionMode: "ask",
  mode: "act",
  options: undefined,
  models: LIST,
  ...more,
});

test("models that can answer are offered, those of the provider in use first", () => {
  const { text, title, choices } = pickersOf(known({ model: "c/deep:high" })).model;
  assert.deepEqual([text, title], ["Deep", "Model: c/deep"]);
  assert.deepEqual(
    choices.map(({ value, label, detail, isCurrent }) => [value, label, detail, isCurrent]),
    [
      ["c/deep", "Deep", "deep · 1M tokens", true],
      ["a/plain", "plain", "200K tokens", false],
    ],
  );
  assert.equal(pickersOf(known({})).model.text, "Model…");
});

for (const [name, more, want] of [
  ["no model", {}, undefined],
  ["a model that does not reason", { model: "a/plain", options: [EFFORT] }, undefined],
  ["one that does, before there is a session", { model: "c/deep:low" }, ["low", "default", "low", "high"]],
  [
    "one that does, in a session",
    { model: "c/deep", options: [EFFORT] },
    ["Effort", "default", "low", "high"],
  ],
  [
    "one that is not listed, in a session",
    { model: "x/y", options: [EFFORT] },
    ["Effort", "default", "low", "high"],
  ],
  ["one that is not listed", { model: "x/y" }, undefined],
  ["a single level", { model: "x/y", options: [{ ...EFFORT, choices: ["default"] }] }, undefined],
] as [string, Partial<Known>, string[] | undefined][]) {
  test(`effort is offered where the model has levels: ${name}`, () => {
    const picker = pickersOf(known(more)).effort;
    const found = picker && [picker.text, ...picker.choices.map(({ value }) => value)];
    assert.deepEqual(found, want);
  });
}

test("the mode is what needs no question, or the plan that comes first", () => {
  const options: ConfigOption[] = [];
  const asks = pickersOf(known({ options })).mode;
  assert.deepEqual(
    [asks.text, asks.title, asks.choices.filter((each) => each.isCurrent).length],
    ["Ask", "Mode: Ask", 2],
  );
  for (const [more, text, detail] of [
    [{}, "Ask", "Changes and commands ask first."],
    [{ permissionMode: "full" }, "Full", "Nothing asks."],
    [{ permissionMode: "" }, "Default mode", "Unless configured otherwise, changes and commands ask first."],
    [
      { permissionMode: "full", mode: "plan" },
      "Plan first",
      "The agent reads, and presents a plan before it changes anything.",
    ],
  ] as [Partial<Known>, string, string][]) {
    const { mode } = pickersOf(known({ options, ...more }));
    assert.deepEqual([mode.text, mode.detail], [text, detail]);
  }
  assert.deepEqual(
    pickersOf(known({})).mode.choices.map(({ option }) => option),
    ["permissionMode", "permissionMode", "permissionMode", "permissionMode", "mode", "mode"],
    "before there is a session, too",
  );
});

for (const [text, want] of [
  ["/compact", ["compact", ""]],
  ["  /compact keep names\nand paths ", ["compact", "keep names\nand paths"]],
  ["/review", ["review", ""]],
  ["/review this file", undefined],
  ["/plan the release", ["plan", "the release"]],
  ["/tidy", undefined],
  ["/etc/hosts is wrong", undefined],
  ["say /compact", undefined],
] as [string, [string, string] | undefined][]) {
  test(`a message that is a command: ${text}`, () => {
    const slash = slashOf(text);
    assert.deepEqual(slash && [slash.name, slash.rest], want);
  });
}

test("what fills the window, in parts", () => {
  const sources = [
    { source: "system", count: 1, tokens: 1000 },
    { source: "tools", count: 17, tokens: 2000 },
    { source: "user", count: 2, tokens: 500 },
    { source: "result of read", count: 3, tokens: 5000 },
    { source: "result of bash", count: 1, tokens: 1500 },
    { source: "result of Read", count: 1, tokens: 0 },
    { source: "hologram", count: 1, tokens: 0 },
  ];
  const { sum, parts, cost } = contextView(
    { usage: { tokens: 10_000, window: 200_000 }, sources },
    "$1",
    true,
  );
  assert.equal(sum, "10,000 of 200K tokens (5 %)");
  assert.equal(cost, "The session cost $1 so far.");
  assert.deepEqual(
    parts.map(({ label, tokens, share }) => `${label} ${tokens} ${share}`),
    [
      "System prompt 1,000 10",
      "Tools 2,000 20",
      "Files 5,000 50",
      "Other tool results 1,500 15",
      "Your messages 500 5",
    ],
  );
  assert.equal(contextView({ usage: { tokens: 5 }, sources: [] }, "", false).sum, "5 tokens");
});

test("chips name the file; the path is in the hover", () => {
  const range = { start: 3, end: 9 };
  assert.deepEqual(chipOf({ type: "selection", path: "/w/src/a.ts", range, text: "" }), {
    icon: "list-selection",
    label: "a.ts:3-9",
    title: "selection of /w/src/a.ts, lines 3 to 9",
  });
  assert.equal(chipOf({ type: "file", path: "C:\\w\\b.rs", range: { start: 2, end: 2 } }).label, "b.rs:2");
  assert.equal(chipOf({ type: "image", mimeType: "image/png", data: "A".repeat(4096) }).label, "image, 3 KB");
});

for (const [name, most, want] of [
  ["short.ts", 32, "short.ts"],
  ["a-very-long-name.test.ts", 11, "a-ver…st.ts"],
  ["αβγδεζηθικ", 5, "αβ…ικ"],
] as const) {
  test(`a name cut in its middle: ${name}`, () => assert.equal(middle(name, most), want));
}
