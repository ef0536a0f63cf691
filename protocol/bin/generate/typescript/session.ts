/** True for a durable event: a line of the journal, with a number. */
export function isDurable(record: AnyRecord): record is EventRecord {
  return "seq" in record;
}

/** True if an item has ended. An unknown status counts as still running. */
export function hasEnded(item: Pick<Item, "status">): boolean {
  return ["completed", "failed", "declined", "cancelled"].includes(item.status);
}

/** Text of an item, until it has ended, that its value does not carry. */
export interface Streamed {
  /** The strings of its arguments while the model writes them, by JSON Pointer. */
  inputs: Map<string, string>;
  /** The end of its output, at most 256 Ki characters. */
  output: string;
}

/** A change that a delta made. */
export interface Growth {
  itemId: ItemId;
  field: "text" | "input" | "output";
  /** The string of the arguments, as a JSON Pointer; only with the field `input`. */
  path?: string;
  /** The appended text, with `…` in front if pieces before it are missing. */
  text: string;
  /** True if `text` replaces the field; of `input`, all its strings. */
  isWhole: boolean;
}

/** Characters of a running call's output that are kept once there are twice as many. */
const MOST_OUTPUT = 128 * 1024;

function endOf(output: string): string {
  if (output.length <= 2 * MOST_OUTPUT) return output;
  return `…\n${output.slice(output.indexOf("\n", output.length - MOST_OUTPUT) + 1)}`;
}

/**
 * The state of a session, folded from its events. After a reconnection, `Client.open` sends it the events that it missed.
 *
 * It begins with the first event. To begin in the middle, set `seq` to the number before that of the first event to apply, and pass the
 * response that opened the session to `opened`.
 */
export class Session {
  readonly id: SessionId;
  /** The number of the last durable event that was applied. */
  seq = 0;
  cwd = "";
  title: string | undefined;
  model = "";
  permissionMode = "";
  mode = "act";
  /** `idle`, `running`, `blocked` and so on; the engine may add values. */
  state = "idle";
  /** The last turn; its status is `running`, or that with which it ended. */
  turn: { id: TurnId; status: string } | undefined;
  queue: QueuedInput[] = [];
  approvals: Approval[] = [];
  questions: Question[] = [];
  plan: Plan | undefined;
  /** The estimated fill level of the model's context window. */
  context: ContextUsage | undefined;
  usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  /** In billionths of a US dollar; undefined if no price is known. */
  costNanoUsd: number | undefined;
  #items = new Map<ItemId, Item>();
  #hidden = new Set<ItemId>();
  /** Items that were hidden once and are shown again; none of `#hidden`. */
  #restored = new Set<ItemId>();
  #streamed = new Map<ItemId, Streamed>();
  /** The next piece that is expected, by item and field. */
  #pieces = new Map<ItemId, Map<string, number>>();
  /** The response that opened the session, until the events up to its `seq` are applied. */
  #response: SessionResult | undefined;
  /** `usage` and `costNanoUsd` hold what was spent up to this event already. */
  #spentTo = 0;

  constructor(id: SessionId) {
    this.id = id;
  }

  /** The items on the current path, in the order in which they appeared. */
  get items(): Item[] {
    return [...this.#items.values()].filter((item) => !this.#hidden.has(item.id));
  }

  /** An item, also one that is not on the current path. */
  item(id: ItemId): Item | undefined {
    return this.#items.get(id);
  }

  /** True if an item is not on the current path. */
  isHidden(id: ItemId): boolean {
    return this.#hidden.has(id);
  }

  /** The streamed text of an item that has not ended. It is the same object until then, and grows. */
  streamed(id: ItemId): Streamed | undefined {
    return this.#streamed.get(id);
  }

  /** True for an event with others missing before it; `Client.catchUp` reads them. Do not ask if the subscription leaves out types of events. */
  isEarly(record: AnyRecord): boolean {
    return record.sessionId === this.id && isDurable(record) && record.seq > this.seq + 1;
  }

  /** Folds an event into the state. Returns false if it changes nothing: it is another session's, or was applied already. */
  apply(record: AnyRecord): boolean {
    if (record.sessionId !== this.id) return false;
    if (!isDurable(record)) return this.#pass(record.event);
    if (record.seq <= this.seq) return false;
    this.seq = record.seq;
    this.#fold(record.event, record.turnId ?? "");
    this.#settle();
    return true;
  }

  /** Appends a piece of text, as `apply` does. Returns the change to draw; undefined if the piece brings nothing new. */
  grow(delta: ItemDelta): Growth | undefined {
    const { itemId, field } = delta;
    const item = this.#items.get(itemId);
    if (item === undefined || hasEnded(item)) return undefined;
    const pieces = this.#pieces.get(itemId) ?? new Map<string, number>();
    const expected = pieces.get(field) ?? 0;
    const next = (delta.to ?? delta.n) + 1;
    if (next <= expected || (delta.n < expected && delta.n > 0)) return undefined;
    pieces.set(field, next);
    this.#pieces.set(itemId, pieces);
    // The first piece replaces: after a new subscription all of the text comes again.
    const isWhole = delta.n === 0 && expected > 0;
    const text = delta.n > expected ? `…${delta.text}` : delta.text;
    if (field === "text") {
      if (!("text" in item)) return undefined;
      item.text = (isWhole ? "" : item.text) + text;
      return { itemId, field, text, isWhole };
    }
    const streamed = this.#streamed.get(itemId);
    if (streamed === undefined) return undefined;
    if (field === "output") {
      streamed.output = endOf((isWhole ? "" : streamed.output) + text);
      return { itemId, field, text, isWhole };
    }
    if (field !== "input") return undefined;
    const path = delta.path ?? "";
    if (isWhole) streamed.inputs.clear();
    streamed.inputs.set(path, (streamed.inputs.get(path) ?? "") + text);
    return { itemId, field, path, text, isWhole };
  }

  /**
   * Takes the response to `session/create`, `session/open` or `session/subscribe`. The settings hold at once; what is open and what runs is
   * taken once the events up to the response's `seq` are applied.
   */
  opened(result: SessionResult): void {
    this.cwd = result.cwd;
    this.title = result.title ?? this.title;
    this.model = result.model;
    this.permissionMode = result.permissionMode;
    this.mode = result.mode ?? this.mode;
    this.context = result.context ?? this.context;
    if (result.usage !== undefined) this.usage = { ...result.usage };
    this.costNanoUsd = result.costNanoUsd;
    this.#spentTo = result.seq;
    this.#response = result;
    this.#settle();
  }

  /**
   * Puts earlier items, which another `Session` of the same id has folded from the events before the first one here, in front of those
   * that are known. Everything else stays.
   */
  prepend(earlier: Session): void {
    const items = [...earlier.#items].filter(([id]) => !this.#items.has(id));
    this.#items = new Map([...items, ...this.#items]);
    for (const [id] of items) {
      const streamed = earlier.#streamed.get(id);
      if (streamed !== undefined) this.#streamed.set(id, streamed);
    }
    for (const id of earlier.#hidden) if (!this.#restored.has(id)) this.#hidden.add(id);
    for (const id of earlier.#restored) if (!this.#hidden.has(id)) this.#restored.add(id);
  }

  #settle(): void {
    const result = this.#response;
    if (result === undefined || this.seq < result.seq) return;
    this.#response = undefined;
    // What was applied after it is newer.
    if (this.seq > result.seq) return;
    this.state = result.state.value;
    if (result.activeTurnId !== undefined) this.turn = { id: result.activeTurnId, status: "running" };
    else if (this.turn?.status === "running") this.turn = undefined;
    this.queue = result.queue ?? [];
    this.approvals = result.approvals ?? [];
    this.questions = result.questions ?? [];
    this.plan = result.plan;
  }

  #pass(event: TransientEvent): boolean {
    switch (event.type) {
      case "item.delta":
        return this.grow(event) !== undefined;
      case "session.state":
        this.state = event.value;
        return true;
      case "session.context":
        this.context = untagged(event);
        return true;
      default:
        return true;
    }
  }

  #put(item: Item): void {
    const before = this.#items.get(item.id);
    const put = { ...item };
    if (hasEnded(put)) {
      this.#streamed.delete(put.id);
      this.#pieces.delete(put.id);
    } else {
      if (!this.#streamed.has(put.id)) this.#streamed.set(put.id, { inputs: new Map(), output: "" });
      // An item that still streams may lag behind its deltas.
      const isBehind = before !== undefined && "text" in before && "text" in put && before.text.length > put.text.length;
      if (isBehind) put.text = before.text;
    }
    this.#items.set(put.id, put);
    this.queue = this.queue.filter((waiting) => waiting.itemId !== put.id);
  }

  #configure(event: { model: string; permissionMode: string; mode?: string }): void {
    this.model = event.model;
    this.permissionMode = event.permissionMode;
    this.mode = event.mode ?? "act";
  }

  #fold(event: Event, turn: TurnId): void {
    switch (event.type) {
      case "session.created":
        this.cwd = event.cwd;
        this.title = event.title;
        this.#configure(event);
        break;
      case "config.changed":
        this.#configure(event);
        break;
      case "session.updated":
        this.title = event.title;
        this.#spend(event.usage, event.costNanoUsd);
        break;
      case "session.moved":
        this.cwd = event.cwd;
        break;
      case "session.closed":
        this.state = "idle";
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
        this.state = "running";
        break;
      case "turn.completed":
        this.turn = { id: turn, status: event.status };
        this.state = "idle";
        this.#spend(event.usage, event.costNanoUsd);
        break;
      case "item.started":
      case "item.updated":
      case "item.completed":
        this.#put(event.item);
        break;
      case "approval.requested":
        this.approvals = [...this.approvals, untagged(event)];
        break;
      case "approval.resolved":
        this.approvals = this.approvals.filter((open) => open.approvalId !== event.approvalId);
        break;
      case "question.requested":
        this.questions = [...this.questions, untagged(event)];
        break;
      case "question.resolved":
        this.questions = this.questions.filter((open) => open.questionId !== event.questionId);
        break;
      case "plan.updated":
        this.plan = event.items.length > 0 ? untagged(event) : undefined;
        break;
      case "history.rewound":
        for (const id of event.dropped ?? []) {
          this.#hidden.add(id);
          this.#restored.delete(id);
        }
        for (const id of event.restored ?? []) {
          this.#hidden.delete(id);
          this.#restored.add(id);
        }
        break;
      default:
        break;
    }
  }

  #spend(usage?: Usage, cost?: number): void {
    if (this.seq <= this.#spentTo) return;
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
