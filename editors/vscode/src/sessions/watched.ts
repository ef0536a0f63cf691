/** Sessions that are only looked into. */
import type { AnyRecord, Client, SessionId } from "pintle-client";
import { Session } from "./session.ts";

/** Sessions that a window looks into without having opened them: those of sub-agents, whose events come with their parent's. */
export class Watched {
  readonly #sessions = new Map<SessionId, Session>();

  /** Follows a session; `changed` is called whenever it is to be drawn anew. */
  async add(id: SessionId, clientId: string, connection: Client, changed: () => void): Promise<Session> {
    const session = new Session(id, clientId, changed);
    this.#sessions.set(id, session);
    await session.watch(connection);
    return session;
  }

  remove(id: SessionId): void {
    this.#sessions.delete(id);
  }

  receive(record: AnyRecord): void {
    this.#sessions.get(record.sessionId)?.receive(record);
  }

  /** The connection is gone, or another session is shown. */
  clear(): void {
    this.#sessions.clear();
  }
}
