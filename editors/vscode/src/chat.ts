/** What a window does with an engine: one session at a time, its verbs, its open questions. It keeps nothing that the engine can tell again. */
import { ClosedError } from "./connection.ts";
import type { Editor } from "./documents.ts";
import { Documents } from "./documents.ts";
import { Edits } from "./edits.ts";
import type { Status, Surroundings } from "./engine.ts";
import { Engine } from "./engine.ts";
import type { Listener } from "./listener.ts";
import type { AnyRecord, ClientRequests, Input, QueuedInput, SessionId } from "./protocol.ts";
import type { Problem } from "./need.ts";
import { isNotFoundError, problemOf } from "./problem.ts";
import { type Answer, Questions } from "./questions.ts";
import type { State } from "./state.ts";
import { Session } from "./session.ts";
import { sessionConfig } from "./settings.ts";
import { Watched } from "./watched.ts";
import { type Ask, asDraft, startTurn, steer, stop } from "./turns.ts";

export class Chat {
  readonly engine: Engine;
  readonly watched = new Watched();
  /** What stands in editors, for the engine. */
  readonly documents: Documents;
  readonly #listener: Listener;
  readonly #around: Surroundings;
  readonly #memory: { session: SessionId | undefined };
  readonly #questions: Questions;
  readonly #ask: Ask = (method, params) => this.request(method, params);
  #session: Session | undefined;
  #problem: Problem | undefined;
  /** Events of a session whose creation is being answered. */
  #early: AnyRecord[] | undefined;
  #opening = 0;
  #settling: Promise<void> = Promise.resolve();

  constructor(
    around: Surroundings,
    memory: { session: SessionId | undefined },
    editor: Editor,
    listener: Listener,
  ) {
    this.documents = new Documents(around.folder, editor);
    const edits = new Edits(editor, this.documents);
    this.#around = around;
    this.#memory = memory;
    this.#listener = listener;
    this.#questions = new Questions(listener);
    this.engine = new Engine(around, {
      status: (status) => this.#statusChanged(status),
      record: (record) => this.#record(record),
      lagged: (params) => {
        if (params.sessionId === this.#session?.id) this.#session.lagged(params.headSeq);
      },
      approval: (request) => this.#questions.addApproval(request),
      question: (request) => this.#questions.addQuestion(request),
      edit: (request) => void edits.apply(request.params).then((result) => request.answer(result)),
    });
  }

  get session(): Session | undefined {
    return this.#session;
  }

  get state(): State | undefined {
    return this.#session?.state;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** What is asked here, whoever asks; its size is the number of questions that wait for this window. */
  get asked(): Questions {
    return this.#questions;
  }

  /** Starts the engine; the session of the last time comes back with it. */
  start(): Promise<void> {
    return this.engine.start();
  }

  dispose(): Promise<void> {
    return this.engine.dispose();
  }

  /** Starts a turn, in a new session if there is none. What could not be sent goes back to the prompt box. */
  send(text: string, attached: Input[] = []): Promise<void> {
    return this.#deliver(text, attached, (session) =>
      startTurn(this.#ask, session, text, "reject", attached),
    );
  }

  /** Starts a turn when the running one is over. */
  queue(text: string, attached: Input[] = []): Promise<void> {
    return this.#deliver(text, attached, (session) => startTurn(this.#ask, session, text, "queue", attached));
  }

  /** Puts a message into the running turn. Should the turn have ended meanwhile, it starts one. */
  steer(text: string, attached: Input[] = []): Promise<void> {
    return this.#deliver(text, attached, (session) => steer(this.#ask, session, text, attached));
  }

  /** Stops the turn; messages that the model has not read come back to the prompt box. */
  async stop(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    await this.#guard(async () => this.#handBack(await stop(this.#ask, session)));
  }

  answer(id: string, result: Answer): void {
    this.#questions.answer(id, result);
  }

  /** Goes on without a session; the next prompt makes one. */
  async newSession(): Promise<void> {
    await this.#leave();
    this.#memory.session = undefined;
    this.#setProblem(undefined);
    this.#listener.reset();
  }

  async openSession(id: SessionId): Promise<void> {
    if (id !== this.#session?.id) await this.#leave();
    this.#memory.session = id;
    await this.start();
    if (this.#session?.id !== id) await this.#open(id);
  }

  /** Tries again what did not work: the engine, else the session; then the message, if there is one. */
  async retry(text: string, attached: Input[]): Promise<void> {
    this.#setProblem(undefined);
    await (this.engine.status.kind === "ready" ? this.#resume() : this.engine.restart());
    await this.settled();
    if (text !== "" || attached.length > 0) await this.send(text, attached);
  }

  clearProblem(): void {
    this.#setProblem(undefined);
  }

  /** The session that is shown, once it is open. */
  openId(): SessionId | undefined {
    return this.#session?.isOpen === true ? this.#session.id : undefined;
  }

  /** Waits until the engine runs, and the session of the last time is open or cannot be. */
  async settled(): Promise<void> {
    await this.start();
    await this.#settling;
  }

  /** Asks the engine; it knows by then all that was typed before. */
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
  ): Promise<ClientRequests[M]["result"]> {
    const connection = this.engine.connection;
    if (connection === undefined) return Promise.reject(new ClosedError());
    this.documents.flush();
    return connection.request(method, params);
  }

  async #deliver(text: string, attached: Input[], send: (session: Session) => Promise<void>): Promise<void> {
    const isSent = await this.#guard(async () => {
      await this.start();
      await send(this.#session ?? (await this.#create()));
    });
    if (!isSent) this.#listener.returned(text, attached);
  }

  /** Runs something; an error becomes the problem that is shown. */
  async #guard(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#setProblem(undefined);
      return true;
    } catch (error) {
      this.#explain(error);
      return false;
    }
  }

  #handBack(inputs: QueuedInput[]): void {
    const { text, attached } = asDraft(inputs);
    if (inputs.length > 0) this.#listener.returned(text, attached);
  }

  #explain(error: unknown): void {
    const problem = problemOf(error);
    this.#around.log.error([problem.text, problem.hint].join(" ").trim());
    // Of an engine that does not start, its status says more.
    if (error instanceof ClosedError && this.engine.status.kind === "failed") return;
    this.#setProblem(problem);
  }

  #setProblem(problem: Problem | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#listener.head();
  }

  async #create(): Promise<Session> {
    const connection = this.engine.connection;
    if (connection === undefined) throw new ClosedError();
    this.#early = [];
    try {
      const config = sessionConfig(this.#around.settings());
      const result = await connection.request("session/create", { cwd: this.#around.folder, config });
      const session = this.#follow(result.sessionId);
      for (const record of this.#early) if (record.sessionId === session.id) session.receive(record);
      await session.attached(connection, result);
      this.#memory.session = session.id;
      return session;
    } finally {
      this.#early = undefined;
    }
  }

  #follow(id: SessionId): Session {
    const session: Session = new Session(id, this.engine.clientId, (changes) => {
      for (const each of changes) {
        if (each.type === "returned") this.#handBack(each.inputs);
      }
      if (session === this.#session) this.#listener.changed(changes);
    });
    this.#session = session;
    this.#listener.reset();
    return session;
  }

  /** Opens the session of the last time, or follows the one that is shown on a new connection. */
  async #resume(): Promise<void> {
    const id = this.#session?.id ?? this.#memory.session;
    if (id !== undefined) await this.#open(id);
  }

  #open(id: SessionId): Promise<void> {
    this.#settling = this.#openOnce(id);
    return this.#settling;
  }

  async #openOnce(id: SessionId): Promise<void> {
    const opening = ++this.#opening;
    const isWanted = (): boolean => opening === this.#opening;
    const session = this.#session?.id === id ? this.#session : this.#follow(id);
    try {
      if (!(await session.openPatiently(() => (isWanted() ? this.engine.connection : undefined)))) return;
      this.#setProblem(undefined);
    } catch (error) {
      if (error instanceof ClosedError || !isWanted()) return;
      this.#explain(error);
      // A session that is gone must not stand in the way of a new one.
      this.#session = undefined;
      if (isNotFoundError(error)) this.#memory.session = undefined;
    }
    this.#listener.reset();
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    this.#opening += 1;
    this.#session = undefined;
    this.#questions.clear();
    if (session === undefined) return;
    // Closed, so that another window can have it; what runs in a shared engine goes on.
    const goesOn = this.engine.isShared && session.state.activity !== "idle";
    try {
      await this.request(goesOn ? "session/unsubscribe" : "session/close", { sessionId: session.id });
    } catch (error) {
      this.#around.log.warn(`closing a session: ${String(error)}`);
    }
  }

  #statusChanged(status: Status): void {
    const connection = this.engine.connection;
    if (status.kind === "ready" && connection !== undefined)
      this.documents.connected(connection, status.info);
    else {
      this.documents.lost();
      this.watched.clear();
      this.#questions.clear();
    }
    this.#listener.head();
    if (status.kind === "ready") void this.#resume();
  }

  #record(record: AnyRecord): void {
    if (record.sessionId === this.#session?.id) this.#session.receive(record);
    else {
      this.#early?.push(record);
      this.watched.receive(record);
    }
  }
}
