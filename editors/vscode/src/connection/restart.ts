/**
 * Decides when a crashed engine is started again: later after each crash, and not at all after too many in a row.
 * Requests to start coalesce: one runs, and at most one more waits.
 */

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** So many crashes in a row and a person is asked. */
const MOST_CRASHES = 5;
/** Alive for so long and its crashes are forgotten. */
const STABLE_MS = 60_000;

/** Counts crashes. It only decides; its owner waits and starts. */
export class Backoff {
  #crashes = 0;
  #startedAt = 0;

  started(nowMs: number): void {
    this.#startedAt = nowMs;
  }

  /** How long to wait before the next start, in milliseconds; undefined to give up. */
  crashed(nowMs: number): number | undefined {
    if (nowMs - this.#startedAt >= STABLE_MS) this.#crashes = 0;
    this.#crashes += 1;
    if (this.#crashes > MOST_CRASHES) return undefined;
    return Math.min(FIRST_DELAY_MS * 2 ** (this.#crashes - 1), LONGEST_DELAY_MS);
  }

  reset(): void {
    this.#crashes = 0;
  }
}

/** Runs one job at a time; calls that come meanwhile share one more run after it. */
export class Coalesced {
  readonly #job: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(job: () => Promise<void>) {
    this.#job = job;
  }

  run(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#start();
    this.#next = this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    const running = this.#job().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}

/** What a promise gives, or an error once so many milliseconds are over. */
export function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
