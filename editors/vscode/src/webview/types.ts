/** The types that parts of the page share. */
import type { Append, FromPage, ViewEntry } from "../chat/messages.ts";
import type { Group } from "../transcript/runs.ts";

/** Sends a message to the extension host. */
export type Send = (message: FromPage) => void;

/** A call that can be folded into a run. */
export interface Foldable {
  group: Group;
  text: string;
  isRunning: boolean;
  /** The user has expanded it. */
  isOpen: boolean;
}

/** One entry on the page. */
export interface Drawn {
  /** Undefined for entries that are never folded. */
  readonly folding?: Foldable | undefined;
  /** True if it does not interrupt a run of calls. */
  readonly isBetween?: boolean;
  readonly element: HTMLElement;
  /** Draws a new value; false when it is of another kind and must be drawn anew. */
  update(entry: ViewEntry): boolean;
  append(append: Append): void;
}
