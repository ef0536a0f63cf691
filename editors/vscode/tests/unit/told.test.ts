/** Lines of the transcript about the conversation: answered questions, and what the engine told the model. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyRecord, EngineMessage, QuestionOutcome, TurnCompleted } from "pintle-client";
import type { ViewEntry } from "../../src/chat/messages.ts";
import { apply } from "../../src/transcript/reducer.ts";
import { endedText, toldOf } from "../../src/transcript/told.ts";
import { viewEntry } from "../../src/transcript/viewEntry.ts";
import { emptyState } from "./support.ts";

const question = {
  type: "question.requested",
  questionId: "q",
  text: "Which?",
  options: [
    { optionId: "1", label: "red" },
    { optionId: "2", label: "blue" },
  ],
};

for (const [name, outcome, cause, want] of [
  ["an option", { optionIds: ["2"], by: "client" }, "me", "You answered: blue"],
  ["several", { optionIds: ["1", "2"], by: "client" }, "me", "You answered: red, blue"],
  ["own words", { text: "green", by: "client" }, "me", "You answered: green"],
  ["both", { optionIds: ["1"], text: "but dark", by: "client" }, "me", "You answered: red, but dark"],
  ["another editor", { optionIds: ["1"], by: "client" }, "pintle.nvim-1", "Neovim answered: red"],
  ["nothing", { by: "dismissed" }, "me", "The question was dismissed"],
  ["nobody", { by: "deadline" }, undefined, "No answer in time"],
  ["a stop", { by: "interrupt" }, "me", undefined],
] as [string, Partial<QuestionOutcome>, string | undefined, string | undefined][]) {
  test(`the transcript says what a question was answered with: ${name}`, () => {
    const state = emptyState();
    state.cameAt = 0;
    const events = [question, { type: "question.resolved", questionId: "q", itemId: "i", ...outcome }];
    for (const [at, event] of events.entries()) {
      const from = cause === "me" ? state.clientId : cause;
      const record = { sessionId: "s", seq: at + 1, tsMs: 1, turnId: "t", event, cause: { clientId: from } };
      assert.equal(apply(state, record as unknown as AnyRecord).type, "applied");
    }
    const lines = state.entries.map(viewEntry).map((each: ViewEntry) => each.kind === "told" && each.line);
    assert.deepEqual(lines, want === undefined ? [] : [want]);
  });
}

const PREFIX = "From the engine, not from the user: ";

for (const [name, message, line, text] of [
  [
    "plan mode",
    { text: `${PREFIX}you are in plan mode.`, mode: "plan" },
    "Plan mode is on",
    "you are in plan mode.",
  ],
  ["its end", { text: `${PREFIX}over.`, mode: "act" }, "Plan mode is off", "over."],
  [
    "a warning of a loop",
    { text: `${PREFIX}you keep making the same call.` },
    "Note to the model",
    "you keep making the same call.",
  ],
  [
    "two in one",
    { text: `${PREFIX}one.\n\n${PREFIX}two.`, reviewed: [1] },
    "Your review was sent to the model",
    "one.\n\ntwo.",
  ],
  ["a client's note", { text: "remember this", note: {} }, "remember this", ""],
] as [string, EngineMessage, string, string][]) {
  test(`what is meant for the model is folded: ${name}`, () => {
    assert.deepEqual(toldOf(message), { line, text });
  });
}

for (const [name, end, title, want] of [
  [
    "done",
    { status: "completed", durationMs: 65_400 },
    "Mend the tests",
    "Pintle is done after 1 m 5 s: Mend the tests",
  ],
  ["many lines", { status: "completed", durationMs: 900 }, "One\ntwo", "Pintle is done after 0 s: One"],
  [
    "long",
    { status: "completed", durationMs: 1000 },
    "x".repeat(80),
    `Pintle is done after 1 s: ${"x".repeat(59)}…`,
  ],
  [
    "failed",
    { status: "failed", durationMs: 2000, error: { code: "auth", message: "no key", hint: "log in" } },
    "Mend",
    "Pintle failed after 2 s: Mend. No key. Log in.",
  ],
] as [string, Partial<TurnCompleted>, string, string][]) {
  test(`a notification says how a turn ended: ${name}`, () => {
    assert.equal(endedText(end as TurnCompleted, title), want);
  });
}
