/**
 * The open hunks of the session that is shown: what the engine said of them last. It owns the review, and is asked again whenever
 * something happened.
 *
 * It imports no `vscode`. Invariant: at most one question is under way, and one more is remembered (`Coalesced`).
 */
import { ClosedError } from "./connection.ts";
import { real } from "./documents.ts";
import type { Place } from "./hunks.ts";
import { placesOf, seen } from "./hunks.ts";
import type {
  ClientRequests,
  Hunk,
  ReviewAction,
  ReviewBaselineResult,
  ReviewDecideResult,
  SessionId,
  TurnId,
} from "./protocol.ts";
import { Coalesced } from "./restart.ts";

/** Whom the hunks are asked of. */
export interface Source {
  /** The session that is shown, once the engine has it open. */
  openId(): SessionId | undefined;
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
  ): Promise<ClientRequests[M]["result"]>;
}

/** The open hunks of a file, in its order. */
export interface ReviewedFile {
  /** As the engine names it. */
  path: string;
  hunks: Hunk[];
  /** Undefined where no editor shows the file. */
  baseline: ReviewBaselineResult | undefined;
}

export class Review {
  readonly #source: Source;
  readonly #listener: { isShown(path: string): boolean; changed(): void; failed(error: unknown): void };
  readonly #asking = new Coalesced(() => this.#ask());
  #session: SessionId | undefined;
  #files = new Map<string, ReviewedFile>();
  /** Rises with each answer. */
  #generation = 0;

  constructor(
    source: Source,
    listener: { isShown(path: string): boolean; changed(): void; failed(error: unknown): void },
  ) {
    this.#source = source;
    this.#listener = listener;
  }

  /** Asks what is open. What comes meanwhile makes it ask once more. It never rejects. */
  refresh(): Promise<void> {
    return this.#asking.run();
  }

  /** The session that the hunks are of. */
  get session(): SessionId | undefined {
    return this.#session;
  }

  get generation(): number {
    return this.#generation;
  }

  get files(): ReviewedFile[] {
    return [...this.#files.values()];
  }

  get hunks(): Hunk[] {
    return this.files.flatMap((file) => file.hunks);
  }

  /** A file by any of its paths; undefined where nothing of it is open. */
  file(path: string): ReviewedFile | undefined {
    if (this.#files.size === 0) return undefined;
    return this.#files.get(path) ?? this.#files.get(real(path));
  }

  hunk(id: string): Hunk | undefined {
    return this.hunks.find((each) => each.id === id);
  }

  /** Where a file's hunks stand in a text of it. */
  places(path: string, text: string): Place[] {
    const file = this.file(path);
    const known = file?.baseline === undefined ? undefined : seen(file.baseline, file.hunks);
    return file === undefined || known === undefined ? [] : placesOf(known, text, file.hunks);
  }

  /** The last turn that has open hunks. Ids of turns are sorted by their time. */
  get lastTurn(): TurnId | undefined {
    return this.hunks
      .flatMap((hunk) => hunk.madeBy.map((each) => each.turnId))
      .sort()
      .at(-1);
  }

  /** Has the engine decide; the hunks are asked for anew, whatever came of it. */
  async decide(action: ReviewAction): Promise<ReviewDecideResult> {
    const sessionId = this.#source.openId();
    if (sessionId === undefined) throw new ClosedError();
    try {
      return await this.#source.request("review/decide", { sessionId, action });
    } finally {
      await this.refresh();
    }
  }

  async #ask(): Promise<void> {
    const sessionId = this.#source.openId();
    try {
      const files = sessionId === undefined ? new Map<string, ReviewedFile>() : await this.#read(sessionId);
      // Another session is shown by now, and was asked for.
      if (this.#source.openId() !== sessionId) return;
      this.#session = sessionId;
      this.#files = files;
      this.#generation += 1;
      this.#listener.changed();
    } catch (error) {
      if (!(error instanceof ClosedError)) this.#listener.failed(error);
    }
  }

  async #read(sessionId: SessionId): Promise<Map<string, ReviewedFile>> {
    const { hunks } = await this.#source.request("review/list", { sessionId });
    const files = new Map<string, ReviewedFile>();
    for (const hunk of hunks) {
      const key = real(hunk.path);
      const file = files.get(key) ?? { path: hunk.path, hunks: [], baseline: undefined };
      file.hunks.push(hunk);
      files.set(key, file);
    }
    const shown = [...files.values()].filter((file) => this.#listener.isShown(file.path));
    await Promise.all(
      shown.map(async (file) => {
        // Without it the file's hunks are not drawn; the lists have them.
        file.baseline = await this.#source
          .request("review/baseline", { sessionId, path: file.path })
          .catch(() => undefined);
      }),
    );
    return files;
  }
}
