import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRule } from "pintle-client";
import { describeRule } from "../../src/settings/rules.ts";

test("a rule is described by its text, and by where it comes from or how long it holds", () => {
  const rows: [Partial<PermissionRule> | { source: string; scope?: string }, string][] = [
    [{ source: "config" }, "in config.toml"],
    [{ source: "policy" }, "in the policy of this engine"],
    [{ source: "project" }, "in .pintle/permissions.toml"],
    [{ source: "answer", scope: "turn" }, "for this turn"],
    [{ source: "answer", scope: "session" }, "for this session"],
    [{ source: "answer", scope: "project" }, "always in this project"],
    [{ source: "answer", scope: "user" }, "always"],
    // Of a newer engine.
    [{ source: "answer", scope: "week" }, "week"],
    [{ source: "cloud" }, "cloud"],
  ];
  for (const [given, description] of rows) {
    const rule = { text: "allow `make`", decision: "allow", ...given } as PermissionRule;
    assert.deepEqual(describeRule(rule), { label: "allow `make`", description });
  }
});
