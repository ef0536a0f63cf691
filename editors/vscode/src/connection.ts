/**
 * One JSON-RPC connection over a pair of byte streams: framing by LF, ids, answers, the engine's own requests.
 *
 * It knows no session and no process. Invariant: every request settles exactly once, at the latest when the
 * connection closes. A line that is no message is reported and skipped: a stray log line must not end a session.
 */
import type { Readable, Writable } from "node:stream";
import type {
  AuthOpenUrlParams,
  ClientNotifications,
  ClientRequests,
  EngineNotifications,
  EngineRequests,
  ErrorData,
} from "./protocol.ts";
import { ErrorCode } from "./protocol.ts";

/** An error the engine answered with. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Partial<ErrorData>;

  constructor(code: number, message: string, data: Partial<ErrorData> = {}) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/** The connection closed before the answer came. */
export class ClosedError extends Error {
  constructor() {
    super("the engine is gone");
    this.name = "ClosedError";
  }
}

/** A request of the engine that waits for our answer. */
export interface EngineRequest<M extends keyof EngineRequests> {
  params: EngineRequests[M]["params"];
  /** Answers it; a second answer, or one after it was withdrawn, does nothing. */
  answer(result: EngineRequests[M]["result"]): void;
  /** Called when the engine withdraws it. */
  onWithdrawn: () => void;
}

/** What a connection tells its owner. */
export interface Handlers {
  notification<M extends keyof EngineNotifications>(
    method: M,
    params: EngineNotifications[M]["params"],
  ): void;
  approval(request: EngineRequest<"approval/request">): void;
  question(request: EngineRequest<"question/request">): void;
  edit(request: EngineRequest<"workspace/applyEdit">): void;
  /** A page on which the person logs in. */
  page(url: string): void;
  /** A line on the engine's stdout that is no message of the protocol. */
  noise(line: string, why: string): void;
  closed(): void;
}

interface Message {
  id?: number | string | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: Partial<ErrorData> };
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const LF = 0x0a;

/** Requests that may wait for an answer at once; the engine takes 256 of a client. The rest is sent, in order, when answers come. */
export const MOST_IN_FLIGHT = 200;

export class Connection {
  readonly #output: Writable;
  readonly #handlers: Handlers;
  readonly #pending = new Map<number, Pending>();
  readonly #asked = new Map<string | number, { onWithdrawn: () => void }>();
  /** Requests that are not sent yet. */
  readonly #queue: Message[] = [];
  #chunks: Buffer[] = [];
  #nextId = 1;
  #isClosed = false;

  constructor(input: Readable, output: Writable, handlers: Handlers) {
    this.#output = output;
    this.#handlers = handlers;
    input.on("data", (chunk: Buffer) => this.#take(chunk));
    input.on("end", () => this.close());
    input.on("error", () => this.close());
    // A broken pipe is the end of the engine, which `input` tells as well.
    output.on("error", () => this.close());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Asks the engine. `stop` has it told that nobody waits any more; the answer then says so. */
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
    stop?: AbortSignal,
  ): Promise<ClientRequests[M]["result"]> {
    if (this.#isClosed) return Promise.reject(new ClosedError());
    const id = this.#nextId++;
    stop?.addEventListener("abort", () => this.notify("$/cancelRequest", { id }), { once: true });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: (result) => resolve(result as ClientRequests[M]["result"]), reject });
      this.#queue.push({ id, method, params });
      this.#sendQueued();
    });
  }

  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]["params"]): void {
    this.#send({ method, params });
  }

  /** Rejects what waits and says so. The streams belong to whoever made them. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#chunks = [];
    this.#queue.length = 0;
    const pending = [...this.#pending.values()];
    const asked = [...this.#asked.values()];
    this.#pending.clear();
    this.#asked.clear();
    for (const each of pending) each.reject(new ClosedError());
    for (const each of asked) each.onWithdrawn();
    this.#handlers.closed();
  }

  #sendQueued(): void {
    // What is pending and not in the queue was sent.
    while (this.#pending.size - this.#queue.length < MOST_IN_FLIGHT) {
      const message = this.#queue.shift();
      if (message === undefined) return;
      this.#send(message);
    }
  }

  #send(message: Message): void {
    if (this.#isClosed || this.#output.destroyed) return;
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#chunks.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(this.#chunks).toString("utf8");
      this.#chunks = [];
      this.#line(line);
      if (this.#isClosed) return;
    }
    if (from < chunk.length) this.#chunks.push(chunk.subarray(from));
  }

  #line(line: string): void {
    if (line.trim() === "") return;
    let message: Message;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value !== "object" || value === null || Array.isArray(value))
        throw new Error("not an object");
      message = value;
    } catch {
      this.#handlers.noise(line, "not JSON");
      return;
    }
    if (typeof message.method === "string") this.#incoming(message, message.method, line);
    else if ("result" in message || "error" in message) this.#answered(message, line);
    else this.#handlers.noise(line, "neither request nor answer");
  }

  #answered(message: Message, line: string): void {
    const pending = typeof message.id === "number" ? this.#pending.get(message.id) : undefined;
    if (pending === undefined) {
      this.#handlers.noise(line, message.error?.message ?? "an answer to no request");
      return;
    }
    this.#pending.delete(message.id as number);
    this.#sendQueued();
    if (message.error === undefined) pending.resolve(message.result);
    else pending.reject(new RpcError(message.error.code, message.error.message, message.error.data ?? {}));
  }

  #incoming(message: Message, method: string, line: string): void {
    const { id } = message;
    if (id === undefined || id === null) {
      if (method === "$/cancelRequest") this.#withdraw(message.params);
      else if (method === "session/event" || method === "session/lagged") {
        this.#handlers.notification(method, message.params as never);
      } else if (method === "auth/openUrl") this.#handlers.page((message.params as AuthOpenUrlParams).url);
      else this.#handlers.noise(line, `an unknown notification`);
      return;
    }
    if (method === "approval/request") {
      this.#handlers.approval(this.#request(id, message));
    } else if (method === "question/request") {
      this.#handlers.question(this.#request(id, message));
    } else if (method === "workspace/applyEdit") {
      this.#handlers.edit(this.#request(id, message));
    } else {
      const error = { code: ErrorCode.methodNotFound, message: `${method} is unknown here` };
      this.#send({ id, error });
    }
  }

  #request<M extends keyof EngineRequests>(id: string | number, message: Message): EngineRequest<M> {
    const request: EngineRequest<M> = {
      params: message.params as EngineRequests[M]["params"],
      answer: (result) => {
        if (this.#asked.delete(id)) this.#send({ id, result });
      },
      onWithdrawn: () => undefined,
    };
    this.#asked.set(id, request);
    return request;
  }

  #withdraw(params: unknown): void {
    const id = (params as { id?: string | number } | undefined)?.id;
    const request = id === undefined ? undefined : this.#asked.get(id);
    if (id === undefined || request === undefined) return;
    this.#asked.delete(id);
    request.onWithdrawn();
  }
}
