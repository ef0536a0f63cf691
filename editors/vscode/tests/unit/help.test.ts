import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { page, topicOf, topics } from "../../src/help/help.ts";

/** A program that prints what it was called with, and fails for the topic `wrong`. */
function program(): string {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "pintle-help-")), "pintle");
  const lines = [
    "#!/bin/sh",
    'case "$*" in',
    `  "help --json") printf '%s\\n' '{"topic":"a","summary":"first"}' '{"topic":"b","summary":"second"}' ;;`,
    '  "help wrong") echo "pintle: no help topic" >&2; exit 2 ;;',
    '  *) printf "# %s\\n" "$*" ;;',
    "esac",
  ];
  fs.writeFileSync(file, lines.join("\n"), { mode: 0o755 });
  return file;
}

test("topics and pages are those that the program prints", async () => {
  const file = program();
  assert.deepEqual(await topics(file), [
    { topic: "a", summary: "first" },
    { topic: "b", summary: "second" },
  ]);
  assert.equal(await page(file, "hooks"), "# help hooks\n");
});

test("what the program says on stderr is the reason of a failure", async () => {
  await assert.rejects(page(program(), "wrong"), /^Error: pintle: no help topic$/);
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
