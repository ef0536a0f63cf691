/** One chat: the session that it shows, the verbs on that, and the problem that it has. It stores nothing that the engine can provide again. */
import type {
  ClientRequests,
  Input,
  IsolationRequest,
  QueuedInput,
  SessionId,
  WorkMode,
} from "pintle-client";
import { Disconnected } from "pintle-client";
import type { Engine } from "../connection/engine.ts";
import type { Problem } from "../connection/problem.ts";
import { problemOf } from "../connection/problem.ts";
import type { Documents } from "../documents/documents.ts";
import type { Session } from "../sessions/session.ts";
import type { ChatMemory } from "../sessions/shown.ts";
import { Shown } from "../sessions/shown.ts";
import type { Watched } from "../sessions/watched.ts";
import type { Change, State } from "../transcript/state.ts";
import type { Answer, Questions } from "./questions.ts";
import type { Ask } from "./turns.ts";
import { asDraft, firstInputOfLastTurn, startTurn, steer, stop } from "./turns.ts";
import type { ChatWindow } from "./window.ts";

/** What a chat tells its page. */
export interface ChatListener {
  /** Another session is shown; draw everything again. */
  reset(): void;
  changed(changes: Change[]): void;
  /** What was not sent returns to the prompt. */
  returned(text: string, attached: Input[]): void;
}

/** The session that a message was meant for is not shown any more. */
class LeftError extends Error {
  constructor() {
    super("the session that this was meant for could not be opened");
  }
}

export class Chat {
  readonly window: ChatWindow;
  readonly shown: Shown;
  readonly #listener: ChatListener;
  readonly #ask: Ask = (method, params) => this.request(method, params);
  #problem: Problem | undefined;
  #nextMode: WorkMode = "act";
  #nextIsolation: IsolationRequest | undefined;

  /** `isHome`: the chat of the view, whose session the window remembers; others belong to editor tabs. */
  constructor(window: ChatWindow, memory: ChatMemory, isHome: boolean, listener: ChatListener) {
    this.window = window;
    this.#listener = listener;
    this.shown = new Shown({
      sessions: window.sessions,
      memory,
      isHome,
      startEngine: () => window.engine.start(),
      explain: (error) => this.#explain(error),
      clearProblem: () => this.#setProblem(undefined),
      nextMode: () => this.#nextMode,
      nextIsolation: () => this.#nextIsolation,
      created: () => this.#forgetNext(),
      handBack: (inputs) => this.#handBack(inputs),
      changed: (changes) => listener.changed(changes),
      reset: () => listener.reset(),
    });
  }

  get engine(): Engine {
    return this.window.engine;
  }

  get documents(): Documents {
    return this.window.documents;
  }

  get watched(): Watched {
    return this.window.watched;
  }

  /** The session that is shown. */
  get session(): Session | undefined {
    return this.shown.session;
  }

  /** All sessions of the window, whoever shows them. */
  get sessions(): Session[] {
    return this.window.sessions.all;
  }

  get state(): State | undefined {
    return this.session?.state;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** What is asked in this window. */
  get asked(): Questions {
    return this.window.asked;
  }

  /** The work mode that the next session begins in; it holds for that one alone. */
  get nextMode(): WorkMode {
    return this.#nextMode;
  }

  set nextMode(mode: WorkMode) {
    this.#nextMode = mode;
    this.window.listener.head();
  }

  /** The copy of the project that the next session works in; undefined for the files themselves. */
  get nextIsolation(): IsolationRequest | undefined {
    return this.#nextIsolation;
  }

  #forgetNext(): void {
    this.#nextMode = "act";
    this.#nextIsolation = undefined;
  }

  /** Starts the engine; the session of the last time comes back with it. */
  start(): Promise<void> {
    return this.window.start();
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
    this.asked.answer(id, result);
  }

  /** Goes on without a session; the next prompt makes one, which works in a copy of the project if that is requested. */
  async newSession(isolation?: IsolationRequest): Promise<void> {
    // The view is that of a new session at once: what is typed now is for that.
    const left = this.shown.leave();
    this.shown.forget();
    this.#forgetNext();
    this.#nextIsolation = isolation;
    this.#setProblem(undefined);
    this.#listener.reset();
    await left;
  }

  openSession(id: SessionId): Promise<void> {
    return this.shown.show(id);
  }

  /** Stops all that a session does, and closes it. */
  stopSession(id: SessionId): Promise<void> {
    return this.window.sessions.stop(id);
  }

  /** Whether what a session asks belongs to another session than the one that is shown: to itself, or as its sub-agent. */
  isElsewhere(id: SessionId): boolean {
    const owner = this.window.sessions.owner(id);
    return owner !== undefined && owner !== this.session;
  }

  /** Tries again what did not work: the engine, else the session; then the message, if there is one. */
  async retry(text: string, attached: Input[]): Promise<void> {
    this.#setProblem(undefined);
    await (this.engine.status.kind === "ready" ? this.shown.again() : this.engine.restart());
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

  /** The open sessions of the window. */
  openIds(): SessionId[] {
    return this.window.openIds();
  }

  /** Waits until the engine runs, and the session of the last time is open or cannot be. */
  async settled(): Promise<void> {
    await this.start();
    await this.shown.settled();
  }

  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
    signal?: AbortSignal,
  ): Promise<ClientRequests[M]["result"]> {
    return this.window.request(method, params, signal);
  }

  async #deliver(text: string, attached: Input[], send: (session: Session) => Promise<void>): Promise<void> {
    const wanted = this.session;
    const isSent = await this.#guard(async () => {
      await this.settled();
      // What was meant for a session that could not be opened goes to no other one.
      if (wanted !== undefined && this.session !== wanted) throw new LeftError();
      // A session open in another window is read-only here; the banner gives the reason.
      if (this.session?.isOpen === false && this.#problem?.isConflict === true) throw new LeftError();
      await send(this.session ?? (await this.shown.create()));
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
    this.window.around.log.error([problem.text, problem.hint].join(" ").trim());
    if (error instanceof LeftError) return;
    // Of an engine that does not start, its status says more.
    if (error instanceof Disconnected && this.engine.status.kind === "failed") return;
    this.#setProblem(problem);
  }

  #setProblem(problem: Problem | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.window.listener.head();
  }
}
