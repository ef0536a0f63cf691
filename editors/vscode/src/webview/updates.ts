/**
 * Gathers updates of the transcript until the next frame. A machine that is busy brings several between two frames, and each one that is
 * drawn for itself costs a layout.
 */
import type { ToPage } from "../chat/messages.ts";

export type Update = Pick<Extract<ToPage, { type: "update" }>, "entries" | "appends">;

/** Updates that wait at most: no frame comes while the page is covered. */
const MOST_WAITING = 60;

export class Updates {
  readonly #draw: (updates: Update[]) => void;
  #waiting: Update[] = [];
  #frame: number | undefined;

  constructor(draw: (updates: Update[]) => void) {
    this.#draw = draw;
  }

  add(update: Update): void {
    this.#waiting.push(update);
    if (this.#waiting.length >= MOST_WAITING) this.flush();
    else this.#frame ??= requestAnimationFrame(() => this.flush());
  }

  /** Draws what waits: whatever else is told to the page comes after it. */
  flush(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) this.#draw(joined(waiting));
  }
}

/** The same updates in fewer: texts that are appended to one place, without an entry between them, are one text. */
export function joined(updates: Update[]): Update[] {
  const result: Update[] = [];
  for (const { entries, appends } of updates) {
    if (entries.length > 0 || result.length === 0) result.push({ entries, appends: [] });
    const into = result.at(-1)?.appends ?? [];
    for (const append of appends) {
      const before = into.find(({ key, field }) => key === append.key && field === append.field);
      if (before === undefined) into.push({ ...append });
      else before.text += append.text;
    }
  }
  return result;
}
