/** The state of a session as it is drawn: types alone. `reducer.ts` makes it from events. */
import type { History } from "./history.ts";
import type {
  Approval,
  ApprovalId,
  ContextUsage,
  Item,
  ItemId,
  Notice,
  PlanItem,
  Question,
  QueuedInput,
  TurnCompleted,
  TurnId,
} from "./protocol.ts";

/** An entry of the transcript. `seq` is the event that brought it first, `tsMs` its time. */
export type Entry = { key: string; seq: number; tsMs: number } & Kind;

export type Kind =
  /** `from` is the client that sent it, where that is another one. */
  | { kind: "item"; item: Item; streamed: Streamed; from: string | undefined }
  | { kind: "notice"; notice: Notice }
  | { kind: "turnEnd"; turnId: TurnId; end: TurnCompleted };

/** Text that came in deltas and is not in the item's value. */
export interface Streamed {
  /** The texts of a call's arguments, each under its name. */
  input: string;
  /** The name of the last one. */
  field: string | undefined;
  output: string;
}

/** The part of an entry to which streamed text is appended. */
export type AppendedField = "text" | "input" | "output";

/** A change of the state, for views. */
export type Change =
  | { type: "entry"; key: string }
  | { type: "append"; key: string; field: AppendedField; text: string }
  | { type: "head" }
  /** All of the transcript. */
  | { type: "reset" }
  /** The open hunks may be others. */
  | { type: "review" }
  /** Messages of this window that the model has not read, handed back. */
  | { type: "returned"; inputs: QueuedInput[] }
  /** A person should hear of it now, wherever the transcript is. */
  | { type: "told"; notice: Notice };

export type Activity = "idle" | "running" | "blocked" | "unknown";

export interface State {
  /** The id of this window. */
  clientId: string;
  /** The last event that there was when this window came. */
  cameAt: number;
  seq: number;
  /** The first event that is part of the state; 1 where all are. Events before it are read when a person goes back to them. */
  first: number;
  /** The time of the event that is being taken, in milliseconds since 1970. */
  nowMs: number;
  cwd: string;
  title: string | undefined;
  model: string;
  permissionMode: string;
  /** `act` or `plan`. */
  mode: string;
  /** What its turns up to the event `costAt` cost, and what came since, in billionths of a US dollar; undefined where no price is known. */
  costNanoUsd: number | undefined;
  costAt: number;
  /** How full the model's window is. */
  context: ContextUsage | undefined;
  activity: Activity;
  activeTurn: TurnId | undefined;
  /** All that is known, by key, in its order. */
  all: Map<string, Entry>;
  /** What is shown: that which lies on the way that counts. */
  entries: Entry[];
  /** The number of the first of `entries`; it falls below 0 when earlier ones come, so that the others keep theirs. */
  start: number;
  /** The numbers of `entries`, by key. */
  indexes: Map<string, number>;
  history: History;
  /** The verdicts that were not undone, oldest first, and those that were. */
  verdicts: number[];
  undone: Set<number>;
  queue: QueuedInput[];
  /** The other clients that sent messages, by message. */
  senders: Map<ItemId, string>;
  /** Messages of this window that came since it has been there. */
  own: Set<ItemId>;
  /** Messages that went back to the prompt box. */
  handedBack: Set<ItemId>;
  approvals: Map<ApprovalId, Approval>;
  questions: Map<string, Question>;
  plan: PlanItem[];
  /** The next piece expected, by item and field. */
  pieces: Map<string, number>;
}
