/**
 * Events in, a session's state out. It asks nothing and does nothing: `session.ts` fetches what is missing.
 *
 * Invariant: `seq` is the last durable event that is part of the state; an event is taken only when its number
 * is the next one. Types it does not know are counted and skipped.
 */
import { nameOfOther } from "./clients.ts";
import { append } from "./deltas.ts";
import { put, putItem, showTheWay } from "./entries.ts";
import { emptyHistory, filesRewound, goesOn, rewound } from "./history.ts";
import { inWords, wantsAnswer } from "./notices.ts";
import type {
  AnyRecord,
  Event,
  EventRecord,
  ItemId,
  Notice,
  QueuedInput,
  SessionResult,
  TransientRecord,
  TurnCompleted,
} from "./protocol.ts";
import type { Activity, Change, State } from "./state.ts";
import { numberText, plural, t } from "./words.ts";

export type Outcome =
  | { type: "applied"; changes: Change[] }
  /** Seen before. */
  | { type: "old" }
  /** Events between the state and this one are missing. */
  | { type: "gap" };

export function emptyState(clientId = ""): State {
  return {
    clientId,
    cameAt: Infinity,
    seq: 0,
    first: 1,
    nowMs: 0,
    cwd: "",
    title: undefined,
    model: "",
    permissionMode: "",
    mode: "act",
    costNanoUsd: undefined,
    costAt: 0,
    context: undefined,
    activity: "idle",
    activeTurn: undefined,
    all: new Map(),
    entries: [],
    start: 0,
    indexes: new Map(),
    history: emptyHistory(),
    verdicts: [],
    undone: new Set(),
    queue: [],
    senders: new Map(),
    own: new Set(),
    handedBack: new Set(),
    approvals: new Map(),
    questions: new Map(),
    plan: [],
    pieces: new Map(),
  };
}

/** Takes what the answer to opening a session says of it; events up to its `seq` may still be on their way. */
export function attach(state: State, result: SessionResult): void {
  state.cameAt = Math.min(state.cameAt, result.seq);
  state.cwd = result.cwd;
  state.title = result.title ?? state.title;
  state.model = result.model;
  state.permissionMode = result.permissionMode;
  state.mode = result.mode ?? state.mode;
  state.context = result.context ?? state.context;
  state.costNanoUsd = result.costNanoUsd;
  state.costAt = result.seq;
}

/** Takes the activity of an answer once the events up to its `seq` are in the state. */
export function settle(state: State, result: SessionResult): void {
  if (state.seq !== result.seq) return;
  state.activity = activityOf(result.state.value);
  state.activeTurn = result.activeTurnId;
  state.queue = result.queue ?? [];
  state.questions = new Map((result.questions ?? []).map((each) => [each.questionId, each]));
  state.plan = result.plan?.items ?? [];
  state.approvals = new Map((result.approvals ?? []).map((each) => [each.approvalId, each]));
}

export function isDurable(record: AnyRecord): record is EventRecord {
  return "seq" in record;
}

export function apply(state: State, record: AnyRecord): Outcome {
  if (!isDurable(record)) return { type: "applied", changes: applyTransient(state, record) };
  if (record.seq <= state.seq) return { type: "old" };
  if (record.seq > state.seq + 1) return { type: "gap" };
  state.seq = record.seq;
  state.nowMs = record.tsMs;
  return { type: "applied", changes: applyDurable(state, record, record.event) };
}

function applyDurable(state: State, record: EventRecord, event: Event): Change[] {
  const head: Change = { type: "head" };
  switch (event.type) {
    case "session.created":
      state.cwd = event.cwd;
      state.model = event.model;
      state.permissionMode = event.permissionMode;
      state.title = event.title;
      return [head];
    case "session.moved":
      state.cwd = event.cwd;
      return [head];
    case "session.updated":
      state.title = event.title;
      return [head];
    case "session.closed":
      state.activity = "idle";
      return [head];
    case "input.accepted":
      noteSender(state, record, event.itemId);
      state.queue.push({
        itemId: event.itemId,
        turnId: event.turnId,
        delivery: event.delivery,
        content: event.content,
      });
      return [head];
    case "input.removed": {
      const removed = new Set(event.inputs.map((each) => each.itemId));
      state.queue = state.queue.filter((each) => !removed.has(each.itemId));
      const inputs = event.isHandled === true ? [] : handedBack(state, event.inputs, false);
      return inputs.length === 0 ? [head] : [head, { type: "returned", inputs }];
    }
    case "queue.changed":
      state.queue = event.queue;
      return [head];
    case "turn.started":
      state.activeTurn = record.turnId;
      state.activity = "running";
      goesOn(state.history);
      return [head];
    case "turn.completed":
      if (event.costNanoUsd !== undefined && record.seq > state.costAt) {
        state.costNanoUsd = (state.costNanoUsd ?? 0) + event.costNanoUsd;
      }
      return [...endTurn(state, record, event), head, { type: "review" }];
    case "item.started":
    case "item.updated":
    case "item.completed":
      return putItem(state, event.item);
    case "approval.requested": {
      state.approvals.set(event.approvalId, event);
      return [head, { type: "entry", key: event.itemId }];
    }
    case "approval.resolved":
      state.approvals.delete(event.approvalId);
      return [head, { type: "entry", key: event.itemId }];
    case "question.requested":
      state.questions.set(event.questionId, event);
      return [head];
    case "question.resolved":
      state.questions.delete(event.questionId);
      return [head];
    case "plan.updated":
      state.plan = event.items;
      return [head];
    case "step.completed":
      return [];
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
    case "config.changed":
      state.model = event.model;
      state.permissionMode = event.permissionMode;
      state.mode = event.mode ?? state.mode;
      return [head];
    case "context.pruned": {
      const message = plural(
        event.results,
        "{0} old result was taken out of what the model reads, to make room",
        "{0} old results were taken out of what the model reads, to make room",
      );
      const notice: Notice = { level: "info", code: "contextPruned", message };
      return [put(state, `pruned:${record.seq}`, { kind: "notice", notice })];
    }
    case "history.rewound": {
      rewound(state.history, record.seq, event);
      const [dropped, restored] = [event.dropped ?? [], event.restored ?? []];
      const message = plural(
        dropped.length,
        "gone to another place of the history: the model forgot {0} item, and knows {1} again",
        "gone to another place of the history: the model forgot {0} items, and knows {1} again",
        restored.length,
      );
      const notice: Notice = { level: "info", code: "historyRewound", message };
      put(state, `rewound:${record.seq}`, { kind: "notice", notice });
      return [showTheWay(state), { type: "review" }];
    }
    case "files.changed":
      if (event.by.type === "rewind") filesRewound(state.history, record.seq);
      // What others did is found out by asking for the hunks: asking again for it would never end while somebody types.
      return event.by.type === "other" ? [] : [{ type: "review" }];
    case "review.decided": {
      const { action } = event;
      const undone = action.action === "revert" ? action.verdict : undefined;
      if (undone === undefined) state.verdicts.push(record.seq);
      else {
        state.verdicts = state.verdicts.filter((seq) => seq !== undone);
        state.undone.add(undone);
      }
      return [{ type: "review" }];
    }
    case "review.queued": {
      if (event.refused === undefined) return [{ type: "review" }];
      const message = t("a decision was not carried out: {0}", event.refused.reason);
      const notice: Notice = { level: "warning", code: "verdictRefused", message };
      const entry = put(state, `refused:${record.seq}`, { kind: "notice", notice });
      return [entry, { type: "told", notice }, { type: "review" }];
    }
    case "notice": {
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
  const event = record.event;
  switch (event.type) {
    case "item.delta":
      return append(state, event);
    case "state":
      state.activity = activityOf(event.value);
      return [{ type: "head" }];
    case "context":
      state.context = {
        tokens: event.tokens,
        ...(event.window === undefined ? {} : { window: event.window }),
      };
      return [{ type: "head" }];
    case "notice":
      return [put(state, `notice:${record.after}:${event.code}`, { kind: "notice", notice: event })];
    default:
      return [];
  }
}

/** A value that is not known is never taken for idle. */
function activityOf(value: string): Activity {
  // Waiting for a provider and summing up are work as well.
  if (value === "retrying" || value === "compacting") return "running";
  return value === "idle" || value === "running" || value === "blocked" ? value : "unknown";
}

function endTurn(state: State, record: EventRecord, end: TurnCompleted): Change[] {
  const turnId = record.turnId ?? "";
  if (state.activeTurn === turnId) {
    state.activeTurn = undefined;
    state.activity = "idle";
  }
  return [put(state, `end:${turnId}`, { kind: "turnEnd", turnId, end })];
}
