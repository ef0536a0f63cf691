/** The current activity of a turn, and when it started. Pure. */
import type { Head, ViewEntry } from "../chat/messages.ts";
import { t } from "../words.ts";

export interface Working {
  text: string;
  /** When it started, in milliseconds since 1970; undefined if the time is not shown. */
  sinceMs: number | undefined;
}

/** Derives the current activity from the entries. */
export class WorkingState {
  /** Running calls by key, oldest first. */
  readonly #calls = new Map<string, { text: string; sinceMs: number }>();
  /** The key of the answer that is streaming. */
  #writes: string | undefined;
  /** When the model last received input. */
  #sinceMs = 0;
  /** Undefined until known for this transcript. */
  #isRunning: boolean | undefined;

  /** Starts over with another transcript. */
  reset(entries: ViewEntry[]): void {
    this.#calls.clear();
    this.#writes = undefined;
    this.#sinceMs = 0;
    this.#isRunning = undefined;
    for (const each of entries) this.entry(each, each.atMs, true);
  }

  /** Takes a new or changed entry; `isPast` if it was already there when the page was loaded. */
  entry(entry: ViewEntry, nowMs: number, isPast = false): void {
    if (entry.kind === "tool") {
      const { status, sentence, subject, agentSession } = entry.tool;
      const wasRunning = this.#calls.delete(entry.key);
      // Sub-agents have their own rows and can outlast the turn.
      if (status === "running" && agentSession === undefined) {
        this.#calls.set(entry.key, { text: sentence.replace("{0}", () => subject), sinceMs: entry.atMs });
      } else if (wasRunning || (isPast && status === "completed")) this.#sinceMs = nowMs;
    } else if (entry.kind === "agent") {
      this.#writes = !entry.isOver && entry.text.trim() !== "" ? entry.key : undefined;
    } else if (entry.kind === "user") this.#sinceMs = nowMs;
  }

  /** Takes streamed text. */
  append(key: string, text: string, isAnswer: boolean): void {
    if (isAnswer && text.trim() !== "") this.#writes = key;
  }

  /** Returns undefined while no turn runs. */
  now(
    head: Pick<Head, "activity" | "approvals" | "questions" | "stalledSeconds">,
    nowMs: number,
  ): Working | undefined {
    const isRunning = head.activity !== "idle";
    const begins = isRunning && (this.#isRunning === false || this.#sinceMs === 0);
    if (begins) this.#sinceMs = nowMs;
    this.#isRunning = isRunning;
    // A stalled model has a banner.
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

/** Formats a duration, such as `12 s` or `1 m 5 s`. */
export function elapsedText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return t("{0} s", seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{0} m {1} s", minutes, seconds % 60);
  return t("{0} h {1} m", Math.floor(minutes / 60), minutes % 60);
}
