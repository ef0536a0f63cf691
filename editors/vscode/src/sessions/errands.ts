/** Single questions to the model, each in a separate session without tools, which is deleted afterwards. */
import type { AnyRecord, Input, SessionConfig, SessionId } from "pintle-client";
import { Disconnected, ErrorCode, RequestFailed } from "pintle-client";
import type { Ask } from "../chat/turns.ts";
import type { Surroundings } from "../connection/engine.ts";
import { t } from "../words.ts";

/** A question; its session cannot change anything, whatever the text contains. */
export interface Errand {
  cwd: string;
  title: string;
  instructions: string;
  model: string | undefined;
  input: Input[];
}

interface Running {
  answer: string;
  ended(answer: string): void;
  failed(error: unknown): void;
}

export class Errands {
  readonly #ask: Ask;
  readonly #around: Pick<Surroundings, "log">;
  readonly #running = new Map<SessionId, Running>();
  /** Those whose deletion is not confirmed. */
  readonly #ids = new Set<SessionId>();

  constructor(ask: Ask, around: Pick<Surroundings, "log">) {
    this.#ask = ask;
    this.#around = around;
  }

  /** Lists leave these sessions out. */
  has(id: SessionId): boolean {
    return this.#ids.has(id);
  }

  receive({ sessionId, event }: Pick<AnyRecord, "sessionId" | "event">): void {
    const running = this.#running.get(sessionId);
    if (running === undefined) return;
    if (event?.type === "item.completed" && event.item.type === "agentMessage")
      running.answer = event.item.text;
    if (event?.type !== "turn.completed") return;
    const { status, error } = event;
    if (status === "completed") return running.ended(running.answer);
    const code = error?.code === "auth" ? ErrorCode.authRequired : ErrorCode.internal;
    const hint = error?.hint === undefined ? {} : { hint: error.hint };
    running.failed(new RequestFailed("turn/start", code, error?.message ?? t("The turn was stopped."), hint));
  }

  /** The connection is gone. */
  lost(): void {
    for (const each of this.#running.values()) each.failed(new Disconnected());
  }

  /** An engine has started: deletes the sessions that the previous one left behind. */
  async tidy(): Promise<void> {
    const left = [...this.#ids].filter((each) => !this.#running.has(each));
    await Promise.all(left.map((each) => this.#delete(each)));
  }

  /** Returns the model's answer. Rejects with the signal's reason once that is aborted. */
  async run({ cwd, title, instructions, model, input }: Errand, signal: AbortSignal): Promise<string> {
    const config: SessionConfig = { permissionMode: "readOnly", tools: [], systemPrompt: instructions };
    if (model !== undefined && model !== "") config.model = model;
    const include = ["item.completed", "turn.completed"];
    const { sessionId } = await this.#ask("session/create", { cwd, title, include, config });
    this.#ids.add(sessionId);
    const answer = new Promise<string>((ended, failed) => {
      this.#running.set(sessionId, { answer: "", ended, failed });
      signal.addEventListener("abort", () => failed(signal.reason as Error), { once: true });
    });
    // The turn may fail before it is awaited.
    answer.catch(() => undefined);
    try {
      signal.throwIfAborted();
      await this.#ask("turn/start", { sessionId, input });
      return await answer;
    } finally {
      this.#running.delete(sessionId);
      // This also stops the turn.
      await this.#ask("session/close", { sessionId }).catch(() => undefined);
      await this.#delete(sessionId);
    }
  }

  async #delete(sessionId: SessionId): Promise<void> {
    try {
      await this.#ask("session/delete", { sessionId });
      this.#ids.delete(sessionId);
    } catch (error) {
      if (!(error instanceof Disconnected)) this.#around.log.warn(`deleting a session: ${String(error)}`);
    }
  }
}
