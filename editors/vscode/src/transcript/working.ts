/** What a turn does right now, in words, and how long it has done so. Pure. */
import type { Head, ViewEntry } from "../chat/messages.ts";
import { t } from "../words.ts";

export interface Working {
  text: string;
  /** When it began, in milliseconds since 1970; undefined where the time does not matter. */
  sinceMs: number | undefined;
}

/** Follows the entries as they come, and says what runs. Times are those of the clock that `nowMs` is of. */
export class WorkingState {
  /** Calls that run, by key, oldest first. */
  readonly #calls = new Map<string, { text: string; sinceMs: number }>();
  /** An answer that is being written. */
  #writes: string | undefined;
  /** When the model was last given something to think about. */
  #sinceMs = 0;
  /** Undefined before that was said of this transcript. */
  #isRunning: boolean | undefined;

  /** Another transcript: nothing that was said of the one before holds. */
  reset(entries: ViewEntry[]): void {
    this.#calls.clear();
    this.#writes = undefined;
    this.#sinceMs = 0;
    this.#isRunning = undefined;
    for (const each of entries) this.entry(each, each.atMs, true);
  }

  /** `isPast` for what was there already; any other is told when it changes. */
  entry(entry: ViewEntry, nowMs: number, isPast = false): void {
    if (entry.kind === "tool") {
      const { status, sentence, subject, agentSession } = entry.tool;
      const wasRunning = this.#calls.delete(entry.key);
      // A sub-agent has its own row, and goes on behind the turn.
      if (status === "running" && agentSession === undefined) {
        this.#calls.set(entry.key, { text: sentence.replace("{0}", () => subject), sinceMs: entry.atMs });
      } else if (wasRunning || (isPast && status === "completed")) this.#sinceMs = nowMs;
    } else if (entry.kind === "agent") {
      this.#writes = !entry.isOver && entry.text.trim() !== "" ? entry.key : undefined;
    } else if (entry.kind === "user") this.#sinceMs = nowMs;
  }

  /** Text came for an entry that had none. */
  append(key: string, text: string, isAnswer: boolean): void {
    if (isAnswer && text.trim() !== "") this.#writes = key;
  }

  /** Undefined while nothing is done. */
  now(
    head: Pick<Head, "activity" | "approvals" | "questions" | "stalledSeconds">,
    nowMs: number,
  ): Working | undefined {
    const isRunning = head.activity !== "idle";
    const begins = isRunning && (this.#isRunning === false || this.#sinceMs === 0);
    if (begins) this.#sinceMs = nowMs;
    this.#isRunning = isRunning;
    // Of a model that gives no sign, a banner says more.
    if (!isRunning || head.stalledSeconds !== undefined) return undefined;
    if (head.approvals.length > 0 || head.questions.length > 0) {
      return { text: t("Waiting for your answer"), sinceMs: undefined };
    }
    const call = [...this.#calls.values()].at(-1);
    if (call !== undefined) return { text: `${call.text}…`, sinceMs: call.sinceMs };
    const text = this.#writes === undefined ? t("Thinking…") : t("Writing…");
    return { text, sinceMs: this.#sinceMs };
  }
}

/** Such as `12 s` or `1 m 5 s`. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return t("{0} s", seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{0} m {1} s", minutes, seconds % 60);
  return t("{0} h {1} m", Math.floor(minutes / 60), minutes % 60);
}
