import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord, FileFate, SessionRewindResult } from "pintle-client";
import { messageBefore, placesOf, previewOf, saidOf } from "../../src/sessions/rewind.ts";
import { emptyHistory, filesRewound, goesOn, rewound, undoable, way } from "../../src/transcript/history.ts";
import { viewEntry } from "../../src/transcript/viewEntry.ts";
import { apply } from "../../src/transcript/reducer.ts";
import type { Change, State } from "../../src/transcript/state.ts";
import { emptyState } from "./support.ts";

for (const [name, backs, want] of [
  ["never gone back", [], "123456789"],
  ["back to the beginning", [[5, 0]], "56789"],
  ["back, and on", [[5, 2]], "1256789"],
  [
    "back twice",
    [
      [5, 2],
      [8, 1],
    ],
    "189",
  ],
  [
    "back and forward again",
    [
      [5, 2],
      [6, 4],
    ],
    "12346789",
  ],
  [
    "to the end of a way that was left",
    [
      [3, 1],
      [6, 2],
      [8, 5],
    ],
    "134589",
  ],
  ["an event that names itself is taken for any other", [[5, 5]], "123456789"],
] as [string, [number, number][], string][]) {
  test(`the way that counts: ${name}`, () => {
    const history = emptyHistory();
    for (const [seq, toSeq] of backs) rewound(history, seq, { toSeq });
    const isOnWay = way(history);
    const found = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter(isOnWay);
    assert.equal(found.join(""), want);
  });
}

// Moves as [kind, seq, to]: of files, of the conversation; "on" where the model works on. What a redo goes to, and its scope.
for (const [name, moves, want] of [
  ["nothing was rewound", [], undefined],
  ["a conversation", [["conversation", 5, 2]], [4, "conversation"]],
  ["files", [["files", 6, 2]], [5, "files"]],
  [
    "both",
    [
      ["files", 6, 2],
      ["conversation", 7, 2],
    ],
    [5, "both"],
  ],
  [
    "both, and both again",
    [
      ["files", 6, 2],
      ["conversation", 7, 2],
      ["files", 8, 5],
      ["conversation", 9, 5],
    ],
    undefined,
  ],
  [
    "twice back",
    [
      ["conversation", 5, 3],
      ["conversation", 6, 1],
    ],
    [5, "conversation"],
  ],
  [
    "twice back, once forward",
    [
      ["conversation", 5, 3],
      ["conversation", 6, 1],
      ["conversation", 7, 5],
    ],
    [4, "conversation"],
  ],
  [
    "twice back, twice forward",
    [
      ["conversation", 5, 3],
      ["conversation", 6, 1],
      ["conversation", 7, 5],
      ["conversation", 8, 4],
    ],
    undefined,
  ],
  [
    "forward, and back once more",
    [
      ["conversation", 5, 3],
      ["conversation", 6, 4],
      ["conversation", 7, 1],
    ],
    [6, "conversation"],
  ],
  [
    "files of an older engine",
    [
      ["files", 5, undefined],
      ["files", 6, undefined],
    ],
    [5, "files"],
  ],
  [
    "the model has worked on",
    [
      ["conversation", 5, 2],
      ["on", 6, 0],
    ],
    undefined,
  ],
] as [string, [string, number, number | undefined][], [number, string] | undefined][]) {
  test(`what a redo undoes: ${name}`, () => {
    const history = emptyHistory();
    for (const [kind, seq, to] of moves) {
      if (kind === "files") filesRewound(history, seq, to);
      else if (kind === "on") goesOn(history);
      else rewound(history, seq, { toSeq: to ?? 0 });
    }
    const found = undoable(history);
    assert.deepEqual(found && [found.from, found.scope], want);
  });
}

function take(state: State, event: Record<string, unknown>): Change[] {
  const record = { sessionId: "s", seq: state.seq + 1, tsMs: 1, turnId: "t1", event } as unknown as AnyRecord;
  const outcome = apply(state, record);
  assert.equal(outcome.type, "applied");
  return outcome.type === "applied" ? outcome.changes : [];
}

function say(state: State, id: string): void {
  const item = { id, turnId: "t1", status: "completed", startedMs: 1, type: "agentMessage", text: id };
  take(state, { type: "item.completed", item });
}

function shown(state: State): string {
  assert.deepEqual(
    state.entries.map((entry) => state.indexes.get(entry.key)),
    state.entries.map((_, index) => index),
  );
  return state.entries.map((entry) => (entry.kind === "item" ? entry.key : viewEntry(entry).kind)).join(" ");
}

test("going back shows the way that counts, and going forward the rest again", () => {
  const state = emptyState();
  for (const id of ["a", "b", "c"]) say(state, id);
  const back = take(state, { type: "history.rewound", toSeq: 1, dropped: ["b", "c"] });
  assert.ok(back.some((change) => change.type === "reset"));
  assert.equal(shown(state), "a notice");
  take(state, { type: "history.rewound", toSeq: 3, restored: ["b", "c"] });
  assert.equal(shown(state), "a b c notice");
  take(state, { type: "history.rewound", toSeq: 1, dropped: ["b", "c"] });
  say(state, "d");
  assert.equal(shown(state), "a notice d");
  // What is not shown is still kept up to date.
  say(state, "b");
  assert.equal(shown(state), "a notice d");
  assert.equal(state.all.size, 7);
});

test("decisions are undone from the last one", () => {
  const state = emptyState();
  const decided = (action: object): void => {
    take(state, { type: "review.decided", action, parts: [] });
  };
  decided({ type: "keep", target: { type: "all" } });
  decided({ type: "undo", target: { type: "all" } });
  assert.deepEqual(state.decisions, [1, 2]);
  decided({ type: "revert", decision: 2 });
  assert.deepEqual(state.decisions, [1]);
});

for (const [name, event, want] of [
  [
    "files by the agent",
    { type: "files.changed", changes: [], by: { type: "call", itemId: "i" } },
    ["review"],
  ],
  ["files by others", { type: "files.changed", changes: [], by: { type: "other" } }, []],
  ["a decision that waits", { type: "review.queued", waiting: [] }, ["review"]],
  [
    "a decision that was refused",
    { type: "review.queued", waiting: [], refused: { id: 3, reason: "the lines are others" } },
    ["entry", "told", "review"],
  ],
] as const) {
  test(`what an event changes: ${name}`, () => {
    const changes = take(emptyState(), event);
    assert.deepEqual(
      changes.map((change) => change.type),
      want,
    );
    const told = changes.find((change) => change.type === "told");
    if (told !== undefined) assert.match(told.notice.message, /rejected: the lines are others/);
  });
}

test("the places to go back to: newest first, behind them the ends of ways that were left", () => {
  const node = (seq: number, text: string, current: boolean, more: object = {}) => ({
    seq,
    text,
    tsMs: 1,
    current,
    ...more,
  });
  const places = placesOf({
    leafSeq: 9,
    nodes: [
      node(1, "first\nand more", true, { itemId: "i1", turnId: "t1" }),
      node(3, "left", false, { itemId: "i3", turnId: "t3" }),
      node(5, "named", true, { label: "here" }),
      node(7, "last", true, { itemId: "i7", turnId: "t7" }),
    ],
  });
  assert.deepEqual(
    places.map(({ label, at, isLeft }) => [label, at, isLeft]),
    [
      ["last", { itemId: "i7" }, false],
      ["named [here]", { seq: 5 }, false],
      ["first …", { itemId: "i1" }, false],
      ["left", { turnId: "t3" }, true],
    ],
  );
});

test("a preview is sorted by whose work the files are, and conflicts stay unless they are named", () => {
  const file = (path: string, owner: FileFate["owner"], action: FileFate["action"]): FileFate => ({
    path,
    owner,
    action,
  });
  const result: SessionRewindResult = {
    toSeq: 1,
    fromSeq: 9,
    dropped: ["a", "b"],
    restored: [],
    files: [
      file("/w/c", "conflict", "leave"),
      file("/w/a", "agent", "restore"),
      file("/w/o", "other", "leave"),
      file("/w/l", "conflict", "lost"),
      file("/w/n", "agent", "remove"),
    ],
  };
  const preview = previewOf("both", result);
  assert.equal(preview.conversation, "The model forgets 2 items.");
  assert.deepEqual(
    preview.groups.map(({ title, files }) => [title, ...files.map((each) => `${each.path} ${each.action}`)]),
    [
      ["the agent's", "/w/a restored", "/w/n removed"],
      ["yours", "/w/o left unchanged"],
      ["conflict: yours and the agent's", "/w/c left unchanged", "/w/l cannot be restored, left unchanged"],
    ],
  );
  assert.deepEqual(preview.conflicts, ["/w/c"]);
  assert.deepEqual(saidOf("both", result), {
    text: "2 items removed, 2 files left unchanged, 1 file restored, 1 file cannot be restored, left unchanged, 1 file removed",
    isWhole: false,
  });
  assert.equal(saidOf("files", { ...result, files: [] }).text, "nothing to do");
  assert.equal(previewOf("files", { ...result, files: [] }).conversation, "");
});

test("an answer belongs to the last user message before it", () => {
  const entry = (key: string, type: string) => ({ key, kind: "item", item: { type } });
  const entries = [
    entry("q1", "userMessage"),
    entry("a1", "agentMessage"),
    entry("q2", "userMessage"),
    { key: "n", kind: "notice" },
    entry("a2", "agentMessage"),
  ];
  // Numbers of entries can be below 0.
  const indexes = new Map(entries.map(({ key }, at) => [key, at - 3]));
  const state = { entries, indexes, start: -3 } as unknown as Parameters<typeof messageBefore>[0];
  const found = ["a1", "a2", "q1", "gone"].map((key) => messageBefore(state, key));
  assert.deepEqual(found, ["q1", "q2", undefined, undefined]);
});
