/** The first run: keys, lists of models and providers, and what is missing in words. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import type { ModelsListResult } from "pintle-client";
import { ErrorCode, RequestFailed } from "pintle-client";
import { costText } from "../../src/chat/usage.ts";
import { problemOf } from "../../src/connection/problem.ts";
import {
  accessTo,
  modelRows,
  providerOf,
  providerRows,
  sizeOf,
  withoutEffort,
} from "../../src/settings/choices.ts";
import { Keys } from "../../src/settings/keys.ts";
import { rig } from "./support.ts";

class Store {
  readonly values = new Map<string, string>();

  get(name: string): Promise<string | undefined> {
    return Promise.resolve(this.values.get(name));
  }

  store(name: string, value: string): Promise<void> {
    this.values.set(name, value);
    return Promise.resolve();
  }
}

test("keys are kept by their variable, replaced and removed", async () => {
  const keys = new Keys(new Store());
  assert.deepEqual(await keys.all(), {});
  await keys.set("A_KEY", " one\n");
  await keys.set("B_KEY", "two");
  await keys.set("A_KEY", "three");
  assert.deepEqual(await keys.all(), { A_KEY: "three", B_KEY: "two" });
  await keys.remove("A_KEY");
  assert.deepEqual(await keys.all(), { B_KEY: "two" });
});

for (const [name, stored, want] of [
  ["what is no JSON", "{", {}],
  ["what is no object", "null", {}],
  ["what is no variable, or no text", '{"A B":"x","C":1,"D":"y"}', { D: "y" }],
] as const) {
  test(`of stored keys, ${name} counts as none`, async () => {
    const store = new Store();
    store.values.set("pintle.keys", stored);
    assert.deepEqual(await new Keys(store).all(), want);
  });
}

test("the engine's process has the keys, from its next start on", async (context) => {
  const { chat, environment, folder, until } = rig(context, {});
  const value = (): string => fs.readFileSync(path.join(folder, "key"), "utf8");
  await chat.start();
  assert.equal(value(), "");
  environment["MINE_KEY"] = "sk-1";
  await chat.engine.restart();
  await until("it is ready", () => chat.engine.status.kind === "ready");
  assert.equal(value(), "sk-1");
});

const listed: ModelsListResult = {
  providers: [
    { name: "set", title: "Set Up", key: "set", keyVar: "SET_KEY", source: "" },
    { name: "none", key: "missing", keyVar: "NONE_KEY", source: "" },
    { name: "free", key: "notNeeded", source: "" },
  ],
  models: [
    { model: "none/a", profile: "pi", source: "" },
    {
      model: "set/b",
      name: "B",
      profile: "pi",
      source: "",
      window: 200_000,
      price: { inputUsdPerMtok: 3, outputUsdPerMtok: 15 },
      vision: true,
    },
    { model: "set/older", profile: "pi", source: "", vision: false },
    { model: "free/c:free", profile: "pi", source: "" },
  ],
};

test("models stand under their providers, those that can be used first", () => {
  const rows = modelRows(listed, "set/b:high").map(({ label, description, model }) => [
    label,
    description,
    model,
  ]);
  assert.deepEqual(rows, [
    ["Set Up", "", undefined],
    ["$(check) B", "200K · $3 in, $15 out · set/b", "set/b"],
    ["set/older", "no images", "set/older"],
    ["free", "", undefined],
    ["free/c:free", "", "free/c:free"],
    ["none (not set up)", "", undefined],
    ["none/a", "", "none/a"],
  ]);
  assert.equal(providerOf("openrouter/z/glm"), "openrouter");
  assert.deepEqual(["a/b:low", "a/b:free", "a/b"].map(withoutEffort), ["a/b", "a/b:free", "a/b"]);
});

for (const [tokens, want] of [
  [512, "512"],
  [8192, "8K"],
  [272_000, "272K"],
  [999_999, "999K"],
  [1_000_000, "1M"],
  [1_048_576, "1M"],
  [1_250_000, "1.2M"],
  [10_000_000, "10M"],
] as const) {
  test(`a window of ${tokens} tokens is ${want}`, () => assert.equal(sizeOf(tokens), want));
}

for (const [name, methods, keyVar, isRemote, want] of [
  ["a key alone", ["key"], "K", false, ["key"]],
  ["a code, then a key", ["device", "key"], "K", false, ["device", "key"]],
  ["a page in the browser", ["browser", "key"], "K", false, ["browser", "key"]],
  ["a page that a browser elsewhere does not reach", ["browser", "key"], "K", true, ["key"]],
  ["a code works from elsewhere too", ["device"], undefined, true, ["device"]],
  ["a key without a variable cannot be kept", ["key"], undefined, false, []],
] as const) {
  test(`access to a provider: ${name}`, () => {
    const auth = { provider: "p", methods: [...methods], key: "missing" as const };
    const ways = accessTo(auth, "P", keyVar, isRemote);
    assert.deepEqual(
      ways.map(({ method }) => method),
      want,
    );
    for (const { label } of ways) assert.match(label, /\bP$/);
  });
}

test("of the providers, those that want a login or key come first", () => {
  const rows = providerRows(
    [
      { provider: "set", methods: ["key"], key: "set" },
      { provider: "none", methods: ["key"], key: "missing" },
      { provider: "page", methods: ["browser", "key"], key: "missing" },
      { provider: "in", methods: ["device"], stored: "device", key: "login" },
      { provider: "free", methods: [], key: "notNeeded" },
    ],
    listed.providers,
  );
  assert.deepEqual(
    rows.map(({ label, description }) => [label, description]),
    [
      ["page", ""],
      ["none", ""],
      ["in", "signed in"],
      ["Set Up", "has a key"],
    ],
  );
});

for (const [name, code, message, data, text, need] of [
  ["no model", -32602, "no model is set", "config", "No model chosen yet.", { kind: "model" }],
  [
    "no key",
    ErrorCode.authRequired,
    "no key for mine",
    "authRequired",
    "There is no key for mine.",
    { kind: "key", provider: "mine" },
  ],
  [
    "a login that is over",
    ErrorCode.authRequired,
    "the login is over",
    "authRequired",
    "There is no key for this model.",
    { kind: "key", provider: undefined },
  ],
  ["another setting", -32602, "line 3 is wrong", "config", "Line 3 is wrong.", undefined],
] as const) {
  test(`what is missing: ${name}`, () => {
    const hint = "use --model or auth/login";
    const problem = problemOf(new RequestFailed("session/open", code, message, { code: data, hint }));
    assert.equal(problem.text, text);
    assert.deepEqual(problem.need, need);
    if (need !== undefined) assert.doesNotMatch(problem.hint, /--model|auth\//);
  });
}

for (const [nano, want] of [
  [undefined, ""],
  [0, ""],
  [420_000_000, "$0.42"],
  [12_345_000_000, "$12.35"],
  [9_999_999, "$0.01"],
  [1_250_000, "$0.001"],
  [40_000, "$0.00004"],
] as const) {
  test(`money: ${nano ?? "unknown"}`, () => assert.equal(costText(nano), want));
}
