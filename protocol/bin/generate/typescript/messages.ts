type Params<M extends keyof ClientRequests> = ClientRequests[M]["params"];
type Result<M extends keyof ClientRequests> = ClientRequests[M]["result"];
/** Answers a request of the engine. The signal aborts when the answer is no longer awaited. */
export type Handler<M extends keyof EngineRequests> = (
  params: EngineRequests[M]["params"],
  signal: AbortSignal,
) => Promise<EngineRequests[M]["result"]>;
type RequestId = number | string;

interface Message {
  id?: RequestId | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string; data?: Partial<ErrorData> };
}

/** A request failed: the engine answered with an error, or the request was cancelled before it was sent. */
export class RequestFailed extends Error {
  readonly method: string;
  /** One of `ErrorCode`. */
  readonly code: number;
  /** The engine's message alone; `message` also names the method and the hint. */
  readonly reason: string;
  readonly data: Partial<ErrorData>;

  constructor(method: string, code: number, reason: string, data: Partial<ErrorData> = {}) {
    super(`${method}: ${reason}${data.hint === undefined ? "" : `\n  ${data.hint}`}`);
    this.name = "RequestFailed";
    this.method = method;
    this.code = code;
    this.reason = reason;
    this.data = data;
  }
}

/** The connection ended before the request was answered. */
export class Disconnected extends Error {
  constructor(message = "the engine is gone") {
    super(message);
    this.name = "Disconnected";
  }
}
