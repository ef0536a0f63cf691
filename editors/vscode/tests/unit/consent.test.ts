/** Questions of permission: their words, and a card that can be answered with yes once all of it was in sight. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Approval } from "pintle-client";
import { programsOf, reasonOf, titleOf, titleOfApproval, warningOf } from "../../src/chat/consent.ts";
import type { FromPage } from "../../src/chat/messages.ts";
import { Element, drawn, inSight } from "./element.ts";

// The page's files are checked with a browser's types, which are not here: hence a name that only the run resolves.
const APPROVAL = "../../src/webview/approval.ts";
const { drawApproval, showEdited } = (await import(APPROVAL)) as {
  drawApproval: (
    approval: Approval,
    workspace: unknown,
    canAnswer: boolean,
    edited: unknown,
    send: (message: FromPage) => void,
  ) => unknown;
  showEdited: (line: unknown, edited: string[], workspace: unknown) => void;
};

type Change = NonNullable<Approval["changes"]>[number];

const change = (op: Change["op"], path: string, more: Partial<Change> = {}): Change => ({
  op,
  path,
  added: 1,
  removed: 0,
  diff: "@@ -1,0 +1 @@\n+a\n",
  ...more,
});

const approval = (more: Partial<Approval> = {}): Approval => ({
  approvalId: "a",
  sessionId: "s",
  turnId: "t",
  itemId: "i",
  toolName: "bash",
  kind: "execute",
  title: "bash: x",
  reason: "runs a command",
  decidedBy: "ask mode",
  input: {},
  options: [
    { optionId: "allow", label: "Allow", decision: "allow", scope: "once" },
    { optionId: "turn", label: "For this turn", decision: "allow", scope: "turn", rules: ["allow `x **`"] },
    { optionId: "deny", label: "Deny", decision: "deny", scope: "once" },
    { optionId: "abort", label: "Stop", decision: "abort", scope: "once" },
  ],
  deadlineMs: 0,
  ...more,
});
const command = (text: string, more: Partial<Approval> = {}): Approval =>
  approval({ details: [{ kind: "command", text }], ...more });
const edits = (...changes: Change[]): Approval =>
  approval({ toolName: "apply_patch", kind: "edit", reason: "changes files", changes });

for (const [name, asked, want, inList] of [
  ["a command", command("npm test"), "Run this command?", "Run npm test?"],
  ["a long command", command("set -e\nmake\n"), "Run this command?", "Run set -e …?"],
  [
    "a command that left the sandbox",
    command("make", { reason: "failed in the sandbox; retry without it" }),
    "Run this command outside the sandbox?",
    "Run make outside the sandbox?",
  ],
  ["an edit", edits(change("modify", "/w/src/cart.ts")), "Allow edit of cart.ts?", undefined],
  ["a file on Windows", edits(change("modify", "C:\\w\\cart.ts")), "Allow edit of cart.ts?", undefined],
  ["a new file", edits(change("add", "/w/new.ts")), "Allow new file new.ts?", undefined],
  ["a deletion", edits(change("delete", "/w/a.ts")), "Allow deleting a.ts?", undefined],
  [
    "a move",
    edits(change("move", "/w/b.ts", { oldPath: "/w/a.ts" })),
    "Allow moving a.ts to b.ts?",
    undefined,
  ],
  [
    "a patch of several files",
    edits(change("modify", "/w/a"), change("add", "/w/b"), change("modify", "/w/c")),
    "Allow 3 edits?",
    undefined,
  ],
  ["new files", edits(change("add", "/w/a"), change("add", "/w/b")), "Allow 2 new files?", undefined],
  [
    "a file whose change is not known",
    approval({ toolName: "str_replace", kind: "edit", details: [{ kind: "path", text: "/w/a.ts" }] }),
    "Allow edit of a.ts?",
    undefined,
  ],
  [
    "a file outside",
    approval({ toolName: "read", kind: "read", details: [{ kind: "path", text: "/etc/passwd" }] }),
    "Allow reading passwd?",
    undefined,
  ],
  [
    "an address",
    approval({ toolName: "fetch", kind: "fetch", details: [{ kind: "address", text: "https://x.test/" }] }),
    "Allow access to this address?",
    "Allow access to https://x.test/?",
  ],
  [
    "a tool of a server",
    approval({ toolName: "mcp__git__push", kind: "other", details: [{ kind: "arguments", text: "{}" }] }),
    "Run push of the MCP server git?",
    undefined,
  ],
  ["a tool of a client", approval({ toolName: "deploy", kind: "other" }), "Run the tool deploy?", undefined],
] as const) {
  test(`the question for ${name}`, () => {
    assert.equal(titleOfApproval(asked), want);
    assert.equal(titleOf({ kind: "approval", approval: asked }), inList ?? want);
  });
}

for (const [reason, decidedBy, want] of [
  ["runs a command", "ask mode", undefined],
  ["changes files", "ask mode", undefined],
  ["it fetches https://x.test/ from the network", "ask mode", undefined],
  ["runs a command without a full sandbox", "auto-edit mode", "runs a command without a full sandbox"],
  ["failed in the sandbox; retry without it", "ask mode", "failed in the sandbox; retry without it"],
  [
    "changes .git/config: it runs programs",
    "the list of protected files",
    "changes .git/config: it runs programs",
  ],
  ["reads /etc/passwd outside the workspace", "ask mode", "reads /etc/passwd outside the workspace"],
  ["runs a command", "the rule ask `npm **`", "runs a command"],
] as const) {
  test(`the reason is ${want === undefined ? "in the tooltip" : "in sight"}: ${reason} (${decidedBy})`, () => {
    const asked = command("x", { reason, decidedBy });
    assert.equal(warningOf(asked), want);
    assert.equal(reasonOf(asked), `Reason: ${reason} (${decidedBy})`);
  });
}

test("the programs of a command come from the rules that the engine proposes", () => {
  const rules = ["allow `npm test **`", "allow `touch`"];
  const options = [{ optionId: "t", label: "", decision: "allow", scope: "turn", rules }] as const;
  const asked = (more: Partial<Approval>): string[] => programsOf(command("x", more));
  assert.deepEqual(asked({ options: options.map((each) => ({ ...each, rules })) }), ["npm test", "touch"]);
  assert.deepEqual(asked({ options: [] }), []);
  assert.deepEqual(programsOf(edits(change("modify", "/w/a"))), []);
});

/** A card, and what it sent. */
function card(asked: Approval, canAnswer = true): { root: Element; sent: FromPage[] } {
  const sent: FromPage[] = [];
  const workspace = { folder: "/w", system: "unix" };
  const send = (message: FromPage): unknown => sent.push(message);
  return {
    root: drawn(() => drawApproval(asked, workspace, canAnswer, new Element("p"), send)) as Element,
    sent,
  };
}

const endsOf = (root: Element): Element[] =>
  root.all("span").filter(({ className }) => className === "lastLine");

for (const [name, asked, ends] of [
  ["a command", command("one\ntwo"), 1],
  ["one line of 5,000 characters", command("x".repeat(5000)), 1],
  ["two files", edits(change("modify", "/w/a"), change("add", "/w/b")), 2],
  [
    "arguments and the model's words",
    approval({
      toolName: "mcp__git__push",
      details: [
        { kind: "arguments", text: "{}" },
        { kind: "modelText", text: "pushes" },
      ],
    }),
    2,
  ],
] as const) {
  test(`a call can be allowed once the end of all of it was in sight: ${name}`, () => {
    const { root, sent } = card(asked);
    const allows = ["Allow", "For this turn"].map((label) => root.find("button", label));
    const isOff = (): (string | undefined)[] => allows.map((each) => each.getAttribute("aria-disabled"));
    assert.equal(endsOf(root).length, ends);
    for (const end of endsOf(root)) {
      assert.deepEqual(isOff(), ["true", "true"]);
      for (const each of allows) each.dispatch("click", { detail: 1 });
      inSight(end);
    }
    assert.deepEqual(isOff(), ["false", "false"]);
    assert.deepEqual(sent, [], "nothing was answered before");
    assert.ok(root.all("pre").some(({ isFocused, isScrolledTo }) => isFocused && isScrolledTo));
    allows[0]?.dispatch("click", { detail: 1 });
    assert.deepEqual(sent, [{ type: "answer", approvalId: "a", optionId: "allow" }]);
  });
}

test("a call can be denied before anything of it was read, and says why it cannot be allowed", () => {
  const { root, sent } = card(command("x"));
  assert.equal(root.find("button", "Allow").title, "Read to the end first, or choose Show All.");
  root.find("button", "Deny").dispatch("click", { detail: 1 });
  root.find("button", "Stop").dispatch("click", { detail: 1 });
  assert.deepEqual(
    sent.map((each) => each.type === "answer" && each.optionId),
    ["deny", "abort"],
  );
});

test("what was opened whole counts as read", () => {
  const { root, sent } = card(command("x"));
  root.find("button", "Show All").click();
  root.find("button", "Allow").dispatch("click", { detail: 1 });
  assert.deepEqual(sent, [
    { type: "openDetail", approvalId: "a", at: 0 },
    { type: "answer", approvalId: "a", optionId: "allow" },
  ]);
});

test("the last lines stand below the mark, shortened from their beginnings", () => {
  const { root } = card(command(`one\ntwo\nrm -rf ${"x".repeat(5000)}/end`));
  const last = root.all("pre").find(({ className }) => className === "last");
  assert.match(last?.text ?? "", /^two\n…x+\/end$/);
  assert.ok((last?.text.length ?? 0) < 200);
  assert.ok(root.text.includes("3 lines"));
});

for (const [name, system, folder, path, want] of [
  ["Unix", "unix", "/w", "/w/src/a.ts", "src/a.ts"],
  ["outside of the folder", "unix", "/w", "/v/a.ts", "/v/a.ts"],
  ["Windows, where VS Code and the engine write drives differently", "windows", "c:\\w", "C:/w/a.ts", "a.ts"],
  ["another drive", "windows", "c:\\w", "D:/w/a.ts", "D:/w/a.ts"],
] as const) {
  test(`a question of permission names files relative to the folder: ${name}`, () => {
    const asked = edits(change("modify", path));
    const root = drawn(() =>
      drawApproval(asked, { folder, system }, true, new Element("p"), () => undefined),
    ) as Element;
    assert.equal(root.find("button").text, want);
  });
}

for (const [name, edited, want] of [
  ["none", [], ""],
  ["one", ["/w/a.ts"], "Allow includes your edits to a.ts."],
  ["several", ["/w/a.ts", "/w/b.ts"], "Allow includes your edits to a.ts, b.ts."],
] as const) {
  test(`a question lists the files that the user has edited: ${name}`, () => {
    const line = new Element("p");
    showEdited(line, [...edited], { folder: "/w", system: "unix" });
    assert.deepEqual([line.text, line.hidden], [want, want === ""]);
  });
}
