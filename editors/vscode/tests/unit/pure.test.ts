import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord, Item } from "pintle-client";
import { ErrorCode, RequestFailed } from "pintle-client";
import { attach, textOfInput } from "../../src/chat/input.ts";
import { nameOfOther } from "../../src/connection/clients.ts";
import { problemOf } from "../../src/connection/problem.ts";
import { Backoff, Coalesced } from "../../src/connection/restart.ts";
import { commandLine, needsRestart, readSettings, sessionConfig } from "../../src/settings/settings.ts";
import { Pending, viewEntry } from "../../src/transcript/viewEntry.ts";
import { apply, handedBack } from "../../src/transcript/reducer.ts";
import type { State } from "../../src/transcript/state.ts";
import { emptyState } from "./support.ts";

for (const [name, error, text, isConflict, canAttach] of [
  [
    "a session that is open elsewhere",
    new RequestFailed("session/open", ErrorCode.conflict, "the session is open in process 1", {
      code: "openElsewhere",
    }),
    "The session is open in another window.",
    true,
    false,
  ],
  [
    "a session that is open in the shared engine",
    new RequestFailed("session/open", ErrorCode.conflict, "the session is open in process 1", {
      code: "openElsewhere",
      sharedEngine: true,
    }),
    "The session is open in the shared engine.",
    true,
    true,
  ],
  [
    "another conflict",
    new RequestFailed("session/open", ErrorCode.conflict, "hunk 14.1 has changed", {
      code: "conflict",
      hint: "look at it again",
    }),
    "Hunk 14.1 has changed.",
    false,
    false,
  ],
] as const) {
  test(`problems: ${name}`, () => {
    const problem = problemOf(error);
    assert.deepEqual([problem.text, problem.isConflict, problem.canAttach], [text, isConflict, canAttach]);
  });
}

test("settings of the wrong shape count as not set", () => {
  const odd = readSettings(
    (name) => ({ path: 7, arguments: ["--a", 7], shared: "yes", model: " m ", permissionMode: "all" })[name],
  );
  assert.deepEqual(odd, { path: "", arguments: ["--a"], shared: false, model: "m", permissionMode: "" });
  assert.deepEqual(sessionConfig(odd), { model: "m" });
  assert.equal(needsRestart(odd, { ...odd, model: "n" }), false);
  assert.equal(needsRestart(odd, { ...odd, arguments: ["--b"] }), true);
  assert.equal(needsRestart(odd, { ...odd, shared: true }), true);
});

test("the command line is that of an engine of one's own, or the way to the shared one", () => {
  const settings = readSettings((name) => ({ arguments: ["--model", "a/b"] })[name]);
  assert.deepEqual(commandLine(settings), ["serve", "--trust", "--model", "a/b"]);
  assert.deepEqual(commandLine({ ...settings, shared: true }), ["attach", "--trust", "--model", "a/b"]);
});

for (const [name, id, isNew, want] of [
  ["this window", "pintle-vscode-1", true, undefined],
  ["another window", "pintle-vscode-2", true, "another window"],
  ["a window that was there before, perhaps this one", "pintle-vscode-2", false, undefined],
  ["a window of a version before", "pintle-vscode", false, undefined],
  ["another editor", "pintle.nvim-12-3f", true, "Neovim"],
  ["another editor, before this window came", "pintle.nvim", false, "Neovim"],
  ["a client that nobody knows", "my-editor", true, "my-editor"],
  ["a client with a long id", "x".repeat(200), true, `${"x".repeat(40)}…`],
  ["nobody", undefined, true, undefined],
] as const) {
  test(`a message is from: ${name}`, () => {
    assert.equal(nameOfOther(id, "pintle-vscode-1", isNew), want);
  });
}

test("crashes are answered later each time, then not at all; a stable engine begins anew", () => {
  const backoff = new Backoff();
  backoff.started(0);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((at) => backoff.crashed(at)),
    [200, 400, 800, 1600, 3200, undefined],
  );
  backoff.started(1000);
  assert.equal(backoff.crashed(61_000), 200);
});

test("requests to start coalesce into one that runs and one that waits", async () => {
  let begun = 0;
  const gates: (() => void)[] = [];
  const job = new Coalesced(() => {
    begun += 1;
    return new Promise((resolve) => gates.push(resolve));
  });
  const first = job.run();
  const rest = [job.run(), job.run(), job.run()];
  assert.equal(begun, 1);
  gates[0]?.();
  await first;
  while (gates.length < 2) await Promise.resolve();
  gates[1]?.();
  await Promise.all(rest);
  assert.equal(begun, 2);
});

function item(more: Record<string, unknown>): Item {
  return {
    id: "i1",
    turnId: "t1",
    status: "running",
    startedMs: 1,
    type: "agentMessage",
    text: "",
    ...more,
  };
}

function durable(seq: number, event: Record<string, unknown>): AnyRecord {
  return { sessionId: "s", seq, tsMs: 1, turnId: "t1", event } as unknown as AnyRecord;
}

function delta(n: number, text: string, more: Record<string, unknown> = {}): AnyRecord {
  const event = { type: "item.delta", itemId: "i1", field: "text", n, text, ...more };
  return { sessionId: "s", after: 1, event } as unknown as AnyRecord;
}

function textOf(state: State): string {
  const entry = state.entries[0];
  return entry?.kind === "item" && "text" in entry.item ? entry.item.text : "";
}

test("the texts of a call's arguments are drawn while they are written, each under its name", () => {
  const state = emptyState();
  const call = item({ type: "toolCall", status: "pending", toolName: "write", title: "write", kind: "edit" });
  apply(state, durable(1, { type: "item.started", item: call }));
  const grown = (n: number, path: string, text: string) => delta(n, text, { field: "input", path });
  const raw = delta(0, '{"path', { field: "args" });
  for (const each of [raw, grown(0, "/path", "a."), grown(1, "/path", "rs"), grown(2, "/content", "fn")])
    apply(state, each);
  const entry = state.entries[0];
  const shown = entry?.kind === "item" ? viewEntry(entry) : undefined;
  assert.equal(shown?.kind === "tool" && shown.tool.input, "path:\na.rs\ncontent:\nfn");
});

test("deltas grow an item; the completed one is the truth", () => {
  const state = emptyState();
  apply(state, durable(1, { type: "item.started", item: item({}) }));
  for (const each of [delta(0, "a"), delta(1, "b", { to: 3 }), delta(2, "old"), delta(4, "c")])
    apply(state, each);
  assert.equal(textOf(state), "abc");
  apply(state, delta(9, "d"));
  assert.equal(textOf(state), "abc…d", "missing pieces are shown");
  apply(state, delta(0, "abc and d", { to: 9 }));
  assert.equal(textOf(state), "abc…d", "nothing of it is new");
  apply(state, delta(0, "abc and de", { to: 10 }));
  assert.equal(
    textOf(state),
    "abc and de",
    "after a new subscription all of it comes again, in place of what there was",
  );
  apply(state, durable(2, { type: "item.completed", item: item({ status: "completed", text: "whole" }) }));
  apply(state, delta(11, "late"));
  assert.equal(textOf(state), "whole");
});

test("what is not known is skipped, and is never idle", () => {
  const state = emptyState();
  assert.deepEqual(apply(state, durable(1, { type: "future.event" })), { type: "applied", changes: [] });
  assert.equal(state.seq, 1);
  apply(state, {
    sessionId: "s",
    after: 1,
    event: { type: "session.state", value: "dreaming" },
  } as unknown as AnyRecord);
  assert.equal(state.activity, "unknown");
  apply(state, durable(2, { type: "item.started", item: item({ type: "hologram", status: "glowing" }) }));
  const entry = state.entries[0];
  assert.equal(entry === undefined ? "" : viewEntry(entry).kind, "notice");
});

test("a hidden note is not drawn, another is", () => {
  const state = emptyState();
  const note = (hidden: boolean) =>
    item({ type: "engineMessage", status: "completed", text: "a note", note: { hidden } });
  apply(state, durable(1, { type: "item.completed", item: note(true) }));
  assert.equal(state.entries.length, 0);
  apply(state, durable(2, { type: "item.completed", item: note(false) }));
  assert.equal(state.entries.length, 1);
});

test("events are taken in order, once", () => {
  const state = emptyState();
  assert.equal(apply(state, durable(2, { type: "session.notice" })).type, "gap");
  assert.equal(apply(state, durable(1, { type: "session.notice", message: "a" })).type, "applied");
  assert.equal(apply(state, durable(1, { type: "session.notice", message: "a" })).type, "old");
  assert.equal(state.entries.length, 1);
});

test("a message waits in the queue until the model reads it or it is removed", () => {
  const state = emptyState();
  const input = (id: string) => ({
    itemId: id,
    turnId: "t1",
    delivery: "steer",
    content: [{ type: "text", text: id }],
  });
  apply(state, durable(1, { type: "input.accepted", ...input("a") }));
  apply(state, durable(2, { type: "input.accepted", ...input("b") }));
  const read = { ...item({ id: "a", type: "userMessage", status: "completed" }), content: [] };
  apply(state, durable(3, { type: "item.completed", item: read }));
  assert.deepEqual(
    state.queue.map((each) => each.itemId),
    ["b"],
  );
  apply(state, durable(4, { type: "input.removed", inputs: [input("b")] }));
  assert.deepEqual(state.queue, []);
});

test("a message of another client is labelled, and goes back to nobody but it", () => {
  const state = emptyState("me");
  state.cameAt = 1;
  const back: string[] = [];
  const take = (seq: number, event: Record<string, unknown>, clientId?: string): void => {
    const cause = clientId === undefined ? {} : { cause: { clientId } };
    const outcome = apply(state, { ...durable(seq, event), ...cause });
    assert.equal(outcome.type, "applied");
    if (outcome.type !== "applied") return;
    for (const each of outcome.changes)
      if (each.type === "returned") back.push(...each.inputs.map(({ itemId }) => itemId));
  };
  const input = (itemId: string) => ({ itemId, turnId: "t1", delivery: "steer" as const, content: [] });
  const accepted = (itemId: string) => ({ type: "input.accepted", ...input(itemId) });
  take(1, accepted("earlier"), "me");
  take(2, accepted("mine"), "me");
  take(3, accepted("theirs"), "pintle.nvim");
  take(4, accepted("read"), "pintle.nvim");
  take(5, { type: "item.completed", item: item({ id: "read", type: "userMessage", content: [] }) });
  const read = state.entries[0];
  const drawn = read === undefined ? undefined : viewEntry(read);
  assert.equal(drawn?.kind === "user" && drawn.from, "Neovim");
  // Somebody else stops the turn: what this window sent comes back here, once.
  take(6, { type: "input.removed", inputs: [input("mine"), input("theirs"), input("earlier")] });
  assert.deepEqual(back, ["mine"]);
  // The response to a stop of this window's own names them all.
  const stopped = handedBack(state, [input("mine"), input("theirs"), input("earlier")], true);
  assert.deepEqual(
    stopped.map(({ itemId }) => itemId),
    ["earlier"],
  );
  take(7, accepted("done"), "me");
  take(8, { type: "input.removed", inputs: [input("done")], handled: true });
  assert.deepEqual(back, ["mine"], "a hook has done it");
});

test("changes between two redraws are told once", () => {
  const state = emptyState();
  const pending = new Pending();
  const take = (record: AnyRecord): void => {
    const outcome = apply(state, record);
    if (outcome.type === "applied") pending.add(outcome.changes);
  };
  take(durable(1, { type: "item.started", item: item({}) }));
  take(delta(0, "a"));
  const first = pending.take(state);
  assert.equal(first.entries.length, 1);
  assert.deepEqual(first.appends, [], "the whole value has it already");
  take(delta(1, "b"));
  take(delta(2, "c"));
  assert.deepEqual(pending.take(state).appends, [{ key: "i1", field: "text", text: "bc" }]);
  assert.ok(pending.isEmpty);
});

test("long outputs are cut before they reach the page", () => {
  const call = item({
    type: "toolCall",
    status: "completed",
    toolName: "bash",
    title: "bash: yes",
    kind: "execute",
  });
  const output = { content: [{ type: "text" as const, text: "y\n".repeat(1_000_000) }] };
  const entry = viewEntry({
    kind: "item",
    key: "k",
    seq: 1,
    tsMs: 1,
    item: { ...call, output } as Item,
    streamed: { inputs: new Map<string, string>(), output: "" },
    from: undefined,
  });
  assert.ok(entry.kind === "tool" && entry.tool.output.length < 17_000);
});

test("a picture is shown by its kind and size", () => {
  const call = item({
    type: "toolCall",
    status: "completed",
    toolName: "read",
    title: "read: a.png",
    kind: "read",
  });
  const image = { type: "image" as const, mimeType: "image/png", data: "A".repeat(163_840) };
  const output = { content: [{ type: "text" as const, text: "[a.png]" }, image] };
  const entry = viewEntry({
    kind: "item",
    key: "k",
    seq: 1,
    tsMs: 1,
    item: { ...call, output } as Item,
    streamed: { inputs: new Map<string, string>(), output: "" },
    from: undefined,
  });
  assert.equal(entry.kind === "tool" && entry.tool.output, "[a.png]\n[image image/png, 120 KB]");
});

test("what a person looks at is attached: the selection, else the file, and what is wrong there", () => {
  const wrong = { line: 2, severity: "error" as const, message: "no" };
  const selected = { startLine: 1, endLine: 2, endColumn: 0, text: "two\n" };
  const none = { startLine: 0, endLine: 0, endColumn: 0, text: "" };
  const shown = { path: "/w/a", text: "one\ntwo\nthree", dirty: false, selected, diagnostics: [wrong] };
  const range = { start: 2, end: 2 };
  const selection = { type: "selection", path: "/w/a", range, text: "two\n" };
  const diagnostics = { type: "diagnostics", path: "/w/a", items: [wrong] };
  assert.deepEqual(attach(shown), [selection, diagnostics]);
  assert.deepEqual(attach({ ...shown, diagnostics: [{ ...wrong, line: 3 }] }), [selection]);
  assert.deepEqual(attach({ ...shown, selected: none }), [{ type: "file", path: "/w/a" }, diagnostics]);
  const unsaved = { type: "selection", path: "/w/a", range: { start: 1, end: 3 }, text: shown.text };
  assert.deepEqual(attach({ ...shown, selected: none, dirty: true, diagnostics: [] }), [unsaved]);
  assert.equal(
    textOfInput([{ type: "text", text: "why?" }, ...attach(shown), { type: "file", path: "b" }]),
    "why?\n[selection of /w/a, line 2]\n[1 diagnostic of /w/a]\n[b]",
  );
  const report = { type: "document", mimeType: "application/pdf", data: "", name: "report.pdf" } as const;
  assert.equal(textOfInput([report]), "[report.pdf]");
});
