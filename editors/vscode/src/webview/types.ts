/** The types that parts of the page share. */
import type { Append, FromPage, ViewEntry } from "../chat/messages.ts";
import type { Group } from "../transcript/runs.ts";

/** Sends a message to the extension host. */
export type Send = (message: FromPage) => void;

/** A call that may be folded with others: what it says, and how it stands. */
export interface Foldable {
  group: Group;
  text: string;
  isRunning: boolean;
  /** A person has opened it. */
  isOpen: boolean;
}

/** One entry on the page. */
export interface Drawn {
  /** Undefined for what is never folded. */
  readonly folding?: Foldable | undefined;
  /** It may stand inside a run of calls that is folded. */
  readonly isBetween?: boolean;
  readonly element: HTMLElement;
  /** Draws a new value; false when it is of another kind and must be drawn anew. */
  update(entry: ViewEntry): boolean;
  append(append: Append): void;
}
