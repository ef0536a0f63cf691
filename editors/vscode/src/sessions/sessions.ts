/**
 * The sessions that a window has open: those that its chats show, and others that were left and go on. It makes, opens and stops them, and
 * passes on what happens in them.
 */
import type {
  AnyRecord,
  Client,
  IsolationRequest,
  QueuedInput,
  SessionConfig,
  SessionId,
} from "pintle-client";
import { Disconnected } from "pintle-client";
import type { Ask } from "../chat/turns.ts";
import type { Engine, Surroundings } from "../connection/engine.ts";
import { isConflictError, isNotFoundError } from "../connection/problem.ts";
import { sessionConfig } from "../settings/settings.ts";
import type { Change } from "../transcript/state.ts";
import { Session } from "./session.ts";

/** What a window remembers between reloads. */
export interface WindowMemory {
  /** Sessions that were open but not shown in the view. */
  others: SessionId[];
  /** Resolves when it is known. */
  readonly isKnown: Promise<void>;
}

/** What a window is told about its sessions as a whole. */
export interface WindowListener {
  /** Something happened in a session that no chat shows. */
  changedElsewhere(session: Session, changes: Change[]): void;
  /** Whether a session has undecided hunks. */
  isReviewed(id: SessionId): boolean;
  /** Status, questions, problem or queue changed. */
  head(): void;
}

/** A place that shows one session at a time. Several may show the same one. */
export interface Viewer {
  readonly session: Session | undefined;
  /** True for the view, false for an editor tab. */
  readonly isHome: boolean;
  changed(changes: Change[]): void;
  /** Messages that the model has not read return to the prompt. */
  handBack(inputs: QueuedInput[]): void;
  opened(): void;
  /** It could not be opened; another attempt may follow. */
  refused(error: unknown): void;
  /** It is not open any more. `isForGood`: it does not exist. */
  lost(isForGood: boolean): void;
  /** The engine has started: returns the session to open again. */
  returning(): Session | undefined;
}

interface Host {
  readonly engine: Engine;
  readonly around: Surroundings;
  readonly memory: WindowMemory;
  readonly listener: WindowListener;
  ask: Ask;
  /** The chats, most recently used first. */
  viewers(): Viewer[];
}

export class Sessions {
  readonly #host: Host;
  readonly #open = new Map<SessionId, Session>();
  /** Events received while sessions are being created, one list for each request. */
  readonly #early = new Set<AnyRecord[]>();
  /** Current attempts to open a session. */
  readonly #opening = new Map<Session, { done: Promise<void> }>();
  #settling: Promise<void> = Promise.resolve();

  constructor(host: Host) {
    this.#host = host;
  }

  /** All of them: those that are shown first, most recently used first. */
  get all(): Session[] {
    return [
      ...new Set([...this.#host.viewers().flatMap(({ session }) => session ?? []), ...this.#open.values()]),
    ];
  }

  get(id: SessionId): Session | undefined {
    return this.#open.get(id);
  }

  /** Resolves when the sessions of the previous window are open or cannot be. */
  get settled(): Promise<void> {
    return this.#settling;
  }

  isShown(session: Session): boolean {
    return this.#host.viewers().some((each) => each.session === session);
  }

  /** The open session with this id, or the one whose sub-agent has it. */
  owner(id: SessionId): Session | undefined {
    return this.#open.get(id) ?? this.all.find((each) => each.hasAgent(id));
  }

  /** Hands an event to its session; false if it belongs to none of these. */
  receive(record: AnyRecord): boolean {
    const session = this.#open.get(record.sessionId);
    session?.receive(record);
    if (session === undefined) for (const each of this.#early) each.push(record);
    return session !== undefined;
  }

  /** Creates a session. `made` is called before any of its events are applied. */
  async create(
    config: SessionConfig,
    made: (session: Session) => void,
    { title, isolation }: { title?: string; isolation?: IsolationRequest | undefined } = {},
  ): Promise<Session> {
    const { engine, around } = this.#host;
    const { connection } = engine;
    if (connection === undefined) throw new Disconnected();
    const early: AnyRecord[] = [];
    this.#early.add(early);
    try {
      // Other folders are not copied.
      const folders = isolation === undefined ? this.#folders() : {};
      const all = { ...sessionConfig(around.settings()), ...folders, ...config };
      const named = title === undefined ? {} : { title };
      const copied = isolation === undefined ? {} : { isolation };
      const result = await connection.request("session/create", {
        cwd: around.folder,
        config: all,
        ...named,
        ...copied,
      });
      const session = this.make(result.sessionId);
      made(session);
      for (const record of early) if (record.sessionId === session.id) session.receive(record);
      await session.attached(connection, result);
      return session;
    } finally {
      this.#early.delete(early);
    }
  }

  /** The session with this id, which is followed from now on. */
  make(id: SessionId): Session {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const session: Session = new Session(id, this.#host.engine.clientId, (changes) =>
      this.#changed(session, changes),
    );
    this.#open.set(id, session);
    return session;
  }

  /** Opens a session in the engine, and notifies the chats that show it. Supersedes an earlier attempt. */
  open(session: Session): Promise<void> {
    const opening = { done: Promise.resolve() };
    this.#opening.set(session, opening);
    const isWanted = (): boolean =>
      this.#opening.get(session) === opening && this.#open.get(session.id) === session;
    opening.done = this.#openPatiently(session, isWanted).finally(() => {
      if (this.#opening.get(session) === opening) this.#opening.delete(session);
    });
    return opening.done;
  }

  /** The current attempt to open a session. */
  opening(session: Session): Promise<void> | undefined {
    return this.#opening.get(session)?.done;
  }

  /**
   * A chat has left a session. If no other chat shows it, it is closed, so that another window can open it; it continues if it is working, or has
   * jobs or undecided hunks.
   */
  async left(session: Session): Promise<void> {
    const isBusy = session.isOpen && (session.state.activity !== "idle" || session.jobs.length > 0);
    const isKept = this.isShown(session) || isBusy || this.#host.listener.isReviewed(session.id);
    if (!isKept) this.#open.delete(session.id);
    this.remember();
    if (isKept) return;
    try {
      await this.#host.ask("session/close", { sessionId: session.id });
    } catch (error) {
      this.#host.around.log.warn(`closing a session: ${String(error)}`);
    }
  }

  /** Stops all that a session does, and closes it. In a shared engine it goes on for others. */
  async stop(id: SessionId): Promise<void> {
    await this.#host.ask("session/close", { sessionId: id });
    const session = this.#open.get(id);
    this.#open.delete(id);
    if (session !== undefined) for (const each of this.#viewersOf(session)) each.lost(true);
    this.remember();
    if (session !== undefined)
      this.#host.listener.changedElsewhere(session, [{ type: "review" }, { type: "head" }]);
  }

  /** An engine has started: opens the sessions that are shown, and those that were left. */
  resume(): Promise<void> {
    this.#settling = this.#resume();
    return this.#settling;
  }

  /** The folders of the workspace have changed: open sessions may work in them. */
  async foldersChanged(): Promise<void> {
    const additionalDirectories = this.#host.around.folders().slice(1);
    for (const { id } of this.all) {
      await this.#host
        .ask("session/open", { sessionId: id, subscribe: false, config: { additionalDirectories } })
        .catch((error: unknown) =>
          this.#host.around.log.warn(`telling a session of the folders: ${String(error)}`),
        );
    }
  }

  /** The next window opens the same sessions. */
  remember(): void {
    const home = this.#host.viewers().find(({ isHome }) => isHome)?.session;
    this.#host.memory.others = this.all.filter((each) => each !== home).map(({ id }) => id);
  }

  async #resume(): Promise<void> {
    const { memory, listener } = this.#host;
    await memory.isKnown;
    const { others } = memory;
    const shown = new Set(this.#host.viewers().flatMap((each) => each.returning() ?? []));
    for (const id of others) this.make(id);
    await Promise.all([...shown].map((each) => this.open(each)));
    for (const session of this.all) {
      if (session.isOpen || this.isShown(session)) continue;
      await this.open(session);
      listener.changedElsewhere(session, [{ type: "review" }]);
    }
    this.remember();
    listener.head();
  }

  async #openPatiently(session: Session, isWanted: () => boolean): Promise<void> {
    const { engine, around, listener } = this.#host;
    try {
      const connection = (): Client | undefined => (isWanted() ? engine.connection : undefined);
      const held = (error: unknown): void => {
        if (isWanted()) for (const each of this.#viewersOf(session)) each.refused(error);
      };
      if (!(await session.openPatiently(connection, this.#folders(), held))) return;
      for (const each of this.#viewersOf(session)) each.opened();
    } catch (error) {
      if (error instanceof Disconnected || !isWanted()) return;
      const viewers = this.#viewersOf(session);
      for (const each of viewers) each.refused(error);
      // A session that another window holds can be read here.
      if (viewers.length > 0 && isConflictError(error)) return listener.head();
      if (viewers.length === 0) around.log.warn(`opening a session again: ${String(error)}`);
      // A session that is gone must not prevent a new one.
      this.#open.delete(session.id);
      for (const each of viewers) each.lost(isNotFoundError(error));
    }
  }

  #changed(session: Session, changes: Change[]): void {
    const viewers = this.#viewersOf(session);
    const [first] = viewers;
    if (first === undefined) return this.#host.listener.changedElsewhere(session, changes);
    for (const each of changes) if (each.type === "returned") first.handBack(each.inputs);
    for (const each of viewers) each.changed(changes);
  }

  #viewersOf(session: Session): Viewer[] {
    return this.#host.viewers().filter((each) => each.session === session);
  }

  /** The additional folders of the workspace, for a session. */
  #folders(): { additionalDirectories?: string[] } {
    const additionalDirectories = this.#host.around.folders().slice(1);
    return additionalDirectories.length === 0 ? {} : { additionalDirectories };
  }
}
