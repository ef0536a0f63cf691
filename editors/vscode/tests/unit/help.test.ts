import assert from "node:assert/strict";
import { test } from "node:test";
import { page, topicOf, topics } from "../../src/help/help.ts";
import { PROGRAM, running } from "./program.ts";

Object.assign(process.env, running("fake-help.mjs"));

test("topics and pages are those that the program prints", async () => {
  assert.deepEqual(await topics(PROGRAM), [
    { topic: "a", summary: "first" },
    { topic: "b", summary: "second" },
  ]);
  assert.equal(await page(PROGRAM, "hooks"), "# help hooks\n");
});

test("what the program says on stderr is the reason of a failure", async () => {
  await assert.rejects(page(PROGRAM, "wrong"), /^Error: pintle: no help topic$/);
  await assert.rejects(page("/nowhere/pintle", "hooks"), /ENOENT/);
});

test("a link between pages names a topic", () => {
  for (const [link, want] of [
    ["hooks.md", "hooks"],
    ["permissions.md#limitations", "permissions"],
    ["../../../README.md", undefined],
    ["https://example.com/a.md", undefined],
  ] as const) {
    assert.equal(topicOf(link), want, link);
  }
});
