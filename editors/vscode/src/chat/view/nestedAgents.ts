/** The transcripts of sub-agents that are open in their cards: their ends, sent whole and not too often. */
import type { SessionId } from "pintle-client";
import type { HasChat, HasLog } from "../../owner.ts";
import type { Session } from "../../sessions/session.ts";
import { viewEntry } from "../../transcript/viewEntry.ts";
import type { ChatPage } from "./chatPage.ts";

/** Entries that a card shows. */
const MOST_SHOWN = 30;
const REDRAW_MS = 250;

export class NestedAgents {
  readonly #owner: HasChat & HasLog & { readonly view: ChatPage };
  readonly #timers = new Map<SessionId, NodeJS.Timeout>();
  readonly #open = new Map<SessionId, { changed: () => void; session?: Session }>();

  constructor(owner: HasChat & HasLog & { readonly view: ChatPage }) {
    this.#owner = owner;
  }

  /** A card was opened or closed. */
  async toggle(id: SessionId, isOpen: boolean): Promise<void> {
    const { chat } = this.#owner;
    const connection = chat?.engine.connection;
    this.#close(id);
    if (!isOpen || chat === undefined || connection === undefined) return;
    const card: { changed: () => void; session?: Session } = { changed: () => this.#schedule(id) };
    this.#open.set(id, card);
    try {
      card.session = await chat.watched.add(id, chat.engine.clientId, connection, card.changed);
      if (this.#open.get(id) === card) this.#draw(id);
    } catch (error) {
      this.#owner.log.warn(`reading a sub-agent's transcript: ${String(error)}`);
    }
  }

  /** A sub-agent's session whose transcript is open. */
  session(id: SessionId): Session | undefined {
    return this.#open.get(id)?.session;
  }

  dispose(): void {
    for (const each of [...this.#open.keys()]) this.#close(each);
    for (const each of this.#timers.values()) clearTimeout(each);
  }

  #close(id: SessionId): void {
    const card = this.#open.get(id);
    this.#open.delete(id);
    if (card !== undefined) this.#owner.chat?.watched.remove(id, card.changed);
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
    const session = this.#open.get(id)?.session;
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
