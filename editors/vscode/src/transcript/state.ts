/** The state of a session as it is drawn: what the client folds, and the transcript. `reducer.ts` makes it from events. */
import type {
  Isolation,
  Item,
  ItemId,
  Notice,
  Question,
  QueuedInput,
  SessionId,
  Streamed,
  TurnCompleted,
  TurnId,
} from "pintle-client";
import { Session } from "pintle-client";
import type { History } from "./history.ts";
import { emptyHistory } from "./history.ts";

/** An entry of the transcript. `seq` is the event that brought it first, `tsMs` its time. */
export type Entry = { key: string; seq: number; tsMs: number } & Kind;

export type Kind =
  /** `from` is the client that sent it, where that is another one. */
  | { kind: "item"; item: Item; streamed: Streamed; from: string | undefined }
  | { kind: "notice"; notice: Notice }
  | { kind: "turnEnd"; turnId: TurnId; end: TurnCompleted };

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

export class State extends Session {
  /** The id of this window. */
  readonly clientId: string;
  /** The last event that there was when this window came. */
  cameAt = Infinity;
  /** The first event that is part of the state; 1 where all are. Events before it are read when a person goes back to them. */
  first = 1;
  /** The time of the event that is being taken, in milliseconds since 1970. */
  nowMs = 0;
  /** All that is known, by key, in its order. */
  all = new Map<string, Entry>();
  /** What is shown: that which lies on the way that counts. */
  entries: Entry[] = [];
  /** The number of the first of `entries`; it falls below 0 when earlier ones come, so that the others keep theirs. */
  start = 0;
  /** The numbers of `entries`, by key. */
  indexes = new Map<string, number>();
  history: History = emptyHistory();
  /** The copy of the project that it works in. */
  isolation: Isolation | undefined;
  /** The decisions that were not undone, oldest first, and those that were. */
  decisions: number[] = [];
  readonly undone = new Set<number>();
  /** The other clients that sent messages, by message. */
  readonly senders = new Map<ItemId, string>();
  /** Messages of this window that came since it has been there. */
  readonly own = new Set<ItemId>();
  /** Questions of the model, for the words of their answers. */
  readonly questionsAsked = new Map<string, Question>();
  /** Messages that went back to the prompt box. */
  readonly handedBack = new Set<ItemId>();

  constructor(id: SessionId, clientId: string) {
    super(id);
    this.clientId = clientId;
  }

  /** A value that is not known is never taken for idle. */
  get activity(): Activity {
    const { state } = this;
    // Waiting for a provider and summing up are work as well.
    if (state === "retrying" || state === "compacting") return "running";
    return state === "idle" || state === "running" || state === "blocked" ? state : "unknown";
  }

  get activeTurn(): TurnId | undefined {
    return this.turn?.status === "running" ? this.turn.id : undefined;
  }
}
