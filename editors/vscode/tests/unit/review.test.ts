import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hunk, ReviewBaselineResult, ReviewDecideResult, DecisionPart } from "pintle-client";
import {
  countsOf,
  hunkLabel,
  linesOf,
  mapLines,
  placeAt,
  placesOf,
  seen,
  targetOf,
} from "../../src/review/hunks.ts";
import type { Source } from "../../src/review/review.ts";
import { Review } from "../../src/review/review.ts";
import { conflictText, wordsOf } from "../../src/review/decision.ts";
import { rig } from "./support.ts";

function hunk(before: [number, string], after: [number, string], more: Partial<Hunk> = {}): Hunk {
  const span = ([start, text]: [number, string]) => ({ start, count: linesOf(text).length });
  return {
    id: `${before[0]}`,
    path: "/w/a.txt",
    kind: "lines",
    state: "pending",
    before: span(before),
    after: span(after),
    oldText: before[1],
    newText: after[1],
    changedSeq: 7,
    madeBy: [{ turnId: "t1", itemId: "i1" }],
    ...more,
  };
}

const baseline = (text?: string): ReviewBaselineResult => ({
  exists: text !== undefined,
  ...(text === undefined ? {} : { text }),
});
const TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const THREE = [hunk([2, "2\n"], [2, "two\n"]), hunk([5, "5\n"], [5, ""]), hunk([10, ""], [9, "new\n"])];
const SEEN = "1\ntwo\n3\n4\n6\n7\n8\n9\nnew\n10\n";

for (const [name, base, hunks, want] of [
  ["a change, lines that are gone, new ones", TEN, THREE, SEEN],
  ["none", TEN, [], TEN],
  ["a new file", undefined, [hunk([1, ""], [1, "a\nb\n"], { kind: "file" })], "a\nb\n"],
  ["a file that is gone", "a\n", [hunk([1, "a\n"], [1, ""], { kind: "file" })], undefined],
  ["the mode alone", "a\n", [hunk([1, ""], [1, ""], { kind: "mode" })], "a\n"],
  ["no end of the last line", "a", [hunk([1, "a"], [1, "b"])], "b"],
  ["line ends of DOS", "a\r\nb\r\n", [hunk([2, "b\r\n"], [2, "c\r\n"])], "a\r\nc\r\n"],
  ["another baseline", "1\nx\n", [hunk([2, "2\n"], [2, "two\n"])], undefined],
  ["beyond the end", "1\n", [hunk([9, ""], [9, "x\n"])], undefined],
] as const) {
  test(`the text that the engine saw: ${name}`, () => assert.equal(seen(baseline(base), [...hunks]), want));
}

for (const [name, text, want] of [
  ["the same text", SEEN, ["1+1", "4+0", "8+1"]],
  ["lines were typed above", `mine\n\n${SEEN}`, ["3+1", "6+0", "10+1"]],
  ["a hunk was typed into", SEEN.replace("two", "mine"), ["4+0", "8+1"]],
  ["the lines around deleted ones are others", SEEN.replace("4\n6", "four\nsix"), ["1+1", "8+1"]],
  ["only the line behind deleted ones is there", SEEN.replace("4\n", "four\n"), ["1+1", "4+0", "8+1"]],
  ["a new line stands apart", SEEN.replace("new\n", ""), ["1+1", "4+0"]],
  ["line ends of DOS", SEEN.replaceAll("\n", "\r\n"), ["1+1", "4+0", "8+1"]],
  ["all is others", "x\ny\n", []],
] as const) {
  test(`where hunks stand: ${name}`, () => {
    const places = placesOf(SEEN, text, THREE);
    assert.deepEqual(
      places.map(({ row, count }) => `${row}+${count}`),
      want,
    );
  });
}

test("a hunk that another line was typed into has no place, also where all its own lines are still there", () => {
  const two = [hunk([2, "2\n"], [2, "b\nc\n"])];
  assert.deepEqual(placesOf("1\nb\nc\n3\n", "1\nb\nmine\nc\n3\n", two), []);
});

test("a byte order mark is no part of a text in an editor", () => {
  const places = placesOf("\uFEFFtwo\n", "two\n", [hunk([1, "one\n"], [1, "two\n"])]);
  assert.equal(places.length, 1);
});

test("lines that are mapped are equal and keep their order, whatever was changed", () => {
  // A small generator, so that a failure can be had again.
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let round = 0; round < 500; round++) {
    const from = Array.from({ length: random(30) }, () => `${random(6)}`);
    const to = from.flatMap(
      (line) => [[line], [], [line, `${random(6)}`], [`${random(6)}`]][random(4)] ?? [],
    );
    const pairs = [...mapLines(from, to)].sort(([a], [b]) => a - b);
    const longest = commonLines(from, to);
    assert.equal(pairs.length, longest, `${from.join(",")} and ${to.join(",")}`);
    for (const [n, [a, b]] of pairs.entries()) {
      assert.equal(from[a], to[b]);
      assert.ok((pairs[n - 1]?.[1] ?? -1) < b);
    }
  }
});

/** The length of a longest common subsequence, in the simplest way. */
function commonLines(from: string[], to: string[]): number {
  let row = to.map(() => 0);
  for (const line of from) {
    const next: number[] = [];
    for (const [n, other] of to.entries()) {
      const better = Math.max(row[n] ?? 0, next[n - 1] ?? 0);
      next.push(line === other ? Math.max(better, (row[n - 1] ?? 0) + 1) : better);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

test("texts that have too little in common are not compared for ever", () => {
  const lines = (word: string): string[] => Array.from({ length: 20_000 }, (_, n) => `${word}${n}`);
  assert.equal(mapLines(["same", ...lines("a")], ["same", ...lines("b")]).size, 1);
});

test("the hunk at a line: of lines that are gone, those above or below it", () => {
  const places = placesOf(SEEN, SEEN, THREE);
  const at = (row: number): string | undefined => placeAt(places, row)?.hunk.id;
  assert.deepEqual([0, 1, 2, 3, 4, 5, 8].map(at), [undefined, "2", undefined, "5", "5", undefined, "10"]);
});

for (const [name, first, last, want] of [
  ["all of it", 0, 9, { type: "hunk", hunk: "2", changedSeq: 7 }],
  [
    "its first line, with the line that it stands for",
    1,
    1,
    { new: { start: 1, count: 1 }, old: { start: 1, count: 1 } },
  ],
  ["its last line, with all that is left", 3, 3, { new: { start: 3, count: 1 } }],
  ["none of it", 5, 6, undefined],
] as const) {
  test(`a decision about lines: ${name}`, () => {
    const [place] = placesOf("1\nb\nc\nd\n5\n", "1\nb\nc\nd\n5\n", [hunk([2, "2\n3\n"], [2, "b\nc\nd\n"])]);
    assert.ok(place);
    const target = targetOf(place, first, last);
    assert.deepEqual(target?.type === "lines" ? target.lines : target, want);
  });
}

test("hunks in a list", () => {
  assert.deepEqual(
    [
      ...THREE,
      hunk([1, "a\n"], [1, ""], { kind: "file" }),
      hunk([1, ""], [1, ""], { kind: "file" }),
      hunk([1, ""], [1, ""], { kind: "mode" }),
    ].map((each) => `${hunkLabel(each)} ${countsOf(each)}`),
    ["two −1 +1", "5 −1 +0", "new −0 +1", "file removed −1 +0", "file changed −0 +0", "mode changed −0 +0"],
  );
});

test("what came of decisions, in words", () => {
  const part = (
    effect: DecisionPart["effect"],
    outcome: DecisionPart["outcome"] = "applied",
  ): DecisionPart => ({
    hunk: "1",
    path: "/w/a.txt",
    effect,
    outcome,
  });
  const result = (queued: boolean, ...parts: DecisionPart[]): ReviewDecideResult => ({
    seq: 1,
    decision: { action: { type: "revert", decision: 1 }, parts },
    ...(queued ? { queued } : {}),
  });
  const said = wordsOf([
    result(false, part("keep"), part("keep"), part("undo", "conflict")),
    result(true, part("undo"), part("undo", "conflict")),
  ]);
  assert.equal(said.text, "2 hunks kept, 1 hunk waiting for the running call to end");
  assert.equal(said.conflicts.length, 1, "each file is said once");
  assert.match(
    conflictText("a.txt", part("undo", "conflict")),
    /a\.txt, not changed: it contains your own lines/,
  );
});

test("hunks are asked for once at a time, and once more for all that came meanwhile", async () => {
  const answers: ((hunks: Hunk[]) => void)[] = [];
  let asked = 0;
  const source: Source = {
    openIds: () => ["s1"],
    request: (method) => {
      if (method !== "review/list") return Promise.resolve(baseline(TEN) as never);
      asked += 1;
      return new Promise((resolve) => answers.push((hunks) => resolve({ hunks, seq: 1 } as never)));
    },
  };
  const counts: number[] = [];
  const review: Review = new Review(source, {
    isShown: () => true,
    changed: () => counts.push(review.hunks.length),
    failed: (error) => assert.fail(String(error)),
  });
  const first = review.refresh();
  const rest = [review.refresh(), review.refresh(), review.refresh()];
  assert.equal(asked, 1);
  answers[0]?.([]);
  await first;
  while (answers.length < 2) await Promise.resolve();
  answers[1]?.(THREE);
  await Promise.all(rest);
  assert.deepEqual([asked, counts], [2, [0, 3]]);
  assert.equal(review.places("/w/a.txt", SEEN).length, 3);
  assert.equal(review.lastTurn, "t1");
});

test("a baseline that cannot be read takes its own hunks out of the editor, and nothing else", async () => {
  const other = hunk([1, "1\n"], [1, "one\n"], { path: "/w/b.txt" });
  const source: Source = {
    openIds: () => ["s1"],
    request: (method, params) => {
      if (method === "review/list") return Promise.resolve({ hunks: [...THREE, other], seq: 1 } as never);
      const { path } = params as { path: string };
      return path === "/w/b.txt" ? Promise.reject(new Error("no")) : Promise.resolve(baseline(TEN) as never);
    },
  };
  const review: Review = new Review(source, {
    isShown: () => true,
    changed: () => undefined,
    failed: (error) => assert.fail(String(error)),
  });
  await review.refresh();
  assert.equal(review.hunks.length, 4);
  assert.equal(review.places("/w/a.txt", SEEN).length, 3);
  assert.equal(review.places("/w/b.txt", "one\n").length, 0);
});

test("what others did is found out by asking: it is no reason to ask again", async (t) => {
  const { chat, hooks, sent, until } = rig(t, { hunks: [] }, "s1");
  await chat.start();
  await until("the session is there", () => chat.openId() === "s1");
  const review: Review = new Review(chat, {
    isShown: () => true,
    changed: () => undefined,
    failed: (error) => assert.fail(String(error)),
  });
  hooks.changed = (changes) => {
    if (changes.some((change) => change.type === "review")) void review.refresh();
  };
  await review.refresh();
  for (let n = 0; n < 5; n++) await chat.request("ping", {});
  assert.equal(chat.state?.seq, 6, "the engine has told of it");
  assert.equal(sent("review/list").length, 1);
});

test("hunks of several sessions stand together, and decisions go to the session that each is of", async () => {
  const sent: string[] = [];
  let open = ["s1", "s2"];
  const mine = hunk([1, "1\n"], [1, "one\n"]);
  const theirs = hunk([1, "1\n"], [1, "uno\n"], {
    path: "/w/b.txt",
    madeBy: [{ turnId: "t2", itemId: "i" }],
  });
  const source: Source = {
    openIds: () => open,
    request: (method, params) => {
      const { sessionId, action } = params as { sessionId: string; action?: unknown };
      if (method === "review/list")
        return Promise.resolve({ hunks: sessionId === "s1" ? [mine] : [theirs], seq: 1 } as never);
      if (method === "review/baseline") return Promise.resolve(baseline(TEN) as never);
      sent.push(`${sessionId} ${JSON.stringify(action)}`);
      const part = { hunk: "1", path: "/w/a.txt", effect: "keep", outcome: "done" };
      return Promise.resolve({ seq: 1, decision: { action, parts: [part] } } as never);
    },
  };
  const review: Review = new Review(source, {
    isShown: () => true,
    changed: () => undefined,
    failed: (error) => assert.fail(String(error)),
  });
  await review.refresh();
  const [first, second] = review.hunks;
  assert.deepEqual([first?.id, second?.id], ["s1/1", "s2/1"]);
  assert.deepEqual([review.session, review.has("s2"), review.has("s3")], ["s1", true, false]);
  const target = { type: "hunk", hunk: second?.id ?? "", changedSeq: 7 } as const;
  const [result] = await review.decide({ type: "keep", target });
  assert.equal(result?.decision.parts[0]?.hunk, "s2/1", "what comes back is named as it is here");
  await review.decide({ type: "keep", target: { type: "file", path: "/w/b.txt" } });
  await review.decide({ type: "undo", target: { type: "turn", turnId: "t2" } });
  await review.decide({ type: "comment", hunk: "s2/1", side: "new", text: "no" });
  await review.decide({ type: "revert", decision: 4 });
  await review.decide({ type: "keep", target: { type: "all" } });
  assert.deepEqual(sent, [
    's2 {"type":"keep","target":{"type":"hunk","hunk":"1","changedSeq":7}}',
    's2 {"type":"keep","target":{"type":"file","path":"/w/b.txt"}}',
    's2 {"type":"undo","target":{"type":"turn","turnId":"t2"}}',
    's2 {"type":"comment","hunk":"1","side":"new","text":"no"}',
    's1 {"type":"revert","decision":4}',
    's1 {"type":"keep","target":{"type":"all"}}',
    's2 {"type":"keep","target":{"type":"all"}}',
  ]);
  // The first one is left: what is open in it is gone from the lists only when it is closed.
  open = ["s2", "s1"];
  await review.refresh();
  assert.deepEqual([review.session, review.hunks.length], ["s2", 2]);
});

test("if two sessions changed a file, the chat decides whose changes are meant", async () => {
  const sent: string[] = [];
  let open = ["s1", "s2"];
  const of = (turnId: string): Hunk =>
    hunk([1, "1\n"], [1, `${turnId}\n`], { path: "/w/a.txt", madeBy: [{ turnId, itemId: "i" }] });
  const source: Source = {
    openIds: () => open,
    request: (method, params) => {
      const { sessionId, action } = params as { sessionId: string; action?: unknown };
      if (method === "review/list")
        return Promise.resolve({ hunks: [of(sessionId === "s1" ? "t1" : "t2")], seq: 1 } as never);
      if (method === "review/baseline") return Promise.resolve(baseline(TEN) as never);
      sent.push(`${sessionId} ${JSON.stringify(action)}`);
      return Promise.resolve({ seq: 1, decision: { action, parts: [] } } as never);
    },
  };
  const review: Review = new Review(source, {
    isShown: () => false,
    changed: () => undefined,
    failed: (error) => assert.fail(String(error)),
  });
  await review.refresh();
  const target = { type: "file", path: "/w/a.txt" } as const;
  // The chat that was used last comes first, unless another one is named.
  assert.deepEqual(
    [review.file("/w/a.txt")?.session, review.file("/w/a.txt", "s2")?.session, review.lastTurn],
    ["s1", "s2", "t1"],
  );
  await review.decide({ type: "keep", target });
  await review.decide({ type: "keep", target }, "s2");
  await review.decide({ type: "undo", target: { type: "all" } }, "s2");
  open = ["s2", "s1"];
  await review.refresh();
  assert.deepEqual([review.file("/w/a.txt")?.session, review.lastTurn], ["s2", "t2"]);
  await review.decide({ type: "keep", target });
  assert.deepEqual(sent, [
    's1 {"type":"keep","target":{"type":"file","path":"/w/a.txt"}}',
    's2 {"type":"keep","target":{"type":"file","path":"/w/a.txt"}}',
    's2 {"type":"undo","target":{"type":"all"}}',
    's2 {"type":"keep","target":{"type":"file","path":"/w/a.txt"}}',
  ]);
});
