/**
 * Which chat a command goes to, and how a chat in an editor tab is named and comes back. Pure.
 *
 * Commands go to the chat that has the focus, else to the one that had it last.
 */
import type { SessionId } from "pintle-client";
import { t } from "../words.ts";

/** Chats by their last use. The home, the chat of the view, is always one of them. */
export class Recent<T> {
  readonly home: T;
  #all: T[];

  constructor(home: T) {
    this.home = home;
    this.#all = [home];
  }

  /** Most recently used first. */
  get all(): readonly T[] {
    return this.#all;
  }

  get current(): T {
    return this.#all[0] ?? this.home;
  }

  /** A chat got the focus, or is new. Returns whether it was another one before. */
  used(chat: T): boolean {
    if (chat === this.current) return false;
    this.#all = [chat, ...this.#all.filter((each) => each !== chat)];
    return true;
  }

  /** A chat is opened in the background: it is used once the others are closed. */
  add(chat: T): void {
    if (!this.#all.includes(chat)) this.#all.push(chat);
  }

  /** A chat is closed. The home stays. */
  remove(chat: T): void {
    if (chat !== this.home) this.#all = this.#all.filter((each) => each !== chat);
  }
}

/** What a chat's editor tab keeps across reloads. */
export interface PanelState {
  panel: string;
  session: SessionId | undefined;
}

/** Reads what VS Code kept; `fresh` names a tab without a usable state, which is an empty chat. */
export function panelStateOf(kept: unknown, fresh: () => string): PanelState {
  const { panel, session } = (typeof kept === "object" && kept !== null ? kept : {}) as Record<
    string,
    unknown
  >;
  return {
    panel: typeof panel === "string" && panel !== "" ? panel : fresh(),
    session: typeof session === "string" && session !== "" ? session : undefined,
  };
}

/** Characters of a tab's title; VS Code shortens it further. */
const MOST_TITLE = 60;

/** The title of a chat's editor tab, with a dot if `waiting` questions are open. */
export function panelTitle(title: string | undefined, waiting: number): string {
  const line = (title ?? "").replaceAll(/\s+/g, " ").trim();
  const short = line.length > MOST_TITLE ? `${line.slice(0, MOST_TITLE - 1).trimEnd()}…` : line;
  const name = short === "" ? t("New Chat") : short;
  return waiting === 0 ? name : `● ${name}`;
}
