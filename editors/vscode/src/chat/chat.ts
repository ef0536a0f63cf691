/** What a window does with an engine: the session that is shown, its verbs, what is asked. It keeps nothing that the engine can tell again. */
import type { AnyRecord, ClientRequests, Input, QueuedInput, SessionId, WorkMode } from "pintle-client";
import { Disconnected } from "pintle-client";
import type { Status, Surroundings } from "../connection/engine.ts";
import { Engine } from "../connection/engine.ts";
import type { Problem } from "../connection/problem.ts";
import { problemOf } from "../connection/problem.ts";
import type { Editor } from "../documents/documents.ts";
import { Documents } from "../documents/documents.ts";
import { Edits } from "../documents/edits.ts";
import type { Session } from "../sessions/session.ts";
import type { ChatMemory, Listener } from "../sessions/sessions.ts";
import { Sessions } from "../sessions/sessions.ts";
import { Watched } from "../sessions/watched.ts";
import type { State } from "../transcript/state.ts";
import type { Answer } from "./questions.ts";
import { Questions } from "./questions.ts";
import type { Ask } from "./turns.ts";
import { asDraft, firstInputOfLastTurn, startTurn, steer, stop } from "./turns.ts";

/** The session that a message was meant for is not shown any more. */
class LeftError extends Error {
  constructor() {
    super("the session that this was meant for could not be opened");
  }
}

export class Chat {
  readonly engine: Engine;
  readonly watched = new Watched();
  /** What stands in editors, for the engine. */
  readonly documents: Documents;
  readonly #listener: Listener;
  readonly #around: Surroundings;
  readonly #questions: Questions;
  readonly #ask: Ask = (method, params) => this.request(method, params);
  readonly #sessions: Sessions;
  #problem: Problem | undefined;
  #nextMode: WorkMode = "act";

  constructor(around: Surroundings, memory: ChatMemory, editor: Editor, listener: Listener) {
    this.documents = new Documents(() => around.folders(), editor);
    const edits = new Edits(editor, this.documents);
    this.#around = around;
    this.#listener = listener;
    this.#questions = new Questions(listener);
    this.engine = new Engine(around, {
      status: (status) => this.#statusChanged(status),
      record: (record) => this.#record(record),
      approval: (params, signal) => this.#questions.askApproval(params, signal),
      question: (params, signal) => this.#questions.askQuestion(params, signal),
      edit: (params) => edits.apply(params),
    });
    this.#sessions = new Sessions({
      engine: this.engine,
      around,
      memory,
      listener,
      ask: this.#ask,
      explain: (error) => this.#explain(error),
      clearProblem: () => this.#setProblem(undefined),
      nextMode: () => this.#nextMode,
      modeTaken: () => (this.#nextMode = "act"),
      handBack: (inputs) => this.#handBack(inputs),
    });
  }

  /** The session that is shown. */
  get session(): Session | undefined {
    return this.#sessions.shown;
  }

  /** That one, and those that were left and go on. */
  get sessions(): Session[] {
    return this.#sessions.all;
  }

  get state(): State | undefined {
    return this.session?.state;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** What is asked here, whoever asks; its size is the number of questions that wait for this window. */
  get asked(): Questions {
    return this.#questions;
  }

  /** The work mode that the next session begins in; it holds for that one alone. */
  get nextMode(): WorkMode {
    return this.#nextMode;
  }

  set nextMode(mode: WorkMode) {
    this.#nextMode = mode;
    this.#listener.head();
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
    const { session } = this;
    if (session === undefined) return;
    await this.#guard(async () => this.#handBack(await stop(this.#ask, session)));
  }

  /** Sends the message that the last turn began with again; if that turn runs, it is stopped. */
  async tryAgain(): Promise<void> {
    const { session } = this;
    const input = session === undefined ? undefined : firstInputOfLastTurn(session.state);
    if (session?.state.activeTurn !== undefined) await this.stop();
    if (input === undefined) return;
    const { text, attached } = asDraft([{ content: input }]);
    await this.#deliver(text, attached, (shown) => startTurn(this.#ask, shown, text, "queue", attached));
  }

  answer(id: string, result: Answer): void {
    this.#questions.answer(id, result);
  }

  /** Goes on without a session; the next prompt makes one. */
  async newSession(): Promise<void> {
    // The view is that of a new session at once: what is typed now is for that.
    const left = this.#sessions.leave();
    this.#sessions.forget();
    this.#nextMode = "act";
    this.#setProblem(undefined);
    this.#listener.reset();
    await left;
  }

  openSession(id: SessionId): Promise<void> {
    return this.#sessions.show(id);
  }

  /** Stops all that a session does, and closes it. */
  stopSession(id: SessionId): Promise<void> {
    return this.#sessions.stop(id);
  }

  /** Whether what a session asks belongs to one that was left. */
  isElsewhere(id: SessionId): boolean {
    return this.#sessions.isElsewhere(id);
  }

  /** The folders of the workspace are others now. */
  async foldersChanged(): Promise<void> {
    this.documents.foldersChanged();
    await this.#sessions.foldersChanged();
  }

  /** Tries again what did not work: the engine, else the session; then the message, if there is one. */
  async retry(text: string, attached: Input[]): Promise<void> {
    this.#setProblem(undefined);
    await (this.engine.status.kind === "ready" ? this.#sessions.resume() : this.engine.restart());
    await this.settled();
    if (text !== "" || attached.length > 0) await this.send(text, attached);
  }

  clearProblem(): void {
    this.#setProblem(undefined);
  }

  /** The session that is shown, once it is open. */
  openId(): SessionId | undefined {
    return this.session?.isOpen === true ? this.session.id : undefined;
  }

  /** The sessions of this window that are open, the one that is shown first. */
  openIds(): SessionId[] {
    return this.sessions.filter((each) => each.isOpen).map(({ id }) => id);
  }

  /** Waits until the engine runs, and the session of the last time is open or cannot be. */
  async settled(): Promise<void> {
    await this.start();
    await this.#sessions.settled;
  }

  /** Asks the engine; it knows by then all that was typed before. */
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
    signal?: AbortSignal,
  ): Promise<ClientRequests[M]["result"]> {
    const connection = this.engine.connection;
    if (connection === undefined) return Promise.reject(new Disconnected());
    this.documents.flush();
    return connection.request(method, params, signal);
  }

  async #deliver(text: string, attached: Input[], send: (session: Session) => Promise<void>): Promise<void> {
    const wanted = this.session;
    const isSent = await this.#guard(async () => {
      await this.settled();
      // What was meant for a session that could not be opened goes to no other one.
      if (wanted !== undefined && this.session !== wanted) throw new LeftError();
      // A session open in another window is read-only here; the banner gives the reason.
      if (this.session?.isOpen === false && this.#problem?.isConflict === true) throw new LeftError();
      await send(this.session ?? (await this.#sessions.create()));
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
    if (error instanceof LeftError) return;
    // Of an engine that does not start, its status says more.
    if (error instanceof Disconnected && this.engine.status.kind === "failed") return;
    this.#setProblem(problem);
  }

  #setProblem(problem: Problem | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#listener.head();
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
    if (status.kind === "ready") void this.#sessions.resume();
  }

  #record(record: AnyRecord): void {
    if (!this.#sessions.receive(record)) this.watched.receive(record);
  }
}
