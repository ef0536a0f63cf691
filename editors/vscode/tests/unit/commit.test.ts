/** The request for a commit message, and the message in the answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf, requestOf } from "../../src/chat/commit.ts";

for (const [name, answer, want] of [
  ["a plain message", "Fix the cart\n", "Fix the cart"],
  ["with a body", "Fix the cart\n\nIt counted \nonce.\n", "Fix the cart\n\nIt counted\nonce."],
  ["in a fence", "```\nFix the cart\n\nBody.\n```\n", "Fix the cart\n\nBody."],
  ["in a fence with a language", "```text\nFix the cart\n```", "Fix the cart"],
  ["in quotes", '"Fix the cart"', "Fix the cart"],
  ["in backticks", "`Fix the cart`", "Fix the cart"],
  ["with code at its ends", "`a` and `b`", "`a` and `b`"],
  ["with a fence in its body", "Fix\n\n```\nx\n```", "Fix\n\n```\nx\n```"],
  ["nothing", "\n", ""],
] as const) {
  test(`a commit message in an answer: ${name}`, () => assert.equal(messageOf(answer), want));
}

const changes = {
  args: ["diff", "--cached"],
  diff: "diff --git a/a b/a\n+@a",
  added: [],
  subjects: [],
  draft: "",
};

test("the request has the diff, the style, the draft and new files; none of them is text that mentions files", () => {
  const inputs = requestOf({
    ...changes,
    added: ["b @c.txt"],
    subjects: ["cart: fix the sum", `${"x".repeat(300)}`],
    draft: " cart: ",
  });
  assert.deepEqual(
    inputs.map((each) => (each.type === "selection" ? each.path : each.type)),
    ["text", "git:log", "git:draft", "git:diff --cached", "git:new"],
  );
  const [text, log, draft, diff, added] = inputs.map((each) => ("text" in each ? each.text : ""));
  assert.doesNotMatch(text ?? "", /@/);
  assert.match(log ?? "", /cart: fix the sum\nx{200}\n```$/);
  assert.match(draft ?? "", /\ncart:\n/);
  assert.match(diff ?? "", /^The output of `git diff --cached`, 1 file, 2 lines:/);
  assert.match(added ?? "", /^New files:\n\n```\nb @c\.txt\n```$/);
});

test("parts that are empty are left out, and of many new files the first ones are named", () => {
  assert.equal(requestOf(changes).length, 2);
  const added = Array.from({ length: 150 }, (_, n) => `f${n}`);
  const [, only] = requestOf({ ...changes, diff: "", added });
  assert.ok(only?.type === "selection");
  assert.match(only.text, /^New files, the first 100 of 150:\n\n```\nf0\n[\s\S]*\nf99\n```$/);
});
