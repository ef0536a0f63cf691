/** What a window has once for all of its chats: the engine, the sessions, what is asked, the texts in editors. */
import type { AnyRecord, ClientRequests, SessionId, TurnCompleted } from "pintle-client";
import { Disconnected, isDurable } from "pintle-client";
import type { Status, Surroundings } from "../connection/engine.ts";
import { Engine } from "../connection/engine.ts";
import type { Editor } from "../documents/documents.ts";
import { Documents } from "../documents/documents.ts";
import { Edits } from "../documents/edits.ts";
import type { WindowListener as SessionsListener, WindowMemory } from "../sessions/sessions.ts";
import type { Session } from "../sessions/session.ts";
import { Sessions } from "../sessions/sessions.ts";
import { Errands } from "../sessions/errands.ts";
import { LineEdits } from "../sessions/lineEdits.ts";
import { Watched } from "../sessions/watched.ts";
import type { Chat } from "./chat.ts";
import type { Proposals } from "./questions.ts";
import { Questions } from "./questions.ts";

/** What a window is told. */
export interface WindowListener extends SessionsListener {
  /** A question arrived or was answered. */
  asked(): void;
  readonly proposals: Proposals;
  /** A turn of an open session has ended. */
  turnEnded(session: Session, end: TurnCompleted): void;
}

export class ChatWindow {
  readonly engine: Engine;
  readonly watched = new Watched();
  readonly errands: Errands;
  /** The texts of editors, for the engine. */
  readonly documents: Documents;
  /** Everything that is asked here; its size is the number of questions that wait for this window. */
  readonly asked: Questions;
  readonly sessions: Sessions;
  readonly lineEdits: LineEdits;
  readonly around: Surroundings;
  readonly listener: WindowListener;
  readonly #chats: () => Chat[];

  /** `chats` returns them most recently used first. */
  constructor(
    around: Surroundings,
    memory: WindowMemory,
    editor: Editor,
    listener: WindowListener,
    chats: () => Chat[],
  ) {
    this.around = around;
    this.listener = listener;
    this.#chats = chats;
    this.documents = new Documents(() => around.folders(), editor);
    this.asked = new Questions(listener);
    const edits = new Edits(editor, this.documents);
    this.engine = new Engine(around, {
      status: (status) => this.#statusChanged(status),
      record: (record) => this.#record(record),
      approval: (params, signal) => this.asked.askApproval(params, signal),
      question: (params, signal) => this.asked.askQuestion(params, signal),
      edit: (params) => edits.apply(params),
    });
    this.errands = new Errands((method, params) => this.request(method, params), around);
    this.sessions = new Sessions({
      engine: this.engine,
      around,
      memory,
      listener,
      ask: (method, params) => this.request(method, params),
      viewers: () => this.#chats().map((each) => each.shown),
    });
    this.lineEdits = new LineEdits(this.sessions, (method, params) => this.request(method, params));
  }

  /** Starts the engine; the sessions of the previous window come back with it. */
  start(): Promise<void> {
    return this.engine.start();
  }

  dispose(): Promise<void> {
    return this.engine.dispose();
  }

  /** The open sessions: those that are shown first, most recently used first. */
  openIds(): SessionId[] {
    return this.sessions.all.filter((each) => each.isOpen).map(({ id }) => id);
  }

  /** The folders of the workspace have changed. */
  async foldersChanged(): Promise<void> {
    this.documents.foldersChanged();
    await this.sessions.foldersChanged();
  }

  /** Sends a request; the engine has received all earlier edits by then. */
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

  #statusChanged(status: Status): void {
    const connection = this.engine.connection;
    if (status.kind === "ready" && connection !== undefined)
      this.documents.connected(connection, status.info);
    else {
      this.documents.lost();
      this.watched.clear();
      this.errands.lost();
      this.lineEdits.lost();
      this.asked.clear();
    }
    this.listener.head();
    if (status.kind !== "ready") return;
    void this.errands.tidy();
    void this.sessions.resume();
  }

  #record(record: AnyRecord): void {
    if (this.errands.has(record.sessionId)) return this.errands.receive(record);
    const session = this.sessions.get(record.sessionId);
    // What was there when the session was opened is no news.
    const isNews = session?.isCurrent === true;
    if (!this.sessions.receive(record)) return this.watched.receive(record);
    if (!isNews || !isDurable(record) || record.event.type !== "turn.completed") return;
    if (!this.lineEdits.ended(session.id, record.event)) this.listener.turnEnded(session, record.event);
  }
}
