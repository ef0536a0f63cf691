/** The page's cards, drawn on a small stand-in for a document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord, Question } from "pintle-client";
import type { FromPage, ViewEntry } from "../../src/chat/messages.ts";
import { firstInputOfLastTurn } from "../../src/chat/turns.ts";
import { meterOf } from "../../src/chat/usage.ts";
import { apply, attach } from "../../src/transcript/reducer.ts";
import { drawn, Element } from "./element.ts";
import { emptyState } from "./support.ts";

type Draw = (
  question: Question,
  canAnswer: boolean,
  send: (message: FromPage) => void,
  drawMarkdown: (text: string) => unknown,
) => unknown;

// The page's files are checked with a browser's types, which are not here: hence a name that only the run resolves.
const CARD = "../../src/webview/question.ts";
const { drawQuestion } = (await import(CARD)) as { drawQuestion: Draw };
const ENTRIES = "../../src/webview/entries.ts";
const { drawEntry } = (await import(ENTRIES)) as {
  drawEntry: (
    entry: ViewEntry,
    send: () => void,
    colours: unknown,
  ) => { element: unknown; update: (entry: ViewEntry) => boolean };
};

const question: Question = {
  questionId: "q",
  sessionId: "s",
  turnId: "t",
  itemId: "i",
  kind: "choice",
  text: "Which?",
  options: [
    { optionId: "1", label: "red" },
    { optionId: "2", label: "blue" },
  ],
  deadlineMs: 0,
};

function drawMarkdown(text: string): Element {
  const element = new Element("div");
  element.textContent = text;
  return element;
}

/** A card, and what it sent. */
function card(more: Partial<Question> = {}, canAnswer = true): { root: Element; sent: FromPage[] } {
  const sent: FromPage[] = [];
  const send = (message: FromPage): unknown => sent.push(message);
  const root = drawn(() => drawQuestion({ ...question, ...more }, canAnswer, send, drawMarkdown));
  return { root: root as Element, sent };
}

function said(optionIds: string[], text = ""): FromPage {
  return { type: "say", questionId: "q", optionIds, text };
}

test("a question is answered by one press of an option", () => {
  const { root, sent } = card();
  assert.ok(root.text.includes("Which?"));
  root.find("button", "blue").click();
  assert.deepEqual(sent, [said(["2"])]);
});

test("a question is answered in own words, by the button or by Enter, and not by nothing", () => {
  const { root, sent } = card();
  const words = root.find("input");
  root.find("button", "Send").click();
  words.value = "   ";
  words.dispatch("keydown", { key: "Enter" });
  assert.deepEqual(sent, []);
  words.value = "neither";
  words.dispatch("keydown", { key: "a" });
  assert.deepEqual(sent, []);
  words.dispatch("keydown", { key: "Enter" });
  root.find("button", "Send").click();
  assert.deepEqual(sent, [said([], "neither"), said([], "neither")]);
});

test("words go with the option that is pressed", () => {
  const { root, sent } = card();
  root.find("input").value = "but soon";
  root.find("button", "red").click();
  assert.deepEqual(sent, [said(["1"], "but soon")]);
});

test("several options are chosen first and sent together", () => {
  const { root, sent } = card({ multiple: true });
  const [red, blue] = [root.find("button", "red"), root.find("button", "blue")];
  blue.click();
  red.click();
  blue.click();
  assert.deepEqual(sent, []);
  assert.deepEqual(
    [red, blue].map((each) => each.attributes.get("aria-pressed")),
    ["true", "false"],
  );
  root.find("button", "Send").click();
  assert.deepEqual(sent, [said(["1"])]);
});

test("a card that this window cannot answer sends nothing", () => {
  const { root, sent } = card({}, false);
  root.find("input").value = "words";
  for (const each of [...root.all("button"), root.find("input")]) {
    assert.equal(each.disabled, true);
    each.click();
    each.dispatch("keydown", { key: "Enter" });
  }
  assert.deepEqual(sent, []);
});

test("a question without options shows its plan and takes words", () => {
  const { root, sent } = card({ options: [], plan: "1. look" });
  assert.ok(root.all("div").some(({ className, text }) => className === "planText" && text === "1. look"));
  root.find("input").value = "go";
  root.find("button", "Send").click();
  assert.deepEqual(sent, [said([], "go")]);
});

for (const [name, from, want] of [
  ["this window", undefined, ["Fix it", "Fix it now"]],
  ["another client", "Neovim", ["from NeovimFix it", "from NeovimFix it now"]],
] as const) {
  test(`a message says where it is from, also when it is drawn again: ${name}`, () => {
    const message = (text: string): ViewEntry => ({ kind: "user", key: "k", atMs: 0, text, chips: [], from });
    const shown = drawn(() => {
      const entry = drawEntry(message("Fix it"), () => undefined, undefined);
      const before = (entry.element as Element).text;
      assert.ok(entry.update(message("Fix it now")));
      return [before, (entry.element as Element).text];
    });
    assert.deepEqual(shown, want);
  });
}

for (const [name, usage, text, isNearlyFull] of [
  ["nothing is known", undefined, undefined, false],
  ["no window", { tokens: 5000 }, undefined, false],
  ["nothing yet", { tokens: 0, window: 200_000 }, undefined, false],
  ["some", { tokens: 124_000, window: 200_000 }, "62 % of 200k", false],
  ["just below", { tokens: 158_900, window: 200_000 }, "79 % of 200k", false],
  ["nearly full", { tokens: 160_000, window: 200_000 }, "80 % of 200k", true],
  ["a million", { tokens: 1_048_576, window: 1_048_576 }, "100 % of 1M", true],
  ["a small one", { tokens: 300, window: 900 }, "33 % of 900", false],
] as const) {
  test(`the meter: ${name}`, () => {
    const meter = meterOf(usage);
    assert.deepEqual([meter?.text, meter?.isNearlyFull ?? false], [text, isNearlyFull]);
  });
}

test("a title is given and taken away", () => {
  const state = emptyState();
  const titled = (seq: number, title?: string) =>
    apply(state, {
      sessionId: "s",
      seq,
      tsMs: 0,
      event: { type: "session.updated", by: "user", ...(title === undefined ? {} : { title }) },
    });
  assert.deepEqual(titled(1, "Mine"), { type: "applied", changes: [{ type: "head" }] });
  assert.equal(state.title, "Mine");
  titled(2);
  assert.equal(state.title, undefined);
});

test("the cost of a session is what it was when it was opened, and that of turns since", () => {
  const state = emptyState();
  const usage = { inputTokens: 1, outputTokens: 1 };
  const turn = (seq: number, costNanoUsd?: number): void => {
    const cost = costNanoUsd === undefined ? {} : { costNanoUsd };
    const event = { type: "turn.completed", status: "completed", usage, steps: 1, durationMs: 1, ...cost };
    apply(state, { sessionId: "s", seq, tsMs: 0, turnId: "t", event } as unknown as EventRecord);
  };
  turn(1);
  assert.equal(state.costNanoUsd, undefined);
  attach(state, {
    sessionId: "s",
    seq: 3,
    cwd: "/",
    model: "m",
    permissionMode: "ask",
    state: { value: "idle" },
    costNanoUsd: 50,
  });
  // Told again while the events before are read.
  turn(2, 20);
  turn(3, 30);
  turn(4, 7);
  assert.equal(state.costNanoUsd, 57);
});

test("updates that wait for one frame are drawn as fewer, in their order", async () => {
  type Update = { entries: { index: number }[]; appends: { key: string; field: string; text: string }[] };
  const UPDATES = "../../src/webview/updates.ts";
  const { joined } = (await import(UPDATES)) as { joined: (updates: Update[]) => Update[] };
  const append = (key: string, text: string, field = "text"): Update => ({
    entries: [],
    appends: [{ key, field, text }],
  });
  const entry: Update = { entries: [{ index: 1 }], appends: [{ key: "b", field: "text", text: "4" }] };
  const given = [append("a", "1"), append("a", "2"), append("a", "3", "output"), entry, append("b", "5")];
  assert.deepEqual(joined(given), [
    { entries: [], appends: [...append("a", "12").appends, ...append("a", "3", "output").appends] },
    { entries: [{ index: 1 }], appends: append("b", "45").appends },
  ]);
  assert.equal(given[0]?.appends[0]?.text, "1", "what was given stays as it is");
});

const FOLLOWING = "../../src/webview/following.ts";
const { followsAfter } = (await import(FOLLOWING)) as {
  followsAfter: (didFollow: boolean, lastTop: number, now: object, isEnd: boolean) => boolean;
};

for (const [name, did, lastTop, scrollTop, scrollHeight, clientHeight, want] of [
  ["at the end", true, 500, 500, 1000, 500, true],
  ["a person goes up", true, 500, 300, 1000, 500, false],
  ["a person comes back", false, 300, 490, 1000, 500, true],
  ["a person reads on further up", false, 100, 200, 1000, 500, false],
  ["the bar is narrower: the text is longer", true, 500, 500, 1600, 500, true],
  ["a card takes room", true, 500, 500, 1000, 200, true],
  ["a card gives room back", true, 500, 200, 700, 500, true],
  ["all is in sight", false, 300, 0, 400, 500, true],
] as const) {
  test(`the transcript follows its end: ${name}`, () => {
    const now = { scrollTop, scrollHeight, clientHeight };
    assert.equal(followsAfter(did, lastTop, now, true), want);
    assert.equal(
      followsAfter(did, lastTop, now, false),
      false,
      "not where later entries are not on the page",
    );
  });
}

const end = (status: string, code?: string): ViewEntry =>
  ({
    kind: "turnEnd",
    key: "e",
    atMs: 0,
    end: {
      status,
      durationMs: 10,
      usage: { inputTokens: 0, outputTokens: 0 },
      ...(code === undefined ? {} : { error: { code, message: "no" } }),
    },
  }) as unknown as ViewEntry;

for (const [status, code, want] of [
  ["completed", undefined, []],
  ["interrupted", undefined, []],
  ["failed", "provider", ["Try Again: tryAgain", "Continue: continueTurn"]],
  ["failed", undefined, ["Try Again: tryAgain", "Continue: continueTurn"]],
  ["failed", "auth", ["Set Up Provider…: setUpProvider", "Try Again: tryAgain"]],
] as const) {
  test(`the end of a turn offers how to go on: ${status}, ${code ?? "no code"}`, () => {
    const sent: FromPage[] = [];
    const send = (message: FromPage): unknown => sent.push(message);
    const { element } = drawn(() => drawEntry(end(status, code), send as () => void, {}));
    const buttons = (element as Element).all("button");
    for (const each of buttons) each.click();
    assert.deepEqual(
      buttons.map(({ text }, at) => `${text}: ${sent[at]?.type ?? ""}`),
      want,
    );
  });
}

test("what is tried again is the message that the last turn began with", () => {
  const message = (turnId: string, text: string): unknown => ({
    kind: "item",
    item: { type: "userMessage", turnId, content: [{ type: "text", text }] },
  });
  const entries = [message("1", "first"), message("2", "second"), message("2", "steered")];
  const found = firstInputOfLastTurn({ entries } as Parameters<typeof firstInputOfLastTurn>[0]);
  assert.deepEqual(found, [{ type: "text", text: "second" }]);
  assert.equal(firstInputOfLastTurn({ entries: [] }), undefined);
});

test("SGR colors in a command's output are drawn, whole or in pieces", async () => {
  const TERMINAL = "../../src/webview/terminal.ts";
  type Terminal = { element: Element; set: (text: string) => void; append: (text: string) => void };
  const { TerminalText } = (await import(TERMINAL)) as { TerminalText: new () => Terminal };
  const output = "plain \u001b[1;31mFAIL\u001b[0m a\n\u001b[48;5;28mok\u001b[m\n";
  const coloured = (draw: (terminal: Terminal) => void): string[] =>
    drawn(() => {
      const terminal = new TerminalText();
      draw(terminal);
      return terminal.element.all("span").map(({ className, text }) => `${className}: ${text}`);
    });
  const whole = coloured((terminal) => terminal.set(output));
  assert.deepEqual(whole, ["line: plain FAIL a", "bold front1: FAIL", "line: ok", ": ok"]);
  const pieces = coloured((terminal) => {
    for (const piece of [output.slice(0, 9), output.slice(9, 30), output.slice(30)]) terminal.append(piece);
  });
  assert.deepEqual(pieces, whole);
});
