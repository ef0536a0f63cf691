/**
 * One session as this window follows it: opens it, takes its events in order, reads again what was missed.
 *
 * Invariant: what waits in `#held` is newer than the state, and is applied only after the pages before it.
 */
import type { Connection } from "./connection.ts";
import { isConflictError, isSharedError } from "./problem.ts";
import type {
  AnyRecord,
  ClientRequests,
  ConfigOption,
  EditorDiagnosticsParams,
  ItemId,
  JobId,
  QueueUpdateParams,
  SeenFile,
  SessionConfig,
  SessionId,
  SessionResult,
  TrustResult,
} from "./protocol.ts";
import type { Change, State } from "./state.ts";
import { beginAt, prepend } from "./earlier.ts";
import { apply, attach, emptyState, isDurable, settle } from "./reducer.ts";
import { isSilence } from "./stall.ts";

/** Events in a page; the most the engine gives. */
const PAGE = 1000;
/** Events that are read at first, about four to an item; more where they hold too few entries. */
const FIRST_PAGE = 400;
/** Entries that are there when a session is opened, and more with each step back. */
export const STEP = 100;
/** Beyond the end of any session. */
const END = Number.MAX_SAFE_INTEGER;
/** Deltas held back while pages are read may be dropped above this: they are never needed for correctness. */
const MOST_HELD = 20_000;
/** An engine of a window that has just closed may hold the session for a moment. */
const CONFLICT_DELAYS_MS = [100, 200, 400, 800, 1600, 3000];

export class Session {
  readonly id: SessionId;
  readonly state: State;
  readonly #changed: (changes: Change[]) => void;
  #connection: Connection | undefined;
  #held: AnyRecord[] = [];
  #filling: Promise<void> | undefined;
  /** The last event there was when it was opened; 0 before that. */
  #target = 0;
  /** Read up to here at least. */
  #wanted = 0;
  #isOpen = false;
  #lastSignMs = 0;
  #earlier: Promise<void> | undefined;

  constructor(id: SessionId, clientId: string, changed: (changes: Change[]) => void) {
    this.id = id;
    this.state = emptyState(clientId);
    this.#changed = changed;
  }

  /** Whether the state holds every event that was there when the session was opened. */
  get isCurrent(): boolean {
    return this.#target > 0 && this.state.seq >= this.#target && this.#filling === undefined;
  }

  /** Whether the engine has it open for this window. */
  get isOpen(): boolean {
    return this.#isOpen && this.#connection?.isClosed === false;
  }

  /**
   * Opens it on what `connection` gives, again for a while where another window holds it alone. False when there was no connection any
   * more.
   */
  async openPatiently(
    connection: () => Connection | undefined,
    config: SessionConfig = {},
  ): Promise<boolean> {
    for (const delayMs of [...CONFLICT_DELAYS_MS, undefined]) {
      const here = connection();
      if (here === undefined) return false;
      try {
        await this.open(here, config);
        return true;
      } catch (error) {
        if (!isConflictError(error) || isSharedError(error) || delayMs === undefined) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
    return false;
  }

  /** Follows the session on a connection from the last event that is known. */
  async open(connection: Connection, config: SessionConfig = {}): Promise<void> {
    this.#connection = connection;
    this.#isOpen = false;
    this.#held = [];
    this.#filling = undefined;
    // A stored session can be read at once; opening a long one takes the engine a while.
    const isNew = this.state.seq === 0;
    if (isNew) await this.#readEnd(connection);
    if (connection !== this.#connection) return;
    const params = { sessionId: this.id, config, fromSeq: this.state.seq };
    const result = await connection.request("session/open", params);
    if (connection !== this.#connection) return;
    if (isNew && this.state.seq < result.seq) this.#read(result.seq);
    await this.attached(connection, result);
  }

  /** Follows a session whose events come anyway, such as that of a sub-agent. */
  async watch(connection: Connection): Promise<void> {
    this.#connection = connection;
    this.#filling = this.#readEnd(connection);
    await this.#filling;
    this.#filled(connection);
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

  /** Takes the answer that made or opened the session, then waits until every event up to it is in the state. */
  async attached(connection: Connection, result: SessionResult): Promise<void> {
    this.#connection = connection;
    this.#isOpen = true;
    attach(this.state, result);
    this.#target = result.seq;
    if (result.gap === true) this.#read(result.seq);
    await this.#filling;
    if (connection !== this.#connection) return;
    settle(this.state, result);
    this.#changed([{ type: "head" }]);
    this.#filled(connection);
  }

  /** When the engine told something of it last, in milliseconds since 1970; 0 before that. */
  get lastSignMs(): number {
    return this.#lastSignMs;
  }

  receive(record: AnyRecord): void {
    if (!isSilence(record)) this.#lastSignMs = Date.now();
    if (this.#filling !== undefined) {
      if (isDurable(record) || this.#held.length < MOST_HELD) this.#held.push(record);
      return;
    }
    const outcome = apply(this.state, record);
    if (outcome.type === "applied") this.#changed(outcome.changes);
    else if (outcome.type === "gap" && isDurable(record)) {
      this.#held.push(record);
      this.#catchUp(record.seq - 1);
    }
  }

  /** The engine left out events up to `headSeq`. */
  lagged(headSeq: number): void {
    this.#catchUp(headSeq);
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

  /** Tells the engine what the editor finds wrong. Nobody waits for it, and one that is lost does no harm. */
  report(report: EditorDiagnosticsParams): void {
    this.#connection?.request("editor/diagnostics", { sessionId: this.id, ...report }).catch(() => undefined);
  }

  /** Reads what is missing up to an event, then goes on with what came meanwhile. */
  #catchUp(to: number): void {
    const connection = this.#connection;
    const isReading = this.#filling !== undefined;
    this.#read(to);
    if (connection !== undefined && !isReading) void this.#filling?.then(() => this.#filled(connection));
  }

  /** Begins to read up to an event. What comes meanwhile is held back until `#filled`. It never rejects. */
  #read(to: number): void {
    this.#wanted = Math.max(this.#wanted, to);
    const connection = this.#connection;
    // Where the connection is gone, the next `open` goes on from the last event that is known.
    if (connection !== undefined) this.#filling ??= this.#readPages(connection).catch(() => undefined);
  }

  #filled(connection: Connection): void {
    if (connection !== this.#connection) return;
    this.#filling = undefined;
    const held = this.#held;
    this.#held = [];
    for (const record of held) this.receive(record);
  }

  /** Reads the end of a session that is not known yet. */
  async #readEnd(connection: Connection): Promise<void> {
    const { events } = await connection.request("session/events", {
      sessionId: this.id,
      before: END,
      limit: FIRST_PAGE,
    });
    if (connection !== this.#connection) return;
    beginAt(this.state, events);
    await this.#readBack(STEP);
    this.#changed([{ type: "reset" }]);
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

  async #readPages(connection: Connection): Promise<void> {
    while (this.state.seq < this.#wanted) {
      const before = this.state.seq;
      const page = await connection.request("session/events", {
        sessionId: this.id,
        after: before,
        limit: PAGE,
      });
      if (connection !== this.#connection) return;
      const changes: Change[] = [];
      for (const record of page.events) {
        const outcome = apply(this.state, record);
        if (outcome.type === "applied") changes.push(...outcome.changes);
      }
      this.#changed(changes);
      // A page that brings nothing would be asked for for ever.
      if (this.state.seq === before) return;
    }
  }
}
