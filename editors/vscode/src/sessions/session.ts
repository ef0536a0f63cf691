/**
 * One session as this window follows it: opens it at its end, takes its events in order, and reads earlier ones when a person goes back.
 * Also the time since the model gave a sign.
 */
import type {
  AnyRecord,
  Client,
  ClientRequests,
  ConfigOption,
  EditorDiagnosticsParams,
  ItemId,
  JobId,
  PermissionListResult,
  QueueUpdateParams,
  SeenFile,
  SessionConfig,
  SessionId,
  SessionResult,
  TrustResult,
} from "pintle-client";
import { isDurable } from "pintle-client";
import { isConflictError, isSharedError } from "../connection/problem.ts";
import { firstPrompt } from "../transcript/entries.ts";
import { apply, attach, beginAt, prepend } from "../transcript/reducer.ts";
import type { Change } from "../transcript/state.ts";
import { State } from "../transcript/state.ts";

/** Events in a page; the most the engine gives. */
const PAGE = 1000;
/** Events that are read at first, about four to an item; more where they hold too few entries. */
const FIRST_PAGE = 400;
/** Entries that are there when a session is opened, and more with each step back. */
export const STEP = 100;
/** Beyond the end of any session. */
const END = Number.MAX_SAFE_INTEGER;
/** An engine of a window that has just closed may hold the session for a moment. */
const CONFLICT_DELAYS_MS = [100, 200, 400, 800, 1600, 3000];
/** So many attempts, within a third of a second, and it is another window that goes on with it. */
const SURELY_HELD = 3;

/** A session that this window has open. */
export class Session {
  readonly id: SessionId;
  readonly state: State;
  readonly #changed: (changes: Change[]) => void;
  #connection: Client | undefined;
  /** The last event there was when it was opened; 0 before that. */
  #target = 0;
  /** Called when the state holds that event. */
  #reached: () => void = () => undefined;
  /** The end is being read: events that come meanwhile are read again. */
  #isReading = false;
  /** The last event that came. */
  #latest = 0;
  #isOpen = false;
  #lastSignMs = 0;
  #earlier: Promise<void> | undefined;

  constructor(id: SessionId, clientId: string, changed: (changes: Change[]) => void) {
    this.id = id;
    this.state = new State(id, clientId);
    this.#changed = changed;
  }

  /** Its title, or its first message until it has one; undefined before that is read. */
  get name(): string | undefined {
    return this.state.title ?? (this.hasEarlier ? undefined : firstPrompt(this.state));
  }

  /** Whether the state holds every event that was there when the session was opened. */
  get isCurrent(): boolean {
    return this.#target > 0 && this.state.seq >= this.#target;
  }

  /** Whether the engine has it open for this window. */
  get isOpen(): boolean {
    return this.#isOpen && this.#connection?.isClosed === false;
  }

  /**
   * Opens it on what `connection` gives, again for a while where another window holds it alone; `held` is called with the reason once that
   * is no window that is just closing. False when there was no connection any more.
   */
  async openPatiently(
    connection: () => Client | undefined,
    config: SessionConfig = {},
    held: (error: unknown) => void = () => undefined,
  ): Promise<boolean> {
    for (const [at, delayMs] of [...CONFLICT_DELAYS_MS, undefined].entries()) {
      const here = connection();
      if (here === undefined) return false;
      try {
        await this.open(here, config);
        return true;
      } catch (error) {
        if (!isConflictError(error)) throw error;
        if (isSharedError(error) || delayMs === undefined) throw error;
        if (at + 1 === SURELY_HELD) held(error);
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
    return false;
  }

  /** Follows the session on a connection from the last event that is known. */
  async open(connection: Client, config: SessionConfig = {}): Promise<void> {
    this.#connection = connection;
    this.#isOpen = false;
    // A stored session can be read at once; opening a long one takes the engine a while.
    if (this.state.seq === 0) await this.#readEnd(connection);
    if (connection !== this.#connection) return;
    const params = { sessionId: this.id, config, fromSeq: this.state.seq };
    const result = await connection.request("session/open", params);
    if (connection === this.#connection) await this.attached(connection, result);
  }

  /** Follows a session whose events come anyway, such as that of a sub-agent. */
  async watch(connection: Client): Promise<void> {
    this.#connection = connection;
    await this.#readEnd(connection);
  }

  /** The background jobs that run. */
  get jobs(): JobId[] {
    return this.state.entries.flatMap((each) =>
      each.kind === "item" && each.item.type === "job" && each.item.status === "running"
        ? [each.item.jobId]
        : [],
    );
  }

  /** Whether a session is that of one of its sub-agents. */
  hasAgent(id: SessionId): boolean {
    return this.state.entries.some(
      (each) => each.kind === "item" && each.item.type === "subagent" && each.item.sessionId === id,
    );
  }

  /** Whether there are entries before those that are known. */
  get hasEarlier(): boolean {
    return this.state.first > 1;
  }

  /** Reads back until there are some more entries, or the beginning is reached. */
  readEarlier(): Promise<void> {
    this.#earlier ??= this.#readBack(this.state.entries.length + STEP).finally(
      () => (this.#earlier = undefined),
    );
    return this.#earlier;
  }

  /** Takes the answer that made or opened the session, then waits until every event up to it is in the state, or the engine is gone. */
  async attached(connection: Client, result: SessionResult): Promise<void> {
    this.#connection = connection;
    this.#isOpen = true;
    this.#target = result.seq;
    attach(this.state, result);
    this.#changed([{ type: "head" }]);
    if (this.isCurrent) return;
    await Promise.race([new Promise<void>((resolve) => (this.#reached = resolve)), connection.closed]);
  }

  /** When the engine told something of it last, in milliseconds since 1970; 0 before that. */
  get lastSignMs(): number {
    return this.#lastSignMs;
  }

  receive(record: AnyRecord): void {
    if (!isSilence(record)) this.#lastSignMs = Date.now();
    if (isDurable(record)) this.#latest = Math.max(this.#latest, record.seq);
    if (this.#isReading) return;
    const wasCurrent = this.isCurrent;
    const outcome = apply(this.state, record);
    // The events before it come first, and then it comes again.
    if (outcome.type === "gap") this.#connection?.catchUp(this.id, this.state.seq, this.#latest);
    if (outcome.type !== "applied") return;
    // What is open was taken from the answer with its last event.
    if (this.isCurrent && !wasCurrent) outcome.changes.push({ type: "head" });
    this.#changed(outcome.changes);
    if (this.isCurrent) this.#reached();
  }

  /** Its settings, with the values that they may have. */
  async settings(): Promise<ConfigOption[]> {
    const listed = await this.#connection?.request("config/list", { sessionId: this.id });
    return listed?.options ?? [];
  }

  /** Changes settings from the next turn on. Rejects with the reason where the engine refuses one. */
  async configure(values: Record<string, string>): Promise<void> {
    const set = await this.#connection?.request("config/set", { sessionId: this.id, values });
    const [refused] = set?.rejected ?? [];
    if (refused !== undefined) throw new Error(refused.reason);
  }

  /** Changes, moves or sends otherwise a message that waits. */
  async updateWaiting(update: QueueUpdateParams): Promise<void> {
    await this.#connection?.request("queue/update", { ...update, sessionId: this.id });
  }

  async removeWaiting(itemId: ItemId): Promise<void> {
    await this.#connection?.request("queue/remove", { sessionId: this.id, itemIds: [itemId] });
  }

  /** Asks about its servers of the Model Context Protocol; `stop` ends a login. Returns nothing where the engine is gone. */
  async ofServers<M extends "mcp/list" | "mcp/update" | "mcp/login" | "mcp/logout">(
    method: M,
    params: ClientRequests[M]["params"],
    stop?: AbortSignal,
  ): Promise<ClientRequests[M]["result"] | undefined> {
    return this.#connection?.request(method, { ...params, sessionId: this.id }, stop);
  }

  /** The files of the project from which the engine takes orders, after agreeing to those that are given. Nothing where the engine is gone. */
  async projectFiles(agreed?: SeenFile[]): Promise<TrustResult | undefined> {
    if (agreed === undefined) return this.#connection?.request("trust/read", { sessionId: this.id });
    return this.#connection?.request("trust/agree", { sessionId: this.id, files: agreed });
  }

  /** The session's permission rules, after removing one that an answer added. Nothing where the engine is gone. */
  async permissionRules(removed?: string): Promise<PermissionListResult | undefined> {
    if (removed === undefined) return this.#connection?.request("permission/list", { sessionId: this.id });
    return this.#connection?.request("permission/remove", { sessionId: this.id, ruleId: removed });
  }

  /** Tells the engine what the editor finds wrong. Nobody waits for it, and one that is lost does no harm. */
  report(report: EditorDiagnosticsParams): void {
    this.#connection?.request("editor/diagnostics", { sessionId: this.id, ...report }).catch(() => undefined);
  }

  /** Reads the end of a session that is not known yet. */
  async #readEnd(connection: Client): Promise<void> {
    this.#isReading = true;
    try {
      const params = { sessionId: this.id, before: END, limit: FIRST_PAGE };
      const { events } = await connection.request("session/events", params);
      if (connection !== this.#connection) return;
      beginAt(this.state, events);
      await this.#readBack(STEP);
    } finally {
      this.#isReading = false;
    }
    if (connection !== this.#connection) return;
    this.#changed([{ type: "reset" }]);
    connection.catchUp(this.id, this.state.seq, this.#latest);
  }

  async #readBack(wanted: number): Promise<void> {
    const connection = this.#connection;
    while (connection !== undefined && this.hasEarlier && this.state.entries.length < wanted) {
      const { first } = this.state;
      const page = await connection.request("session/events", {
        sessionId: this.id,
        before: first,
        limit: PAGE,
      });
      // A page that brings nothing would be asked for for ever.
      if (connection !== this.#connection || first !== this.state.first || page.events.length === 0) return;
      prepend(this.state, page.events);
    }
  }
}

/** A provider that is silent for so long may never answer. */
export const STALL_MS = 40_000;

/** Whether the model is what is waited for: a turn runs, and neither a person nor a call is. */
export function waitsForModel(state: State): boolean {
  if (state.activity !== "running" || state.approvals.length + state.questions.length > 0) return false;
  return !state.entries.some(
    (each) =>
      each.kind === "item" &&
      (each.item.type === "toolCall" || each.item.type === "subagent") &&
      each.item.status === "running",
  );
}

/** Whether a record says nothing but that nothing comes from the model, which is no sign of it. */
export function isSilence({ event }: AnyRecord): boolean {
  return event?.type === "session.notice" && event.code === "modelSilent";
}

/** How long there was no sign, in milliseconds; undefined while that is no reason to say so. */
export function stalledMs(state: State | undefined, lastSignMs: number, nowMs: number): number | undefined {
  if (state === undefined || lastSignMs === 0 || !waitsForModel(state)) return undefined;
  const silent = nowMs - lastSignMs;
  return silent >= STALL_MS ? silent : undefined;
}
