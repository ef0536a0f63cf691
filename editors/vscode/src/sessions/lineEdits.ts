/** Inline edits: each is a request in a separate session, whose changes are reviewed like any others. */
import type { Input, SessionConfig, SessionId, TurnCompleted } from "pintle-client";
import { Disconnected } from "pintle-client";
import type { Ask } from "../chat/turns.ts";
import type { Session } from "./session.ts";
import type { Sessions } from "./sessions.ts";

/** Replies of the model: enough to read related code, and a limit for an edit that goes astray. */
export const MOST_STEPS = 30;
const MOST_TITLE = 120;

const INSTRUCTIONS = [
  "The first message of this session is an inline edit: the user asks for a change to the selected lines, and reads the changed lines, not your messages.",
  "Edit the file, change only what the request needs, and end without a summary. If you change nothing, give the reason in one sentence.",
].join(" ");

export interface LineEdit {
  /** What is to be changed. */
  request: string;
  /** The name of the file. */
  name: string;
  /** The lines with their problems. */
  attached: Input[];
  /** The model and the permission mode. */
  config: SessionConfig;
}

/** An edit that has ended. */
export interface EndedEdit {
  session: Session;
  end: TurnCompleted;
  /** The paths of the files that it changed. */
  files: string[];
}

interface Running {
  ended(end: TurnCompleted): void;
  failed(error: unknown): void;
}

export class LineEdits {
  readonly #sessions: Sessions;
  readonly #ask: Ask;
  readonly #running = new Map<SessionId, Running>();

  constructor(sessions: Sessions, ask: Ask) {
    this.#sessions = sessions;
    this.#ask = ask;
  }

  /** A turn has ended. Returns true if it belonged to an edit. */
  ended(id: SessionId, end: TurnCompleted): boolean {
    const running = this.#running.get(id);
    running?.ended(end);
    return running !== undefined;
  }

  /** The connection is gone. */
  lost(): void {
    for (const each of this.#running.values()) each.failed(new Disconnected());
  }

  /** Resolves when the edit has ended. The signal stops its turn. */
  async run({ request, name, attached, config }: LineEdit, signal: AbortSignal): Promise<EndedEdit> {
    const title = `edit ${name}: ${request.split("\n", 1)[0] ?? ""}`.slice(0, MOST_TITLE);
    const all = { ...config, systemPrompt: INSTRUCTIONS };
    const session = await this.#sessions.create(all, () => undefined, { title });
    const sessionId = session.id;
    const turn = new Promise<TurnCompleted>((ended, failed) =>
      this.#running.set(sessionId, { ended, failed }),
    );
    // The turn may fail before it is awaited.
    turn.catch(() => undefined);
    const stop = (): void => void this.#ask("turn/interrupt", { sessionId }).catch(() => undefined);
    try {
      const input: Input[] = [{ type: "text", text: request }, ...attached];
      try {
        await this.#ask("turn/start", { sessionId, input, limits: { steps: MOST_STEPS } });
      } catch (error) {
        await this.#delete(session);
        throw error;
      }
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      const end = await turn;
      const { hunks } = await this.#ask("review/list", { sessionId });
      return { session, end, files: [...new Set(hunks.map(({ path }) => path))] };
    } finally {
      this.#running.delete(sessionId);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Deletes the session of an edit without changes, unless it was continued or is still in use. */
  async discard({ session, end }: EndedEdit): Promise<void> {
    const { entries, decisions, activity } = session.state;
    const last = entries.findLast(({ kind }) => kind === "turnEnd");
    const isContinued = activity !== "idle" || last?.kind !== "turnEnd" || last.end !== end;
    const isUsed = this.#sessions.isShown(session) || session.jobs.length > 0 || decisions.length > 0;
    if (!isContinued && !isUsed) await this.#delete(session);
  }

  async #delete({ id }: Session): Promise<void> {
    await this.#sessions.stop(id).catch(() => undefined);
    await this.#ask("session/delete", { sessionId: id }).catch(() => undefined);
  }
}
