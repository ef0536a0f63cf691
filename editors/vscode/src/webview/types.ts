/** The types that parts of the page share. */
import type { Append, FromPage, ViewEntry } from "../chat/messages.ts";

/** Sends a message to the extension host. */
export type Send = (message: FromPage) => void;

/** One entry on the page. */
export interface Drawn {
  readonly element: HTMLElement;
  /** Draws a new value; false when it is of another kind and must be drawn anew. */
  update(entry: ViewEntry): boolean;
  append(append: Append): void;
}
