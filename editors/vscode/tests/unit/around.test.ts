/** What stands around the conversation, as pure values: receipts, the stall, notes, checkpoints. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord } from "pintle-client";
import { noteMessage } from "../../src/chat/input.ts";
import { goesOnText, snippetText, stopReceipt } from "../../src/sessions/list.ts";
import { checkpointRows } from "../../src/sessions/rewind.ts";
import { isSilence, STALL_MS, stalledMs } from "../../src/sessions/session.ts";
import { apply } from "../../src/transcript/reducer.ts";
import type { State } from "../../src/transcript/state.ts";
import { emptyState } from "./support.ts";

/** A state after events, numbered from 1. */
function after(...events: Record<string, unknown>[]): State {
  const state = emptyState();
  for (const [at, event] of events.entries()) {
    const record = { sessionId: "s", seq: at + 1, tsMs: 1, turnId: "t", event };
    assert.equal(apply(state, record as unknown as AnyRecord).type, "applied");
  }
  return state;
}

const turn = { type: "turn.started", model: "m" };
const started = (type: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: "item.started",
  item: { id: `i-${type}`, turnId: "t", status: "running", startedMs: 1, type, ...more },
});
const call = started("toolCall", { toolName: "bash", title: "bash: x", kind: "execute" });
const job = started("job", { jobId: "j", title: "bash: x", command: "x" });
const queued = { type: "input.accepted", itemId: "q", turnId: "t2", delivery: "followUp", content: [] };

for (const [name, state, isShared, want] of [
  ["nothing", after(), false, "The session is closed: nothing ran."],
  ["a turn", after(turn), false, "The session is closed: 1 turn."],
  [
    "a turn, a job and a message",
    after(turn, job, queued),
    false,
    "The session is closed: 1 turn, 1 background job, 1 waiting message.",
  ],
  [
    "a job that others may go on with",
    after(job),
    true,
    "The session is closed: 1 background job. Other clients of the shared engine may continue it.",
  ],
] as const) {
  test(`the receipt of a stop: ${name}`, () => assert.equal(stopReceipt(state, isShared), want));
}

test("what goes on after a turn was stopped", () => {
  assert.deepEqual(
    [goesOnText(0), goesOnText(1), goesOnText(2)],
    [
      "",
      "The turn is stopped. 1 background job continues.",
      "The turn is stopped. 2 background jobs continue.",
    ],
  );
});

const asked = {
  type: "approval.requested",
  approvalId: "a",
  sessionId: "s",
  itemId: "i",
  title: "t",
  options: [],
};
for (const [name, state, silentMs, want] of [
  ["the model is silent", after(turn), STALL_MS, STALL_MS],
  ["not for long", after(turn), STALL_MS - 1, undefined],
  ["a command runs", after(turn, call), 10 * STALL_MS, undefined],
  ["a job runs, and the model is silent", after(turn, job), STALL_MS, STALL_MS],
  ["a person is asked", after(turn, asked), 10 * STALL_MS, undefined],
  ["nothing runs", after(), 10 * STALL_MS, undefined],
] as const) {
  test(`a stall: ${name}`, () => assert.equal(stalledMs(state, 1000, 1000 + silentMs), want));
}

test("notes are one message, by file and line, with the lines that they are about", () => {
  const note = (path: string, start: number, end: number, ...texts: string[]) => ({
    path: `/w/${path}`,
    label: path,
    start,
    end,
    lines: `line ${start}\n`,
    texts,
  });
  const { text, attached } = noteMessage([
    note("b.ts", 1, 1, "no"),
    note("a.ts", 9, 12, "why?\nreally", "and this"),
  ]);
  assert.equal(text, "My notes:\n\n- a.ts:9-12: why?\n  really\n  and this\n- b.ts:1: no");
  assert.deepEqual(attached[0], {
    type: "selection",
    path: "/w/a.ts",
    range: { start: 9, end: 12 },
    text: "line 9\n",
  });
  assert.equal(noteMessage([note("b.ts", 1, 1, "no")]).text, "My note:\n\n- b.ts:1: no");
});

test("checkpoints are rows, newest first, with some of the files that changed", () => {
  const many = [1, 2, 3, 4, 5, 6, 7].map((n) => `/w/${n}`);
  const rows = checkpointRows(
    [
      { seq: 0, tsMs: 1, changed: [] },
      { seq: 5, tsMs: 2, turnId: "t", changed: many },
      { seq: 9, tsMs: 3, turnId: "u", changed: ["/w/a"], label: "before the move" },
    ],
    (path) => path.slice(3),
  );
  assert.deepEqual(
    rows.map(({ label, detail }) => `${label} | ${detail}`),
    [
      "before the move: 1 file changed | a",
      "After a turn: 7 files changed | 1, 2, 3, 4, 5, 2 more",
      "The start: no files changed | ",
    ],
  );
});

test("what was found is marked in its text", () => {
  assert.equal(snippetText([{ text: "a " }, { text: "word", match: true }, { text: " b" }]), "a »word« b");
});

test("the engine's word that nothing comes is no sign of the model", () => {
  for (const [event, want] of [
    [{ type: "session.notice", level: "info", code: "modelSilent", message: "nothing for 30 s" }, true],
    [{ type: "session.notice", level: "info", code: "other", message: "" }, false],
    [{ type: "item.delta", itemId: "i", field: "text", n: 0, text: "a" }, false],
  ] as const) {
    assert.equal(isSilence({ sessionId: "s", after: 1, event }), want);
  }
});
