// A client of pintle: types, requests, events, and the state of a session, in one file without dependencies. Node 20 or later.
//
// Generated from protocol/src and protocol/bin/generate/client.ts by `cargo run -p pintle-protocol --bin generate`; copy it into your project.
//
//     const engine = Client.spawn(["pintle", "serve"]);
//     await engine.initialize("my-client", "1.0", { approvals: {} });
//     engine.on("approval/request", async () => ({ optionId: "allow" }));
//     const session = await engine.create();
//     await engine.request("turn/start", { input: [{ type: "text", text: "Fix the typo." }] });
//     for await (const record of engine.records()) {
//       session.apply(record);
//       if (session.turn !== undefined && session.turn.status !== "running") break;
//     }

import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";

// The types.

type Params<M extends keyof ClientRequests> = ClientRequests[M]["params"];
type Result<M extends keyof ClientRequests> = ClientRequests[M]["result"];
type Handler<M extends keyof EngineRequests> = (
  params: EngineRequests[M]["params"],
  signal: AbortSignal,
) => Promise<EngineRequests[M]["result"]>;
type RequestId = number | string;

interface Message {
  id?: RequestId | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: ErrorData };
}

/** The engine answered a request with an error. */
export class RequestFailed extends Error {
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
    readonly data?: ErrorData,
  ) {
    super(`${method}: ${message}${data?.hint === undefined ? "" : `\n  ${data.hint}`}`);
  }
}

/** The engine is gone. */
export class Disconnected extends Error {}

/** The state of a session, folded from its events. After a reconnection, `Client.open` sends it what it missed. */
export class Session {
  seq = 0;
  title?: string;
  model = "";
  permissionMode: string = "";
  mode: string = "";
  /** The last turn; its status is `running`, or that with which it ended. */
  turn?: { id: string; status: string };
  queue: QueuedInput[] = [];
  approvals: Approval[] = [];
  questions: Question[] = [];
  plan?: Plan;
  usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  costNanoUsd?: number;
  #items = new Map<string, Item>();
  #hidden = new Set<string>();

  constructor(readonly id: string) {}

  /** The items on the current path, in the order in which they appeared. */
  get items(): Item[] {
    return [...this.#items.values()].filter((item) => !this.#hidden.has(item.id));
  }

  /** Folds an event into the state. Returns false for one of another session, or one that is known already. */
  apply(record: AnyRecord): boolean {
    if (record.sessionId !== this.id) return false;
    if ("after" in record) {
      if (record.event.type === "item.delta") this.#grow(record.event);
      return true;
    }
    if (record.seq <= this.seq) return false;
    this.seq = record.seq;
    this.#fold(record.event, record.turnId ?? "");
    return true;
  }

  #grow(delta: ItemDelta): void {
    const item = this.#items.get(delta.itemId);
    if (item !== undefined && delta.field === "text" && "text" in item && typeof item.text === "string") {
      // The first piece replaces: after a new subscription all of it comes again.
      item.text = (delta.n === 0 ? "" : item.text) + delta.text;
    }
  }

  #fold(event: Event, turn: string): void {
    switch (event.type) {
      case "session.created":
        this.title = event.title;
      // The settings are in both.
      case "config.changed":
        this.model = event.model;
        this.permissionMode = event.permissionMode;
        this.mode = event.mode ?? "act";
        break;
      case "session.updated":
        this.title = event.title;
        this.#spend(event.usage, event.costNanoUsd);
        break;
      case "input.accepted":
        this.queue.push(untagged(event));
        this.queue.sort((a, b) => Number(a.delivery === "followUp") - Number(b.delivery === "followUp"));
        break;
      case "input.removed": {
        const gone = new Set(event.inputs.map((input) => input.itemId));
        this.queue = this.queue.filter((waiting) => !gone.has(waiting.itemId));
        break;
      }
      case "queue.changed":
        this.queue = event.queue;
        break;
      case "turn.started":
        this.turn = { id: turn, status: "running" };
        break;
      case "turn.completed":
        this.turn = { id: turn, status: event.status };
        this.#spend(event.usage, event.costNanoUsd);
        break;
      case "item.started":
      case "item.updated":
      case "item.completed":
        this.#items.set(event.item.id, { ...event.item });
        this.queue = this.queue.filter((waiting) => waiting.itemId !== event.item.id);
        break;
      case "approval.requested":
        this.approvals.push(untagged(event));
        break;
      case "approval.resolved":
        this.approvals = this.approvals.filter((open) => open.approvalId !== event.approvalId);
        break;
      case "question.requested":
        this.questions.push(untagged(event));
        break;
      case "question.resolved":
        this.questions = this.questions.filter((open) => open.questionId !== event.questionId);
        break;
      case "plan.updated":
        this.plan = event.items.length > 0 ? untagged(event) : undefined;
        break;
      case "history.rewound":
        for (const id of event.dropped ?? []) this.#hidden.add(id);
        for (const id of event.restored ?? []) this.#hidden.delete(id);
        break;
      default:
        break;
    }
  }

  #spend(usage?: Usage, cost?: number): void {
    const counts = this.usage as unknown as Record<string, number>;
    for (const [key, count] of Object.entries(usage ?? {})) counts[key] = (counts[key] ?? 0) + count;
    if (cost !== undefined) this.costNanoUsd = (this.costNanoUsd ?? 0) + cost;
  }

  /** The state as JSON, as the fixtures of the conformance kit write it. */
  snapshot(): Record<string, unknown> {
    const { seq, title, model, permissionMode, mode, turn, items } = this;
    const { queue, approvals, questions, plan, usage, costNanoUsd } = this;
    const state = { seq, title, model, permissionMode, mode, turn, items, queue, approvals, questions, plan, usage, costNanoUsd };
    return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
  }
}

/** An event's fields without its type. */
function untagged<E extends { type: string }>(event: E): Omit<E, "type"> {
  const { type: _type, ...fields } = event;
  return fields;
}

/** A connection to an engine, over any two streams, one message a line. */
export class Client {
  #lastId = 0;
  #waiting = new Map<RequestId, { method: string; resolve: (result: never) => void; reject: (error: Error) => void }>();
  #handlers = new Map<string, (params: never, signal: AbortSignal) => Promise<unknown>>();
  #answering = new Map<RequestId, AbortController>();
  /** Events as they come; a promise stands for those that are being read from the journal, which precede what is behind it. */
  #records: (AnyRecord | Promise<AnyRecord[]>)[] = [];
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(
    readable: Readable,
    private readonly writable: Writable,
    private readonly child?: ChildProcess,
  ) {
    // Lines end at LF alone: node:readline would also split inside texts that hold U+2028.
    let rest = "";
    readable.setEncoding("utf8");
    readable.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line) as Message);
    });
    readable.on("close", () => this.#end());
    // A write to an engine that is gone is told by the end of its output.
    writable.on("error", () => undefined);
  }

  /** Starts an engine. */
  static spawn(command: [string, ...string[]], cwd?: string): Client {
    const [program, ...args] = command;
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    return new Client(child.stdout, child.stdin, child);
  }

  /** Ends the connection. An engine that this client started ends with it. */
  async close(): Promise<void> {
    const child = this.child;
    const isOver = child === undefined || child.exitCode !== null || child.signalCode !== null;
    const ended = isOver ? Promise.resolve() : new Promise<void>((resolve) => child.once("exit", () => resolve()));
    this.writable.end();
    await ended;
  }

  /** Opens the connection; it must be the first request. */
  initialize(name: string, version: string, capabilities: ClientCapabilities = {}): Promise<InitializeResult> {
    const protocol = { name: PROTOCOL_NAME, versions: [PROTOCOL_VERSION] };
    return this.request("initialize", { protocol, client: { name, version }, capabilities });
  }

  /** Creates a session. */
  async create(params: SessionCreateParams = {}): Promise<Session> {
    return new Session((await this.request("session/create", params)).sessionId);
  }

  /** Opens a stored session. One that is known gets the events that it missed; they come in `records`. */
  async open(session: Session | string): Promise<Session> {
    const known = typeof session === "string" ? new Session(session) : session;
    const opened = this.request("session/open", { sessionId: known.id, fromSeq: known.seq });
    const missed = opened.then(({ gap, seq }) => (gap === true ? this.#pages(known.id, known.seq, seq) : []));
    this.#expect(missed);
    await opened;
    return known;
  }

  /** Sends a request and returns its result. */
  request<M extends keyof ClientRequests>(method: M, params: Params<M>): Promise<Result<M>> {
    this.#lastId += 1;
    const id = this.#lastId;
    if (this.#isOver) return Promise.reject(new Disconnected("the engine has closed the connection"));
    const answered = new Promise<Result<M>>((resolve, reject) => {
      this.#waiting.set(id, { method, resolve, reject });
    });
    this.#write({ id, method, params });
    return answered;
  }

  /** Sends a notification. */
  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]["params"]): void {
    this.#write({ method, params });
  }

  /** Answers a request of the engine with what the handler returns. The signal says that the answer is no longer awaited. */
  on<M extends keyof EngineRequests>(method: M, handler: Handler<M>): void {
    this.#handlers.set(method, handler as (params: never, signal: AbortSignal) => Promise<unknown>);
  }

  /** The events of all sessions, until the connection ends. */
  async *records(): AsyncGenerator<AnyRecord, void, void> {
    for (;;) {
      const next = this.#records.shift();
      if (next instanceof Promise) {
        this.#records.unshift(...(await next));
      } else if (next !== undefined) {
        yield next;
      } else if (this.#isOver) {
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  #write(message: object): void {
    this.writable.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #take(message: Message): void {
    const { id, method } = message;
    if (method === undefined) {
      if (id !== undefined && id !== null) this.#settle(id, message);
    } else if (method === "session/event") {
      this.#records.push(message.params as AnyRecord);
      this.#wake();
    } else if (method === "session/lagged") {
      const { sessionId, lastSentSeq, headSeq } = message.params as SessionLaggedParams;
      this.#expect(this.#pages(sessionId, lastSentSeq, headSeq));
    } else if (method === "$/cancelRequest") {
      this.#answering.get((message.params as CancelParams).id as RequestId)?.abort();
    } else if (id !== undefined && id !== null) {
      void this.#answer(id, method, message.params);
    }
  }

  /** What comes from now on is later than these events. */
  #expect(missed: Promise<AnyRecord[]>): void {
    // Whoever asked is told of a failure; the events that follow are worth having without them.
    this.#records.push(missed.catch(() => []));
    this.#wake();
  }

  /** Reads the events between two numbers. */
  async #pages(sessionId: string, lastSeq: number, headSeq: number): Promise<AnyRecord[]> {
    const missed: AnyRecord[] = [];
    let after = lastSeq;
    while (after < headSeq) {
      const { events } = await this.request("session/events", { sessionId, after });
      const last = events.at(-1);
      if (last === undefined) break;
      missed.push(...events.filter((event) => event.seq <= headSeq));
      after = last.seq;
    }
    return missed;
  }

  #settle(id: RequestId, { result, error }: Message): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result as never);
    else waiting?.reject(new RequestFailed(waiting.method, error.code, error.message, error.data));
  }

  async #answer(id: RequestId, method: string, params: unknown): Promise<void> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      this.#write({ id, error: { code: ErrorCode.methodNotFound, message: `no handler for ${method}` } });
      return;
    }
    const withdrawn = new AbortController();
    this.#answering.set(id, withdrawn);
    try {
      this.#write({ id, result: await handler(params as never, withdrawn.signal) });
    } catch (error) {
      this.#write({ id, error: { code: ErrorCode.internal, message: String(error) } });
    } finally {
      this.#answering.delete(id);
    }
  }

  #end(): void {
    this.#isOver = true;
    for (const { reject } of this.#waiting.values()) reject(new Disconnected("the engine has closed the connection"));
    this.#waiting.clear();
    this.#wake();
  }
}
