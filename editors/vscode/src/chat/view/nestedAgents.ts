/** The transcripts of sub-agents that are open in their cards: their ends, sent whole and not too often. */
import type { SessionId } from "pintle-client";
import type { HasChat, HasLog } from "../../owner.ts";
import type { Session } from "../../sessions/session.ts";
import { viewEntry } from "../../transcript/viewEntry.ts";
import type { ChatView } from "./chatView.ts";

/** Entries that a card shows. */
const MOST_SHOWN = 30;
const REDRAW_MS = 250;

export class NestedAgents {
  readonly #owner: HasChat & HasLog & { readonly view: ChatView };
  readonly #timers = new Map<SessionId, NodeJS.Timeout>();
  readonly #open = new Map<SessionId, Session | undefined>();

  constructor(owner: HasChat & HasLog & { readonly view: ChatView }) {
    this.#owner = owner;
  }

  /** A card was opened or closed. */
  async toggle(id: SessionId, isOpen: boolean): Promise<void> {
    const { chat } = this.#owner;
    const connection = chat?.engine.connection;
    if (!isOpen || chat === undefined || connection === undefined) {
      this.#open.delete(id);
      chat?.watched.remove(id);
      return;
    }
    this.#open.set(id, undefined);
    try {
      const session = await chat.watched.add(id, chat.engine.clientId, connection, () => this.#schedule(id));
      if (!this.#open.has(id)) return;
      this.#open.set(id, session);
      this.#draw(id);
    } catch (error) {
      this.#owner.log.warn(`reading a sub-agent's transcript: ${String(error)}`);
    }
  }

  dispose(): void {
    for (const each of this.#timers.values()) clearTimeout(each);
  }

  #schedule(id: SessionId): void {
    if (this.#timers.has(id)) return;
    const draw = (): void => {
      this.#timers.delete(id);
      this.#draw(id);
    };
    this.#timers.set(id, setTimeout(draw, REDRAW_MS));
  }

  #draw(id: SessionId): void {
    const session = this.#open.get(id);
    if (session === undefined) return;
    const { entries } = session.state;
    this.#owner.view.post({
      type: "nested",
      session: id,
      entries: entries.slice(-MOST_SHOWN).map(viewEntry),
      hasEarlier: entries.length > MOST_SHOWN || session.hasEarlier,
    });
  }
}
