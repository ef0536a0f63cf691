// Inline edits: which sessions are deleted.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnCompleted } from "pintle-client";
import type { Ask } from "../../src/chat/turns.ts";
import type { EndedEdit } from "../../src/sessions/lineEdits.ts";
import { LineEdits } from "../../src/sessions/lineEdits.ts";
import type { Sessions } from "../../src/sessions/sessions.ts";

const END = { status: "completed" } as TurnCompleted;
const LATER = { status: "completed" } as TurnCompleted;
const ended = (end: TurnCompleted): object => ({ kind: "turnEnd", end });

const ROWS: [name: string, state: object, isShown: boolean, jobs: string[], deleted: boolean][] = [
  ["nothing happened since", {}, false, [], true],
  ["it was continued", { entries: [ended(END), ended(LATER)] }, false, [], false],
  ["it is working again", { activity: "running" }, false, [], false],
  ["it is shown", {}, true, [], false],
  ["a job runs", {}, false, ["job-1"], false],
  ["its hunks were decided", { decisions: [7] }, false, [], false],
];

for (const [name, state, isShown, jobs, deleted] of ROWS)
  test(`an edit without changes is deleted unless it is in use: ${name}`, async () => {
    const asked: string[] = [];
    const ask = ((method: string) => Promise.resolve(asked.push(method))) as unknown as Ask;
    const sessions = {
      isShown: () => isShown,
      stop: (id: string) => Promise.resolve(asked.push(`stop ${id}`)),
    } as unknown as Sessions;
    const whole = { entries: [ended(END)], decisions: [], activity: "idle", ...state };
    const session = { id: "s", jobs, state: whole } as unknown as EndedEdit["session"];
    await new LineEdits(sessions, ask).discard({ session, end: END, files: [] });
    assert.deepEqual(asked, deleted ? ["stop s", "session/delete"] : []);
  });

test("an edit whose turn does not start leaves no session, and one that breaks off keeps it", async () => {
  for (const [isStarted, want] of [
    [false, ["turn/start", "stop s", "session/delete"]],
    [true, ["turn/start"]],
  ] as const) {
    const asked: string[] = [];
    const ask = ((method: string) => {
      asked.push(method);
      return method === "turn/start" && !isStarted ? Promise.reject(new Error("no")) : Promise.resolve({});
    }) as unknown as Ask;
    const sessions = {
      create: () => Promise.resolve({ id: "s" }),
      stop: (id: string) => Promise.resolve(asked.push(`stop ${id}`)),
    } as unknown as Sessions;
    const edits = new LineEdits(sessions, ask);
    const running = edits.run(
      { request: "r", name: "a.txt", attached: [], config: {} },
      new AbortController().signal,
    );
    const rejected = assert.rejects(running);
    await new Promise((resolve) => setImmediate(resolve));
    edits.lost();
    await rejected;
    assert.deepEqual(asked, want);
  }
});
