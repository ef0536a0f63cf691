/**
 * The open hunks of this window's sessions: what the engine said of them last. It owns the review, and is asked again whenever something
 * happened.
 *
 * It imports no `vscode`. Hunks of several sessions may have the same id: here each stands behind its session's (`idOf`). Invariant: at most one question is under way, and one more is remembered (`Coalesced`).
 */
import type {
  ClientRequests,
  Hunk,
  HunkId,
  ReviewAction,
  ReviewBaselineResult,
  ReviewDecideResult,
  SessionId,
  TurnId,
} from "pintle-client";
import { Disconnected } from "pintle-client";
import { Coalesced } from "../connection/restart.ts";
import { real } from "../documents/documents.ts";
import { keyOf } from "../paths.ts";
import type { Place } from "./hunks.ts";
import { placesOf, seen } from "./hunks.ts";

/** Whom the hunks are asked of. */
export interface Source {
  /** The sessions of this window that the engine has open, the one that is shown first. */
  openIds(): SessionId[];
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
  ): Promise<ClientRequests[M]["result"]>;
}

/** The open hunks of a file, in its order. */
export interface ReviewedFile {
  session: SessionId;
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
  #sessions: SessionId[] = [];
  /** By session and path. */
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

  /** The session of the chat that was used last. */
  get session(): SessionId | undefined {
    return this.#sessions[0];
  }

  /** Whether a session has open hunks. */
  has(session: SessionId): boolean {
    return this.files.some((file) => file.session === session);
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

  /**
   * A file by any of its paths; undefined where nothing of it is open. If several sessions changed it, `first` has precedence, then the session
   * of the chat that was used last.
   */
  file(path: string, first?: SessionId): ReviewedFile | undefined {
    if (this.#files.size === 0) return undefined;
    const sessions = first === undefined ? this.#sessions : [first, ...this.#sessions];
    for (const wanted of [path, real(path)]) {
      for (const session of sessions) {
        const file = this.#files.get(`${session} ${keyOf(wanted)}`);
        if (file !== undefined) return file;
      }
    }
    return undefined;
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

  /** The last turn that has open hunks: of the current session, else of all. Ids of turns are sorted by their time. */
  get lastTurn(): TurnId | undefined {
    const own = this.hunks.filter(({ id }) => sessionOf(id) === this.session);
    return (own.length > 0 ? own : this.hunks)
      .flatMap((hunk) => hunk.madeBy.map((each) => each.turnId))
      .sort()
      .at(-1);
  }

  /**
   * Has the engine decide, in each session that is meant, or in `session` alone; the hunks are asked for anew, whatever came of it.
   */
  async decide(action: ReviewAction, session?: SessionId): Promise<ReviewDecideResult[]> {
    const meant = this.#meant(action, session);
    if (meant.length === 0) throw new Disconnected();
    try {
      const results: ReviewDecideResult[] = [];
      for (const sessionId of meant) {
        const result = await this.#source.request("review/decide", {
          sessionId,
          action: plainAction(action),
        });
        results.push(named(result, sessionId));
      }
      return results;
    } finally {
      await this.refresh();
    }
  }

  /** The sessions that an action is about. */
  #meant(action: ReviewAction, session: SessionId | undefined): SessionId[] {
    const current = session ?? this.session;
    const one = current === undefined ? [] : [current];
    if (action.type === "revert") return one;
    if (action.type === "comment") return [sessionOf(action.hunk)];
    const { target } = action;
    switch (target.type) {
      case "hunk":
      case "lines":
        return [sessionOf(target.hunk)];
      case "file": {
        const file = this.file(target.path, session);
        return file === undefined ? one : [file.session];
      }
      case "turn": {
        const made = this.hunks.find((hunk) => hunk.madeBy.some((each) => each.turnId === target.turnId));
        return made === undefined ? one : [sessionOf(made.id)];
      }
      case "all": {
        if (session !== undefined) return [session];
        const all = new Set(this.files.map((file) => file.session));
        return all.size === 0 ? one : [...all];
      }
    }
  }

  async #ask(): Promise<void> {
    const sessions = this.#source.openIds();
    try {
      const files = new Map<string, ReviewedFile>();
      for (const session of sessions) await this.#read(session, files);
      // Other sessions are open by now, and were asked for.
      if (this.#source.openIds().join(" ") !== sessions.join(" ")) return;
      this.#sessions = sessions;
      this.#files = files;
      this.#generation += 1;
      this.#listener.changed();
    } catch (error) {
      if (!(error instanceof Disconnected)) this.#listener.failed(error);
    }
  }

  async #read(session: SessionId, files: Map<string, ReviewedFile>): Promise<void> {
    const { hunks } = await this.#source.request("review/list", { sessionId: session });
    const found: ReviewedFile[] = [];
    for (const hunk of hunks) {
      const key = `${session} ${keyOf(real(hunk.path))}`;
      const file = files.get(key) ?? { session, path: hunk.path, hunks: [], baseline: undefined };
      if (file.hunks.length === 0) found.push(file);
      file.hunks.push({ ...hunk, id: idOf(session, hunk.id) });
      files.set(key, file);
    }
    const shown = found.filter((file) => this.#listener.isShown(file.path));
    await Promise.all(
      shown.map(async (file) => {
        // Without it the file's hunks are not drawn; the lists have them.
        file.baseline = await this.#source
          .request("review/baseline", { sessionId: session, path: file.path })
          .catch(() => undefined);
      }),
    );
  }
}

/** A hunk's id behind its session's. */
export function idOf(session: SessionId, hunk: HunkId): HunkId {
  return `${session}/${hunk}`;
}

/** The session of a hunk that is named so. */
export function sessionOf(id: HunkId): SessionId {
  return id.slice(0, id.lastIndexOf("/"));
}

function plainId(id: HunkId): HunkId {
  return id.slice(id.lastIndexOf("/") + 1);
}

/** An action as the engine knows it. */
function plainAction(action: ReviewAction): ReviewAction {
  if (action.type === "comment") return { ...action, hunk: plainId(action.hunk) };
  if (action.type === "revert" || !("hunk" in action.target)) return action;
  return { ...action, target: { ...action.target, hunk: plainId(action.target.hunk) } };
}

/** A result with hunks as they are named here. */
function named(result: ReviewDecideResult, session: SessionId): ReviewDecideResult {
  const parts = result.decision.parts.map((part) => ({ ...part, hunk: idOf(session, part.hunk) }));
  return { ...result, decision: { ...result.decision, parts } };
}
