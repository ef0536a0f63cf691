/** The answers to pick from, wherever they are given. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Approval } from "pintle-client";
import { rowsOf, textOfAsked } from "../../src/chat/approvals.ts";
import type { Asked } from "../../src/chat/consent.ts";
import { titleOf } from "../../src/chat/consent.ts";

const approval = (more: Partial<Approval> = {}): Asked => ({
  kind: "approval",
  approval: {
    approvalId: "a",
    sessionId: "s",
    turnId: "t",
    itemId: "i",
    toolName: "bash",
    kind: "execute",
    title: "bash: rm \u202etxt",
    reason: "runs a command",
    input: {},
    options: [
      { optionId: "allow", label: "Allow", decision: "allow", scope: "once" },
      {
        optionId: "p",
        label: "Always",
        decision: "allow",
        scope: "project",
        rules: ["allow `rm **`", "allow `ls`"],
      },
      { optionId: "abort", label: "Stop", decision: "abort", scope: "once" },
    ],
    ...more,
  },
});

test("the first row of a question answers nothing, and each answer says what it leaves behind", () => {
  const rows = rowsOf(approval());
  assert.equal(rows[0]?.pick.type, "leave");
  assert.deepEqual(
    rows.slice(2).map(({ label, detail }) => [label, detail]),
    [
      ["$(check) Allow", ""],
      ["$(check) Always", "Adds the rules allow `rm **`, allow `ls` to the rules of this project."],
      ["$(x) Stop", "The turn ends."],
    ],
  );
  const details = [{ kind: "command" as const, text: "rm \u202etxt" }];
  assert.equal(titleOf(approval({ details })), "Run rm ⟨U+202E⟩txt?");
});

test("a question of the model takes an option or own words", () => {
  const question = { questionId: "q", sessionId: "s", turnId: "t", itemId: "i", deadlineMs: 0 };
  const asked = (multiple: boolean): Asked => ({
    kind: "question",
    question: {
      ...question,
      kind: "choice",
      text: "Which?",
      multiple,
      options: [{ optionId: "1", label: "red" }],
    },
  });
  const picks = (multiple: boolean): string[] => rowsOf(asked(multiple)).map(({ pick }) => pick.type);
  assert.deepEqual(picks(false), ["leave", "chat", "say", "words"]);
  assert.deepEqual(picks(true), ["leave", "chat", "words"]);
});

for (const [name, more, want] of [
  ["a command", { details: [{ kind: "command", text: "a\nb" }] }, "a\nb"],
  [
    "a command in the model's words",
    {
      details: [
        { kind: "command", text: "a" },
        { kind: "modelText", text: "safe" },
      ],
    },
    "# command\na\n\n# modelText\nsafe",
  ],
  [
    "a change, which its diff shows",
    {
      details: [
        { kind: "path", text: "/a" },
        { kind: "content", text: "x" },
      ],
      changes: [{ op: "add", path: "/a", diff: "@@ -0,0 +1 @@\n+x\n", added: 1, removed: 0 }],
    },
    "",
  ],
  ["a file that is no text", { details: [{ kind: "path", text: "/a" }] }, "/a"],
] as const) {
  test(`the whole of what is asked: ${name}`, () => {
    assert.equal(textOfAsked(approval(more as unknown as Partial<Approval>)), want);
  });
}
