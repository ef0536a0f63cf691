/** The engine's output: a Node stream, a web stream, or any other iterable of chunks. */
export type EngineOutput = AsyncIterable<Uint8Array | string>;

/** The engine's input: a Node stream, or anything else that takes text. */
export interface EngineInput {
  /** Takes a line. Returns false if the next one should wait for `drain`. */
  write(text: string): boolean;
  end(): unknown;
  on(event: "drain" | "error", listener: () => void): unknown;
}

/** The parts of Node that `Client.spawn` uses; with declarations here, the file needs none of Node's. */
interface ChildProcess {
  stdin: EngineInput;
  stdout: EngineOutput;
  exitCode: number | null;
  signalCode: string | null;
  once(event: "exit", listener: () => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
}
declare const process: {
  getBuiltinModule(name: "node:child_process"): {
    spawn(program: string, args: string[], options: object): ChildProcess;
  };
};

/** Unanswered requests at a time. The engine takes 256 of a client; further requests wait here, in order. */
export const MOST_IN_FLIGHT = 200;

/** Events that wait for a reader. The journal keeps those beyond, and they are read from there in time. */
export const MOST_WAITING = 2048;

/** Events in a page of `session/events`; the engine's maximum. */
const PAGE = 1000;

/** Events of a session that were not sent or not kept: those after one number, up to another. */
interface Gap {
  sessionId: SessionId;
  after: number;
  to: number;
}

interface Waiting {
  method: string;
  /** Of a request that opens a session: the last event that the client has. */
  after: number;
  resolve(result: never): void;
  reject(error: Error): void;
  /** Forgets the signal that would cancel it. */
  release(): void;
}

/**
 * A connection to an engine, over any two streams, one message a line.
 *
 * Every request settles exactly once, at the latest when the connection ends. A line that is no message is skipped. Memory stays bounded
 * if the reader of `records` is slow: responses and requests of the engine are handled meanwhile, and events beyond `MOST_WAITING` are read
 * from the journal when the reader gets there. If the engine is slow to read, requests wait until its input drains.
 */
export class Client {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #input: EngineInput;
  readonly #child: ChildProcess | undefined;
  #lastId = 0;
  #mostInFlight = MOST_IN_FLIGHT;
  /** Requests without an answer, also those in `#queue`. */
  readonly #waiting = new Map<RequestId, Waiting>();
  /** Requests that were not sent yet. */
  #queue: { id: number; method: string; params: unknown }[] = [];
  /** Other lines that wait for the engine's input to drain. */
  readonly #unsent: string[] = [];
  #isFull = false;
  readonly #handlers = new Map<string, (params: never, signal: AbortSignal) => Promise<unknown>>();
  readonly #listeners = new Map<string, (params: never) => void>();
  readonly #answering = new Map<RequestId, AbortController>();
  /** Events as they come, and gaps at the places of those that are to be read. */
  readonly #events: (AnyRecord | Gap)[] = [];
  /** The last gap of each session since the events became too many. It grows. */
  readonly #overflow = new Map<SessionId, Gap>();
  /** Sessions with a gap that is being read: their other events come later. */
  readonly #reading = new Set<SessionId>();
  #wakes: (() => void)[] = [];
  #parts: string[] = [];
  #isClosed = false;
  #end: () => void = () => undefined;
  #skipped: (line: string, why: string) => void = () => undefined;

  /** Begins to read. The streams belong to the caller. */
  constructor(output: EngineOutput, input: EngineInput, child?: ChildProcess) {
    this.#input = input;
    this.#child = child;
    this.closed = new Promise((resolve) => (this.#end = resolve));
    input.on("drain", () => this.#drained());
    // A broken pipe means that the engine is gone.
    input.on("error", () => this.disconnect());
    child?.once("error", (error) => this.disconnect(`the engine could not be started: ${error.message}`));
    void this.#read(output);
  }

  /** Starts an engine, in the folder `cwd` or that of this process. Its stderr is that of this process. */
  static spawn(command: [string, ...string[]], cwd?: string): Client {
    const [program, ...args] = command;
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    return new Client(child.stdout, child.stdin, child);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends the engine's input, and waits for an engine that this client started to exit. */
  async close(): Promise<void> {
    const child = this.#child;
    const ended = new Promise<void>((resolve) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) resolve();
      child?.once("exit", resolve);
      // A program that could not be started never exits.
      child?.once("error", () => resolve());
    });
    this.#input.end();
    await ended;
  }

  /** Ends the connection at once and leaves the streams as they are: requests reject with `Disconnected`, signals of handlers abort. */
  disconnect(why?: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const waiting = [...this.#waiting.values()];
    const answering = [...this.#answering.values()];
    this.#waiting.clear();
    this.#answering.clear();
    this.#queue = [];
    this.#unsent.length = 0;
    this.#parts = [];
    for (const { reject, release } of waiting) {
      release();
      reject(new Disconnected(why));
    }
    for (const each of answering) each.abort();
    this.#end();
    this.#wake();
  }

  /** Opens the connection; it must be the first request. `id` tells this client from others of the same name in the causes of events. */
  async initialize(
    name: string,
    version: string,
    capabilities: ClientCapabilities = {},
    id?: string,
  ): Promise<InitializeResult> {
    const protocol = { name: PROTOCOL_NAME, versions: [PROTOCOL_VERSION] };
    const client = { name, version, ...(id === undefined ? {} : { id }) };
    const result = await this.request("initialize", { protocol, client, capabilities });
    this.#mostInFlight = Math.min(MOST_IN_FLIGHT, result.limits.maxInFlight);
    return result;
  }

  /** Creates a session. */
  async create(params: SessionCreateParams = {}): Promise<Session> {
    const result = await this.request("session/create", params);
    const session = new Session(result.sessionId);
    session.opened(result);
    return session;
  }

  /** Opens a stored session. One that is known gets the events that it missed; they come in `records`. */
  async open(
    session: Session | SessionId,
    params: Omit<SessionOpenParams, "sessionId" | "fromSeq" | "tail"> = {},
  ): Promise<Session> {
    const known = typeof session === "string" ? new Session(session) : session;
    known.opened(await this.request("session/open", { ...params, sessionId: known.id, fromSeq: known.seq }));
    return known;
  }

  /**
   * Sends a request and returns its result. Rejects with `RequestFailed` or `Disconnected`. When `signal` aborts, a request that was not
   * sent yet rejects with the code `cancelled`; for any other the engine is asked to cancel it, and its answer decides.
   */
  request<M extends keyof ClientRequests>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>> {
    if (this.#isClosed) return Promise.reject(new Disconnected());
    if (signal?.aborted === true) return Promise.reject(cancelled(method));
    this.#lastId += 1;
    const id = this.#lastId;
    const cancel = (): void => this.#cancel(id);
    signal?.addEventListener("abort", cancel, { once: true });
    const { fromSeq } = params as { fromSeq?: number };
    return new Promise<Result<M>>((resolve, reject) => {
      const release = (): void => signal?.removeEventListener("abort", cancel);
      this.#waiting.set(id, { method, after: fromSeq ?? 0, resolve, reject, release });
      this.#queue.push({ id, method, params });
      this.#sendQueued();
    });
  }

  /** Sends a notification. */
  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]["params"]): void {
    this.#write({ method, params });
  }

  /**
   * Answers a request of the engine with what the handler returns. When the engine withdraws the request or the connection ends, the signal
   * aborts, and the handler's result is dropped.
   */
  on<M extends keyof EngineRequests>(method: M, handler: Handler<M>): void {
    this.#handlers.set(method, handler as (params: never, signal: AbortSignal) => Promise<unknown>);
  }

  /** Calls the listener for each notification of a method. Events come in `records` instead. */
  onNotification<M extends Exclude<keyof EngineNotifications, "session/event" | "session/eventsMissed" | "$/cancelRequest">>(
    method: M,
    listener: (params: EngineNotifications[M]["params"]) => void,
  ): void {
    this.#listeners.set(method, listener as (params: never) => void);
  }

  /** Calls the listener for each line of the engine that is skipped, with the reason: it is no message, or nothing here is for it. */
  onSkipped(listener: (line: string, why: string) => void): void {
    this.#skipped = listener;
  }

  /**
   * The events of all sessions, until the connection ends; those of a session in order and without a gap. Events that the engine did not
   * send, or that came faster than they were read, are read from the journal at their place; deltas among them are left out.
   */
  async *records(): AsyncGenerator<AnyRecord, void, void> {
    for (;;) {
      const at = this.#events.findIndex(({ sessionId }) => !this.#reading.has(sessionId));
      const [next] = at < 0 ? [] : this.#events.splice(at, 1);
      if (next === undefined) {
        if (this.#isClosed && this.#events.length === 0) return;
        await new Promise<void>((resolve) => this.#wakes.push(resolve));
      } else if ("to" in next) {
        void this.#fill(next);
      } else {
        yield next;
      }
    }
  }

  /** Reads the events of a session after one number, up to another. They come in `records`, before all others of the session. */
  catchUp(sessionId: SessionId, after: number, to: number): void {
    if (after >= to) return;
    this.#events.unshift({ sessionId, after, to });
    this.#wake();
  }

  #wake(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const each of wakes) each();
  }

  // ----- the engine's input

  #cancel(id: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const queued = this.#queue.findIndex((each) => each.id === id);
    if (queued < 0) {
      this.notify("$/cancelRequest", { id });
      return;
    }
    this.#queue.splice(queued, 1);
    this.#waiting.delete(id);
    waiting.reject(cancelled(waiting.method));
  }

  #sendQueued(): void {
    while (!this.#isFull && this.#waiting.size - this.#queue.length < this.#mostInFlight) {
      const message = this.#queue.shift();
      if (message === undefined) return;
      this.#write(message);
    }
  }

  #write(message: object): void {
    if (this.#isClosed) return;
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    if (this.#isFull) this.#unsent.push(line);
    else this.#isFull = !this.#input.write(line);
  }

  #drained(): void {
    this.#isFull = false;
    while (!this.#isFull) {
      const line = this.#unsent.shift();
      if (line === undefined) break;
      this.#isFull = !this.#input.write(line);
    }
    this.#sendQueued();
  }

  // ----- the engine's output

  async #read(output: EngineOutput): Promise<void> {
    const decoder = new TextDecoder();
    const chunks = output[Symbol.asyncIterator]();
    for (;;) {
      // A stream that breaks has ended.
      const next = await chunks.next().catch(() => undefined);
      if (next === undefined || next.done === true) break;
      // What comes after the end is read too, so that the engine does not wait for room.
      if (this.#isClosed) continue;
      const { value } = next;
      this.#chunk(typeof value === "string" ? value : decoder.decode(value, { stream: true }));
    }
    this.disconnect();
  }

  /** Cuts text into lines. They end at LF alone, since texts may hold U+2028. */
  #chunk(text: string): void {
    const [first = "", ...lines] = text.split("\n");
    this.#parts.push(first);
    for (const start of lines) {
      const line = this.#parts.join("");
      this.#parts = [start];
      this.#line(line);
    }
  }

  #line(line: string): void {
    if (this.#isClosed || line.trim() === "") return;
    let message: Message;
    try {
      const value: unknown = JSON.parse(line);
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error();
      message = value;
    } catch {
      call(() => this.#skipped(line, "not a JSON object"));
      return;
    }
    const { id, method } = message;
    if (typeof method !== "string") this.#settle(message, line);
    else if (id === undefined || id === null) this.#notified(method, message.params, line);
    else void this.#answer(id, method, message.params);
  }

  #notified(method: string, params: unknown, line: string): void {
    if (method === "session/event") {
      this.#enqueue(params as AnyRecord);
    } else if (method === "session/eventsMissed") {
      const { sessionId, lastSentSeq, headSeq } = params as SessionEventsMissedParams;
      this.#events.push({ sessionId, after: lastSentSeq, to: headSeq });
      this.#wake();
    } else if (method === "$/cancelRequest") {
      const id = (params as { id?: RequestId } | undefined)?.id ?? "";
      const answering = this.#answering.get(id);
      this.#answering.delete(id);
      answering?.abort();
    } else {
      const listener = this.#listeners.get(method);
      if (listener === undefined) call(() => this.#skipped(line, "an unknown notification"));
      else call(() => listener(params as never));
    }
  }

  /** Keeps an event for the reader. If too many wait, deltas are dropped, and a gap stands for the others. */
  #enqueue(record: AnyRecord): void {
    const { sessionId } = record;
    if (this.#events.length < MOST_WAITING) {
      this.#overflow.clear();
      this.#events.push(record);
    } else if (isDurable(record)) {
      const gap = this.#overflow.get(sessionId) ?? { sessionId, after: record.seq - 1, to: record.seq };
      gap.to = record.seq;
      if (!this.#overflow.has(sessionId)) this.#events.push(gap);
      this.#overflow.set(sessionId, gap);
    }
    this.#wake();
  }

  /** Reads a page of a gap, and puts it and the rest of the gap in front of the session's other events. */
  async #fill(gap: Gap): Promise<void> {
    const { sessionId, after, to } = gap;
    this.#reading.add(sessionId);
    if (this.#overflow.get(sessionId) === gap) this.#overflow.delete(sessionId);
    // If they cannot be read, the events that follow are worth having without them.
    const page = await this.request("session/events", { sessionId, after, limit: PAGE }).catch(() => undefined);
    const events = page?.events ?? [];
    const last = events.at(-1)?.seq ?? 0;
    // A page that brings nothing would be asked for again and again.
    if (last > after && last < to) this.#events.unshift({ sessionId, after: last, to });
    this.#events.unshift(...events.filter((event) => event.seq <= to));
    this.#reading.delete(sessionId);
    this.#wake();
  }

  #settle({ id, result, error }: Message, line: string): void {
    const isAnswer = result !== undefined || error !== undefined;
    const waiting = id === undefined || id === null ? undefined : this.#waiting.get(id);
    if (!isAnswer || waiting === undefined) {
      const why = isAnswer ? "an answer to no request" : "neither a request nor an answer";
      call(() => this.#skipped(line, error?.message ?? why));
      return;
    }
    this.#waiting.delete(id as RequestId);
    waiting.release();
    this.#sendQueued();
    if (error !== undefined) {
      waiting.reject(new RequestFailed(waiting.method, error.code, error.message, error.data));
      return;
    }
    const opened = result as Partial<SessionResult> | null;
    if (opened?.gap === true && opened.sessionId !== undefined && opened.seq !== undefined) {
      // Events that follow in the same read are later ones.
      this.#events.push({ sessionId: opened.sessionId, after: waiting.after, to: opened.seq });
      this.#wake();
    }
    waiting.resolve(result as never);
  }

  async #answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      this.#write({ id, error: { code: ErrorCode.methodNotFound, message: `no handler for ${method}` } });
      return;
    }
    const withdrawn = new AbortController();
    this.#answering.set(id, withdrawn);
    let answer: object;
    try {
      answer = { result: await handler(params as never, withdrawn.signal) };
    } catch (error) {
      answer = { error: { code: ErrorCode.internal, message: String(error) } };
    }
    if (this.#answering.get(id) !== withdrawn) return;
    this.#answering.delete(id);
    this.#write({ id, ...answer });
  }
}

function cancelled(method: string): RequestFailed {
  return new RequestFailed(method, ErrorCode.cancelled, "the request was cancelled");
}

/** Calls a listener. An error that it throws is reported as uncaught and does not end the connection. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
