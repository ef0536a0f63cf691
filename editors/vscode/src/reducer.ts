/**
 * Events in, a session's state out. It asks nothing and does nothing: `session.ts` fetches what is missing.
 *
 * Invariant: `seq` is the last durable event that is part of the state; an event is taken only when its number
 * is the next one. Types it does not know are counted and skipped.
 */
import { append } from "./deltas.ts";
import type { Append } from "./messages.ts";
import type {
  AnyRecord,
  Approval,
  ApprovalId,
  ContextUsage,
  Event,
  EventRecord,
  Item,
  Notice,
  QueuedInput,
  SessionResult,
  TransientRecord,
  TurnCompleted,
  TurnId,
  PlanItem,
  Question,
} from "./protocol.ts";

/** One thing in the transcript. */
export type Entry =
  | { kind: "item"; key: string; item: Item; streamed: Streamed }
  | { kind: "notice"; key: string; notice: Notice }
  | { kind: "turnEnd"; key: string; turnId: TurnId; end: TurnCompleted };

/** What grew through deltas and is not in the item's value. */
export interface Streamed {
  /** The texts of a call's arguments, each under its name. */
  input: string;
  /** The name of the last one. */
  field: string | undefined;
  output: string;
}

/** What an event changed, for whoever draws it. */
export type Change =
  | { type: "entry"; key: string }
  | { type: "append"; key: string; field: Append["field"]; text: string }
  | { type: "head" };

export type Activity = "idle" | "running" | "blocked" | "unknown";

export interface State {
  seq: number;
  cwd: string;
  title: string | undefined;
  model: string;
  permissionMode: string;
  /** How full the model's window is. */
  context: ContextUsage | undefined;
  activity: Activity;
  activeTurn: TurnId | undefined;
  entries: Entry[];
  indexes: Map<string, number>;
  queue: QueuedInput[];
  approvals: Map<ApprovalId, Approval>;
  questions: Map<string, Question>;
  plan: PlanItem[];
  /** The next piece expected, by item and field. */
  pieces: Map<string, number>;
}

export type Outcome =
  | { type: "applied"; changes: Change[] }
  /** Seen before. */
  | { type: "old" }
  /** Events between the state and this one are missing. */
  | { type: "gap" };

export function emptyState(): State {
  return {
    seq: 0,
    cwd: "",
    title: undefined,
    model: "",
    permissionMode: "",
    context: undefined,
    activity: "idle",
    activeTurn: undefined,
    entries: [],
    indexes: new Map(),
    queue: [],
    approvals: new Map(),
    questions: new Map(),
    plan: [],
    pieces: new Map(),
  };
}

/** Takes what the answer to opening a session says of it; events up to its `seq` may still be on their way. */
export function attach(state: State, result: SessionResult): void {
  state.cwd = result.cwd;
  state.title = result.title ?? state.title;
  state.model = result.model;
  state.permissionMode = result.permissionMode;
  state.context = result.context ?? state.context;
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
    case "session.updated":
      state.title = event.title;
      return [head];
    case "session.closed":
      state.activity = "idle";
      return [head];
    case "input.accepted":
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
      return [head];
    }
    case "queue.changed":
      state.queue = event.queue;
      return [head];
    case "turn.started":
      state.activeTurn = record.turnId;
      state.activity = "running";
      return [head];
    case "turn.completed":
      return [...endTurn(state, record, event), head];
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
      const wait = (event.delayMs / 1000).toFixed(1);
      const message = `${event.message}; asking again in ${wait} s (${event.attempt} of ${event.of})`;
      const notice: Notice = { level: "info", code: event.code, message };
      return [put(state, { kind: "notice", key: `retry:${record.seq}`, notice })];
    }
    case "config.changed":
      state.model = event.model;
      state.permissionMode = event.permissionMode;
      return [head];
    case "context.pruned": {
      const message = `${event.results} old results were taken out of what the model reads, to make room`;
      const notice: Notice = { level: "info", code: "contextPruned", message };
      return [put(state, { kind: "notice", key: `pruned:${record.seq}`, notice })];
    }
    case "history.rewound": {
      const [dropped, restored] = [event.dropped ?? [], event.restored ?? []];
      const message = `gone to another place of the history: the model does not know ${dropped.length} of the items above any more, and knows ${restored.length} again`;
      const notice: Notice = { level: "info", code: "historyRewound", message };
      return [put(state, { kind: "notice", key: `rewound:${record.seq}`, notice })];
    }
    case "notice": {
      const { level, code, message, hint } = event;
      const notice: Notice = { level, code, message, ...(hint === undefined ? {} : { hint }) };
      return [put(state, { kind: "notice", key: `notice:${record.seq}`, notice })];
    }
    default:
      return [];
  }
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
      return [put(state, { kind: "notice", key: `notice:${record.after}:${event.code}`, notice: event })];
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
  return [put(state, { kind: "turnEnd", key: `end:${turnId}`, turnId, end })];
}

function putItem(state: State, item: Item): Change[] {
  const changes: Change[] = [];
  if (item.type === "userMessage") {
    const waiting = state.queue.length;
    state.queue = state.queue.filter((each) => each.itemId !== item.id);
    if (state.queue.length !== waiting) changes.push({ type: "head" });
  }
  const index = state.indexes.get(item.id);
  const before = index === undefined ? undefined : state.entries[index];
  const streamed = before?.kind === "item" ? before.streamed : { input: "", field: undefined, output: "" };
  if (isOver(item)) {
    streamed.input = "";
    streamed.field = undefined;
    streamed.output = "";
    for (const field of ["text", "input", "output"]) state.pieces.delete(`${item.id} ${field}`);
  } else if (before?.kind === "item" && "text" in before.item && "text" in item) {
    // The value of an item that still streams may be behind its deltas.
    if (before.item.text.length > item.text.length) item = { ...item, text: before.item.text };
  }
  changes.push(put(state, { kind: "item", key: item.id, item, streamed }));
  return changes;
}

function put(state: State, entry: Entry): Change {
  const index = state.indexes.get(entry.key);
  if (index === undefined) {
    state.indexes.set(entry.key, state.entries.length);
    state.entries.push(entry);
  } else state.entries[index] = entry;
  return { type: "entry", key: entry.key };
}

/** Whether an item has ended. A status that is not known counts as still running. */
export function isOver(item: Item): boolean {
  return ["completed", "failed", "declined", "cancelled"].includes(item.status);
}
