/** Sessions that are only looked into. */
import type { AnyRecord, Client, SessionId } from "pintle-client";
import { Session } from "./session.ts";

interface Looked {
  session: Session;
  read: Promise<void>;
  /** Called whenever it is to be drawn again. */
  changed: Set<() => void>;
}

/** Sessions that a window looks into without having opened them: those of sub-agents, whose events come with their parent's. */
export class Watched {
  readonly #sessions = new Map<SessionId, Looked>();

  /** Follows a session; `changed` is called whenever it is to be drawn again. Several cards may follow one. */
  async add(id: SessionId, clientId: string, connection: Client, changed: () => void): Promise<Session> {
    const looked = this.#sessions.get(id) ?? this.#look(id, clientId, connection);
    looked.changed.add(changed);
    await looked.read;
    return looked.session;
  }

  /** Ends what `add` began with the same function. */
  remove(id: SessionId, changed: () => void): void {
    const looked = this.#sessions.get(id);
    looked?.changed.delete(changed);
    if (looked?.changed.size === 0) this.#sessions.delete(id);
  }

  receive(record: AnyRecord): void {
    this.#sessions.get(record.sessionId)?.session.receive(record);
  }

  /** The connection is gone. */
  clear(): void {
    this.#sessions.clear();
  }

  #look(id: SessionId, clientId: string, connection: Client): Looked {
    const changed = new Set<() => void>();
    const session = new Session(id, clientId, () => {
      for (const each of changed) each();
    });
    const looked = { session, read: session.watch(connection), changed };
    this.#sessions.set(id, looked);
    return looked;
  }
}
