/**
 * The sessions that a window has open: the one that is shown, and others that it left and that go on. It makes, opens, leaves and stops
 * them, and tells whoever draws them.
 */
import type { AnyRecord, Client, Input, QueuedInput, SessionId, WorkMode } from "pintle-client";
import { Disconnected } from "pintle-client";
import type { Ask } from "../chat/turns.ts";
import type { Engine, Surroundings } from "../connection/engine.ts";
import { isConflictError, isNotFoundError } from "../connection/problem.ts";
import { sessionConfig } from "../settings/settings.ts";
import type { Change } from "../transcript/state.ts";
import { Session } from "./session.ts";

/** What a window remembers of its last time. */
export interface ChatMemory {
  session: SessionId | undefined;
  /** Sessions that were left and went on. */
  others: SessionId[];
  /** Resolves when it is known. */
  readonly isKnown: Promise<void>;
}

/** What a chat tells whoever draws it. */
export interface Listener {
  /** The session that is shown is another one now; draw everything anew. */
  reset(): void;
  changed(changes: Change[]): void;
  /** Something happened in a session that is not shown. */
  changedElsewhere(session: Session, changes: Change[]): void;
  /** Whether a session has hunks that nobody has decided about. */
  isReviewed(id: SessionId): boolean;
  /** Status, questions, problem or queue changed. */
  head(): void;
  /** A question of permission came. */
  asked(): void;
  /** What was not sent goes back to the prompt box. */
  returned(text: string, attached: Input[]): void;
}

/** What the owner of the sessions does for them. */
interface Host {
  readonly engine: Engine;
  readonly around: Surroundings;
  readonly memory: ChatMemory;
  readonly listener: Listener;
  ask: Ask;
  /** Shows a problem, or that there is none. */
  explain(error: unknown): void;
  clearProblem(): void;
  handBack(inputs: QueuedInput[]): void;
  /** The work mode for a session that is made now, and that one was made with it. */
  nextMode(): WorkMode;
  modeTaken(): void;
}

export class Sessions {
  readonly #host: Host;
  readonly #open = new Map<SessionId, Session>();
  #shown: Session | undefined;
  /** Events of a session whose creation is being answered. */
  #early: AnyRecord[] | undefined;
  /** The session that is being made. */
  #creating: Promise<Session> | undefined;
  #opening = 0;
  #settling: Promise<void> = Promise.resolve();

  constructor(host: Host) {
    this.#host = host;
  }

  get shown(): Session | undefined {
    return this.#shown;
  }

  /** All of them, the one that is shown first. */
  get all(): Session[] {
    const others = [...this.#open.values()].filter((each) => each !== this.#shown);
    return this.#shown === undefined ? others : [this.#shown, ...others];
  }

  get(id: SessionId): Session | undefined {
    return this.#open.get(id);
  }

  /** Resolves when the session of the last time is open or cannot be. */
  get settled(): Promise<void> {
    return this.#settling;
  }

  /** Hands an event to its session; false where it belongs to none of these. */
  receive(record: AnyRecord): boolean {
    const session = this.#open.get(record.sessionId);
    session?.receive(record);
    if (session === undefined) this.#early?.push(record);
    return session !== undefined;
  }

  /** Whether what a session asks belongs to one that was left: to itself, or to the one whose sub-agent it is. */
  isElsewhere(id: SessionId): boolean {
    const owner = this.#open.get(id) ?? this.all.find((each) => each.hasAgent(id));
    return owner !== undefined && owner !== this.#shown;
  }

  /** Makes a session, and shows it. Two prompts that are sent at once share it. */
  create(): Promise<Session> {
    if (this.#creating !== undefined) return this.#creating;
    const creating = this.#create().finally(() => {
      if (this.#creating === creating) this.#creating = undefined;
    });
    this.#creating = creating;
    return creating;
  }

  async #create(): Promise<Session> {
    const { engine, around, memory } = this.#host;
    const { connection } = engine;
    if (connection === undefined) throw new Disconnected();
    this.#early = [];
    try {
      // From the start: a session that plans first is never able to act before.
      const mode = this.#host.nextMode();
      const plan = mode === "act" ? {} : { mode };
      const config = { ...sessionConfig(around.settings()), ...this.#folders(), ...plan };
      const result = await connection.request("session/create", { cwd: around.folder, config });
      this.#host.modeTaken();
      memory.session = result.sessionId;
      const session = this.#follow(result.sessionId);
      for (const record of this.#early) if (record.sessionId === session.id) session.receive(record);
      await session.attached(connection, result);
      return session;
    } finally {
      this.#early = undefined;
    }
  }

  /** Shows a session; it is opened where it is not open yet. */
  async show(id: SessionId): Promise<void> {
    if (id !== this.#shown?.id) await this.leave();
    this.#host.memory.session = id;
    await this.#host.engine.start();
    const known = this.#open.get(id);
    if (known?.isOpen !== true) return this.#openShown(id);
    if (known === this.#shown) return;
    this.#shown = known;
    this.#remember();
    this.#host.clearProblem();
    this.#host.listener.reset();
  }

  /**
   * Shows no session. One that works, or has jobs or undecided hunks, goes on here; any other is closed, so that another window can have it.
   */
  async leave(): Promise<void> {
    const session = this.#shown;
    this.#opening += 1;
    this.#shown = undefined;
    this.#creating = undefined;
    if (session === undefined) return;
    const isBusy = session.isOpen && (session.state.activity !== "idle" || session.jobs.length > 0);
    if (isBusy || this.#host.listener.isReviewed(session.id)) return this.#remember();
    this.#open.delete(session.id);
    this.#remember();
    try {
      await this.#host.ask("session/close", { sessionId: session.id });
    } catch (error) {
      this.#host.around.log.warn(`closing a session: ${String(error)}`);
    }
  }

  /** The next window begins without a session. */
  forget(): void {
    this.#host.memory.session = undefined;
  }

  /** Stops all that a session does, and closes it. In a shared engine it goes on for others. */
  async stop(id: SessionId): Promise<void> {
    await this.#host.ask("session/close", { sessionId: id });
    this.#open.delete(id);
    if (this.#shown?.id === id) this.#shown = undefined;
    this.#remember();
    if (this.#host.memory.session === id) this.#host.memory.session = undefined;
    this.#host.listener.reset();
  }

  /** An engine is there: opens the session of the last time, and follows those that are open. */
  resume(): Promise<void> {
    this.#settling = this.#resume();
    return this.#settling;
  }

  /** The folders of the workspace are others now: open sessions may work in them. */
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

  async #resume(): Promise<void> {
    const { memory, engine, around, listener } = this.#host;
    await memory.isKnown;
    const id = this.#shown?.id ?? memory.session;
    const others = memory.others.filter((each) => each !== id && !this.#open.has(each));
    if (id !== undefined) await this.#openOnce(id);
    for (const each of others) if (!this.#open.has(each)) this.#make(each);
    for (const session of this.all) {
      if (session.isOpen || session === this.#shown) continue;
      await session
        .openPatiently(() => engine.connection, this.#folders())
        .catch((error: unknown) => {
          this.#open.delete(session.id);
          around.log.warn(`opening a session again: ${String(error)}`);
        });
      listener.changedElsewhere(session, [{ type: "review" }]);
    }
    this.#remember();
    listener.head();
  }

  #openShown(id: SessionId): Promise<void> {
    this.#settling = this.#openOnce(id);
    return this.#settling;
  }

  async #openOnce(id: SessionId): Promise<void> {
    const { engine, memory, listener } = this.#host;
    const opening = ++this.#opening;
    const isWanted = (): boolean => opening === this.#opening;
    const session = this.#shown?.id === id ? this.#shown : this.#follow(id);
    try {
      const connection = (): Client | undefined => (isWanted() ? engine.connection : undefined);
      const held = (error: unknown): void => {
        if (isWanted()) this.#host.explain(error);
      };
      if (!(await session.openPatiently(connection, this.#folders(), held))) return;
      this.#host.clearProblem();
    } catch (error) {
      if (error instanceof Disconnected || !isWanted()) return;
      this.#host.explain(error);
      // One that another window holds can be read here all the same.
      if (isConflictError(error)) return listener.head();
      // A session that is gone must not stand in the way of a new one.
      this.#open.delete(id);
      this.#shown = undefined;
      if (isNotFoundError(error)) memory.session = undefined;
    }
    listener.reset();
  }

  #follow(id: SessionId): Session {
    const session = this.#make(id);
    this.#shown = session;
    this.#remember();
    this.#host.listener.reset();
    return session;
  }

  #make(id: SessionId): Session {
    const { engine, listener } = this.#host;
    const session: Session = new Session(id, engine.clientId, (changes) => {
      const isShown = session === this.#shown;
      for (const each of changes) if (each.type === "returned" && isShown) this.#host.handBack(each.inputs);
      if (isShown) listener.changed(changes);
      else listener.changedElsewhere(session, changes);
    });
    this.#open.set(id, session);
    return session;
  }

  /** The next window has the same sessions open. */
  #remember(): void {
    this.#host.memory.others = this.all.filter((each) => each !== this.#shown).map(({ id }) => id);
  }

  /** What a session is told of the workspace; where there is one folder, nothing. */
  #folders(): { additionalDirectories?: string[] } {
    const additionalDirectories = this.#host.around.folders().slice(1);
    return additionalDirectories.length === 0 ? {} : { additionalDirectories };
  }
}
