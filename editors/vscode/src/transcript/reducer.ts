/**
 * Events in, what is drawn of them out. The client's `Session` folds the state; here are the entries of the transcript and the changes for
 * views. A page of events before those that are known is put in front of them. It asks nothing and does nothing.
 */
import type {
  AnyRecord,
  Event,
  EventRecord,
  ItemId,
  Notice,
  QueuedInput,
  SessionResult,
  TransientRecord,
} from "pintle-client";
import { isDurable } from "pintle-client";
import { nameOfOther } from "../connection/clients.ts";
import { numberText, plural, t } from "../words.ts";
import { grow, put, putItem, showTheWay } from "./entries.ts";
import { filesRewound, goesOn, joined, onTheWay, rewound } from "./history.ts";
import type { Change } from "./state.ts";
import { State } from "./state.ts";
import { answeredText } from "./told.ts";

export type Outcome =
  | { type: "applied"; changes: Change[] }
  /** Seen before. */
  | { type: "old" }
  /** Events between the state and this one are missing. */
  | { type: "gap" };

/** Takes what the answer to opening a session says of it; events up to its `seq` may still be on their way. */
export function attach(state: State, result: SessionResult): void {
  state.cameAt = Math.min(state.cameAt, result.seq);
  state.opened(result);
  state.isolation = result.isolation;
}

export function apply(state: State, record: AnyRecord): Outcome {
  if (!isDurable(record)) return { type: "applied", changes: applyTransient(state, record) };
  if (state.isEarly(record)) return { type: "gap" };
  const waiting = state.queue.length;
  if (!state.apply(record)) return { type: "old" };
  state.nowMs = record.tsMs;
  const changes = applyDurable(state, record, record.event);
  const isRead = state.queue.length !== waiting && changes.every((each) => each.type !== "head");
  return { type: "applied", changes: isRead ? [...changes, { type: "head" }] : changes };
}

function applyDurable(state: State, record: EventRecord, event: Event): Change[] {
  const head: Change = { type: "head" };
  switch (event.type) {
    case "session.created":
    case "session.moved":
    case "session.updated":
    case "session.closed":
    case "queue.changed":
    case "plan.updated":
    case "config.changed":
      return [head];
    case "question.requested":
      state.questionsAsked.set(event.questionId, event);
      return [head];
    case "question.resolved": {
      const other = nameOfOther(record.cause?.clientId, state.clientId, record.seq > state.cameAt);
      const message = answeredText(state.questionsAsked.get(event.questionId), event, other);
      if (message === undefined) return [head];
      const notice: Notice = { level: "info", code: ANSWERED, message };
      return [head, put(state, `answer:${event.questionId}`, { kind: "notice", notice })];
    }
    case "input.accepted":
      noteSender(state, record, event.itemId);
      return [head];
    case "input.removed": {
      const inputs = event.handled === true ? [] : handedBack(state, event.inputs, false);
      return inputs.length === 0 ? [head] : [head, { type: "returned", inputs }];
    }
    case "turn.started":
      goesOn(state.history);
      return [head];
    case "turn.completed": {
      const turnId = record.turnId ?? "";
      const end = put(state, `end:${turnId}`, { kind: "turnEnd", turnId, end: event });
      return [end, head, { type: "review" }];
    }
    case "item.started":
    case "item.updated":
    case "item.completed":
      return putItem(state, event.item);
    case "approval.requested":
    case "approval.resolved":
      return [head, { type: "entry", key: event.itemId }];
    case "retry.scheduled": {
      const wait = numberText(event.delayMs / 1000, 1);
      const message = t(
        "{0}; asking again in {1} s ({2} of {3})",
        event.message,
        wait,
        event.attempt,
        event.of,
      );
      const notice: Notice = { level: "info", code: event.code, message };
      return [put(state, `retry:${record.seq}`, { kind: "notice", notice })];
    }
    case "context.pruned": {
      const message = plural(
        event.results,
        "{0} old result was pruned to free context",
        "{0} old results were pruned to free context",
      );
      const notice: Notice = { level: "info", code: "contextPruned", message };
      return [put(state, `pruned:${record.seq}`, { kind: "notice", notice })];
    }
    case "history.rewound": {
      rewound(state.history, record.seq, event);
      const message = rewoundText(event.dropped?.length ?? 0, event.restored?.length ?? 0);
      const notice: Notice = { level: "info", code: "historyRewound", message };
      put(state, `rewound:${record.seq}`, { kind: "notice", notice });
      return [showTheWay(state), { type: "review" }];
    }
    case "files.changed":
      if (event.by.type === "rewind") filesRewound(state.history, record.seq, event.by.toSeq);
      // What others did is found out by asking for the hunks: asking again for it would never end while somebody types.
      return event.by.type === "other" ? [] : [{ type: "review" }];
    case "isolation.applied": {
      const conflicts = event.files.filter(
        ({ outcome }) => outcome === "conflict" || outcome === "kept",
      ).length;
      const done = t("Changes applied to your files: {0}", event.files.length);
      const message = conflicts === 0 ? done : `${done} ${t("({0} with conflicts)", conflicts)}`;
      const level = conflicts === 0 ? "info" : "warning";
      const notice: Notice = { level, code: "isolationApplied", message };
      return [put(state, `applied:${record.seq}`, { kind: "notice", notice }), { type: "review" }];
    }
    case "review.decided": {
      const { action } = event;
      const undone = action.type === "revert" ? action.decision : undefined;
      if (undone === undefined) state.decisions.push(record.seq);
      else {
        state.decisions = state.decisions.filter((seq) => seq !== undone);
        state.undone.add(undone);
      }
      return [{ type: "review" }];
    }
    case "review.queued": {
      if (event.refused === undefined) return [{ type: "review" }];
      const message = t("a decision was rejected: {0}", event.refused.reason);
      const notice: Notice = { level: "warning", code: "decisionRefused", message };
      const entry = put(state, `refused:${record.seq}`, { kind: "notice", notice });
      return [entry, { type: "told", notice }, { type: "review" }];
    }
    case "session.notice": {
      const entry = put(state, `notice:${record.seq}`, { kind: "notice", notice: inWords(event) });
      return wantsAnswer(event) ? [entry, { type: "told", notice: event }] : [entry];
    }
    default:
      return [];
  }
}

function noteSender(state: State, { seq, cause }: EventRecord, id: ItemId): void {
  const isNew = seq > state.cameAt;
  const name = nameOfOther(cause?.clientId, state.clientId, isNew);
  if (name !== undefined) state.senders.set(id, name);
  else if (isNew && cause?.clientId === state.clientId) state.own.add(id);
}

/**
 * The messages among these that go back to this window's prompt box, each once, whichever tells of it first: an event, or the response to
 * a stop of this window (`isOwnStop`), which also names those of an earlier run of it.
 */
export function handedBack(state: State, inputs: QueuedInput[], isOwnStop: boolean): QueuedInput[] {
  const isHere = (id: ItemId): boolean => (isOwnStop ? !state.senders.has(id) : state.own.has(id));
  const back = inputs.filter(({ itemId }) => isHere(itemId) && !state.handedBack.has(itemId));
  for (const { itemId } of back) state.handedBack.add(itemId);
  return back;
}

function applyTransient(state: State, record: TransientRecord): Change[] {
  const { event } = record;
  if (event.type === "item.delta") return grow(state, event);
  state.apply(record);
  switch (event.type) {
    case "session.state":
    case "session.context":
      return [{ type: "head" }];
    case "session.notice":
      // The banner above the prompt reports it.
      if (event.code === "modelSilent") return [];
      return [put(state, `notice:${record.after}:${event.code}`, { kind: "notice", notice: event })];
    default:
      return [];
  }
}

/** Begins a state at a page of events that is not the first one. */
export function beginAt(state: State, events: EventRecord[]): void {
  const first = events[0]?.seq ?? 1;
  state.first = first;
  state.seq = first - 1;
  for (const record of events) apply(state, record);
}

/**
 * Takes the events before `state.first`. What is shown of them comes before the entries, which keep their numbers. An item that ended in
 * the later events stays where it stands there.
 */
export function prepend(state: State, events: EventRecord[]): void {
  const page = new State(state.id, state.clientId);
  page.cameAt = state.cameAt;
  beginAt(page, events);
  state.first = page.first;
  state.prepend(page);
  state.history = joined(page.history, state.history);
  state.decisions = [...page.decisions.filter((seq) => !state.undone.has(seq)), ...state.decisions];
  for (const seq of page.undone) state.undone.add(seq);
  for (const [id, name] of page.senders) {
    if (!state.senders.has(id)) state.senders.set(id, name);
    const entry = state.all.get(id);
    if (entry?.kind === "item") entry.from = name;
  }
  const earlier = [...page.all].filter(([key]) => !state.all.has(key));
  state.all = new Map([...earlier, ...state.all]);
  const shown = onTheWay(
    state.history,
    (key) => state.isHidden(key),
    earlier.map(([, entry]) => entry),
  );
  state.start -= shown.length;
  for (const [at, entry] of shown.entries()) state.indexes.set(entry.key, state.start + at);
  state.entries = [...shown, ...state.entries];
}

/** The code of the line that says what a question was answered with. */
export const ANSWERED = "answered";

/** The code of the notice that names files of the project which are not used, because they are new or have changed. */
const NOT_AGREED = "notAgreed";

/** True for a notice that a person should answer. */
export function wantsAnswer({ code }: Notice): boolean {
  return code === NOT_AGREED;
}

/** The notice with a hint that names what there is in this editor. */
export function inWords({ level, code, message, hint }: Notice): Notice {
  const own =
    code === NOT_AGREED
      ? t("Pintle: Review the Project's Files… shows them; those you choose take effect with the next turn.")
      : hint;
  return { level, code, message, ...(own === undefined ? {} : { hint: own }) };
}

/** What a move in the history did to the conversation. */
function rewoundText(dropped: number, restored: number): string {
  if (restored === 0) {
    return plural(
      dropped,
      "Rewound: {0} item removed from the conversation.",
      "Rewound: {0} items removed from the conversation.",
    );
  }
  if (dropped === 0) {
    return plural(
      restored,
      "Moved forward: {0} item restored to the conversation.",
      "Moved forward: {0} items restored to the conversation.",
    );
  }
  return plural(
    dropped,
    "Moved in the history: {0} item removed from the conversation, {1} restored.",
    "Moved in the history: {0} items removed from the conversation, {1} restored.",
    restored,
  );
}
