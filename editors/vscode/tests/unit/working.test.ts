import assert from "node:assert/strict";
import { test } from "node:test";
import type { Head, ViewEntry } from "../../src/chat/messages.ts";
import { elapsedText, WorkingState } from "../../src/transcript/working.ts";

for (const [ms, want] of [
  [0, "0 s"],
  [-5000, "0 s"],
  [12_900, "12 s"],
  [65_000, "1 m 5 s"],
  [3_600_000, "1 h 0 m"],
  [7_380_000, "2 h 3 m"],
] as const) {
  test(`elapsed: ${want}`, () => assert.equal(elapsedText(ms), want));
}

const head = (activity: Head["activity"], more: object = {}) =>
  ({ activity, approvals: [], questions: [], stalledSeconds: undefined, ...more }) as Pick<
    Head,
    "activity" | "approvals" | "questions" | "stalledSeconds"
  >;
const user = (atMs: number): ViewEntry => ({
  kind: "user",
  key: "u",
  atMs,
  text: "go",
  chips: [],
  from: undefined,
});
const answer = (text: string, isOver = false): ViewEntry => ({
  kind: "agent",
  key: "a",
  atMs: 0,
  text,
  isOver,
  isCut: false,
});
const call = (key: string, status: string, atMs: number, more: object = {}): ViewEntry =>
  ({
    kind: "tool",
    key,
    atMs,
    tool: { status, sentence: "Running {0}", subject: `make ${key}`, ...more },
  }) as ViewEntry;

test("the activity of a turn, from start to end", () => {
  const state = new WorkingState();
  const said = (activity: Head["activity"], nowMs: number, more = {}): string => {
    const now = state.now(head(activity, more), nowMs);
    return now === undefined ? "" : `${now.text} ${now.sinceMs === undefined ? "" : nowMs - now.sinceMs}`;
  };
  state.reset([]);
  assert.equal(said("idle", 100), "");
  state.entry(user(1000), 1000);
  assert.equal(said("running", 1000), "Thinking… 0");
  assert.equal(said("running", 4000), "Thinking… 3000");
  state.entry(answer(""), 5000);
  assert.equal(said("running", 5000), "Thinking… 4000");
  state.append("a", "Let me", true);
  assert.equal(said("running", 6000), "Writing… 5000");
  state.entry(answer("Let me look.", true), 7000);
  state.entry(call("1", "pending", 7000), 7000);
  assert.equal(said("running", 7000), "Thinking… 6000");
  state.entry(call("1", "running", 7000), 7500);
  state.entry(call("2", "running", 8000), 8000);
  assert.equal(said("running", 9000), "Running make 2… 1000");
  assert.equal(said("blocked", 9000, { approvals: [{}] }), "Waiting for your answer ");
  state.entry(call("2", "completed", 8000), 9500);
  assert.equal(said("running", 10_000), "Running make 1… 3000");
  state.entry(call("1", "completed", 7000), 11_000);
  assert.equal(said("running", 12_000), "Thinking… 1000");
  assert.equal(said("running", 60_000, { stalledSeconds: 41 }), "", "a banner says more");
  assert.equal(said("idle", 61_000), "");
  assert.equal(said("running", 70_000), "Thinking… 0", "another turn counts from its own beginning");
});

test("a turn that runs when the page comes goes on counting", () => {
  const state = new WorkingState();
  state.reset([user(1000), call("1", "completed", 2000), call("2", "running", 3000)]);
  assert.deepEqual(state.now(head("running"), 9000), { text: "Running make 2…", sinceMs: 3000 });
  state.reset([user(1000), call("1", "completed", 2000), call("s", "running", 3000, { agentSession: "s" })]);
  assert.deepEqual(
    state.now(head("running"), 9000),
    { text: "Thinking…", sinceMs: 2000 },
    "a sub-agent has its own row",
  );
});
