/** A session that is read from its end, page by page, is the one that is read from its beginning. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "pintle-client";
import { undoable } from "../../src/transcript/history.ts";
import { apply, beginAt, prepend } from "../../src/transcript/reducer.ts";
import type { State } from "../../src/transcript/state.ts";
import { emptyState, rig } from "./support.ts";

function record(seq: number, event: Record<string, unknown>, clientId?: string): EventRecord {
  const cause = clientId === undefined ? {} : { cause: { clientId } };
  return { sessionId: "s", seq, tsMs: seq * 10, turnId: "t", event, ...cause } as unknown as EventRecord;
}

const said = (seq: number, id = `i${seq}`): EventRecord =>
  record(seq, {
    type: "item.completed",
    item: { id, turnId: "t", status: "completed", startedMs: 1, type: "agentMessage", text: id },
  });
const rewound = (seq: number, toSeq: number, dropped: string[], restored: string[] = []): EventRecord =>
  record(seq, { type: "history.rewound", toSeq, dropped, restored });
const decided = (seq: number, action: Record<string, unknown>): EventRecord =>
  record(seq, { type: "review.decided", action });

const HISTORIES: [name: string, events: EventRecord[]][] = [
  ["messages one after the other", [1, 2, 3, 4, 5, 6, 7, 8, 9].map((seq) => said(seq))],
  [
    "gone back and on",
    [said(1), said(2), said(3), said(4), rewound(5, 2, ["i3", "i4"]), said(6), said(7), said(8), said(9)],
  ],
  [
    "gone back, and forward again",
    [
      said(1),
      said(2),
      said(3),
      rewound(4, 1, ["i2", "i3"]),
      rewound(5, 3, [], ["i2", "i3"]),
      said(6),
      said(7),
      said(8),
      said(9),
    ],
  ],
  [
    "gone back twice",
    [
      said(1),
      said(2),
      said(3),
      rewound(4, 2, ["i3"]),
      said(5),
      rewound(6, 1, ["i2", "i5"]),
      said(7),
      said(8),
      said(9),
    ],
  ],
  [
    "files and conversation gone back together",
    [
      ...[1, 2, 3, 4, 5].map((seq) => said(seq)),
      record(6, { type: "files.changed", changes: [], by: { type: "rewind" } }),
      rewound(7, 3, ["i4", "i5"]),
      said(8),
      said(9),
    ],
  ],
  [
    "gone back before a turn began",
    [
      said(1),
      said(2),
      rewound(3, 1, ["i2"]),
      record(4, { type: "turn.started", model: "m" }),
      said(5),
      said(6),
    ],
  ],
  [
    "decisions, one of them taken back later",
    [
      said(1),
      decided(2, { type: "keep", target: { type: "all" } }),
      decided(3, { type: "keep", target: { type: "all" } }),
      said(4),
      said(5),
      decided(6, { type: "revert", decision: 3 }),
      said(7),
      decided(8, { type: "keep", target: { type: "all" } }),
      said(9),
    ],
  ],
];

function whole(events: EventRecord[]): State {
  const state = emptyState("me");
  for (const each of events) apply(state, each);
  return state;
}

/** What is drawn and decided by. */
function seen(state: State): unknown {
  const { decisions, history, entries, seq, first } = state;
  const numbers = entries.map(({ key }) => (state.indexes.get(key) ?? NaN) - state.start);
  assert.deepEqual(numbers, [...entries.keys()], "the numbers follow the entries");
  return { keys: entries.map(({ key }) => key), decisions, redo: undoable(history), seq, first };
}

for (const [name, events] of HISTORIES) {
  for (const size of [1, 2, 3, 5]) {
    test(`read from its end in pages of ${size}: ${name}`, () => {
      const state = emptyState("me");
      beginAt(state, events.slice(-size));
      while (state.first > 1) {
        const numbers = new Map(state.indexes);
        prepend(state, events.slice(Math.max(0, state.first - 1 - size), state.first - 1));
        for (const [key, number] of numbers)
          assert.equal(state.indexes.get(key), number, "they keep their numbers");
      }
      assert.deepEqual(seen(state), seen(whole(events)));
    });
  }
}

test("an item that began in an earlier page stays where it ended, and is there once", () => {
  const started = record(1, {
    type: "item.started",
    item: { id: "a", turnId: "t", status: "running", startedMs: 1, type: "agentMessage", text: "" },
  });
  const state = emptyState("me");
  beginAt(state, [said(3, "a"), said(4)]);
  prepend(state, [started, said(2)]);
  assert.deepEqual(
    state.entries.map(({ key }) => key),
    ["i2", "a", "i4"],
  );
});

test("a message of another client is labelled, also where the event that says so is read later", () => {
  const message = (seq: number, id: string): EventRecord =>
    record(seq, {
      type: "item.completed",
      item: { id, turnId: "t", status: "completed", startedMs: 1, type: "userMessage", content: [] },
    });
  const accepted = { itemId: "m", turnId: "t", delivery: "prompt", content: [] };
  const state = emptyState("me");
  state.cameAt = 2;
  beginAt(state, [message(2, "m")]);
  prepend(state, [record(1, { type: "input.accepted", ...accepted }, "pintle.nvim-1")]);
  const [entry] = state.entries;
  assert.equal(entry?.kind === "item" && entry.from, "Neovim");
});

test("a long session is opened at its end, and read on when a person goes back", async (t) => {
  const { chat, until, sent } = rig(t, { events: 1500 }, "s1");
  await chat.start();
  await until("the end is there", () => chat.state?.seq === 1500 && chat.session?.isOpen === true);
  const { session } = chat;
  assert.ok(session !== undefined);
  assert.equal(session.state.entries.length, 400);
  assert.deepEqual([session.hasEarlier, sent("session/events").length], [true, 1]);
  const last = session.state.entries.at(-1)?.key;
  await Promise.all([session.readEarlier(), session.readEarlier()]);
  assert.equal(sent("session/events").length, 2, "asked for once");
  assert.equal(session.state.entries.length, 1400);
  await session.readEarlier();
  assert.equal(session.state.entries.length, 1499);
  assert.equal(session.hasEarlier, false);
  assert.equal(session.state.entries.at(-1)?.key, last);
  await session.readEarlier();
  assert.equal(sent("session/events").length, 3, "there is nothing before the beginning");
});
