/** The session that one chat shows: made by the first prompt, opened, left, and opened again after the engine restarts. */
import type { IsolationRequest, QueuedInput, SessionId, WorkMode } from "pintle-client";
import type { Change } from "../transcript/state.ts";
import type { Session } from "./session.ts";
import type { Sessions, Viewer } from "./sessions.ts";

/** What one chat remembers between reloads. */
export interface ChatMemory {
  session: SessionId | undefined;
}

interface Host {
  readonly sessions: Sessions;
  readonly memory: ChatMemory;
  readonly isHome: boolean;
  startEngine(): Promise<void>;
  /** Shows a problem. */
  explain(error: unknown): void;
  clearProblem(): void;
  /** The work mode for a session that is created now. */
  nextMode(): WorkMode;
  /** The copy of the project that it works in. */
  nextIsolation(): IsolationRequest | undefined;
  /** A session was created with them. */
  created(): void;
  handBack(inputs: QueuedInput[]): void;
  changed(changes: Change[]): void;
  /** Another session is shown. */
  reset(): void;
}

export class Shown implements Viewer {
  readonly #host: Host;
  #session: Session | undefined;
  /** The session that is being created. */
  #creating: Promise<Session> | undefined;
  #settling: Promise<void> = Promise.resolve();

  constructor(host: Host) {
    this.#host = host;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  get isHome(): boolean {
    return this.#host.isHome;
  }

  /** Resolves when the session is open or cannot be. */
  async settled(): Promise<void> {
    await this.#host.sessions.settled;
    await this.#settling;
  }

  /** Creates a session and shows it. Two prompts sent at once share it. */
  create(): Promise<Session> {
    if (this.#creating !== undefined) return this.#creating;
    const mode = this.#host.nextMode();
    // From the start: a session that plans first is never able to act before.
    const config = mode === "act" ? {} : { mode };
    const isolation = this.#host.nextIsolation();
    const made = (session: Session): void => {
      this.#host.created();
      this.#host.memory.session = session.id;
      this.#take(session);
    };
    const creating = this.#host.sessions.create(config, made, { isolation }).finally(() => {
      if (this.#creating === creating) this.#creating = undefined;
    });
    this.#creating = creating;
    return creating;
  }

  /** Shows a session, and opens it if it is not open yet. */
  async show(id: SessionId): Promise<void> {
    if (id !== this.#session?.id) await this.leave();
    this.#host.memory.session = id;
    await this.#host.startEngine();
    const { sessions } = this.#host;
    const known = sessions.get(id);
    if (known?.isOpen === true) {
      if (known === this.#session) return;
      this.#host.clearProblem();
      return this.#take(known);
    }
    const session = sessions.make(id);
    if (session !== this.#session) this.#take(session);
    // Another chat may be opening it already.
    this.#settling = sessions.opening(session) ?? sessions.open(session);
    await this.#settling;
  }

  /** Shows no session. */
  async leave(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#creating = undefined;
    if (session !== undefined) await this.#host.sessions.left(session);
  }

  /** Does not remember the session for the next window. */
  forget(): void {
    this.#host.memory.session = undefined;
  }

  returning(): Session | undefined {
    const id = this.#session?.id ?? this.#host.memory.session;
    if (id === undefined) return undefined;
    const session = this.#host.sessions.make(id);
    if (session !== this.#session) this.#take(session);
    return session;
  }

  /** Opens the session again, after that failed. */
  async again(): Promise<void> {
    const session = this.returning();
    if (session === undefined) return;
    this.#settling = this.#host.sessions.open(session);
    await this.#settling;
  }

  changed(changes: Change[]): void {
    this.#host.changed(changes);
  }

  handBack(inputs: QueuedInput[]): void {
    this.#host.handBack(inputs);
  }

  opened(): void {
    this.#host.clearProblem();
    this.#host.reset();
  }

  refused(error: unknown): void {
    this.#host.explain(error);
  }

  lost(isForGood: boolean): void {
    const id = this.#session?.id;
    this.#session = undefined;
    if (isForGood && this.#host.memory.session === id) this.forget();
    this.#host.reset();
  }

  #take(session: Session): void {
    this.#session = session;
    this.#host.sessions.remember();
    this.#host.reset();
  }
}
