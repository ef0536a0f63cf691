// Tests of the client over streams in memory. Run with `node --test pintle.test.ts` (Node 22.18 or later), or compiled.
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  type AnyRecord,
  Client,
  Disconnected,
  ErrorCode,
  type Item,
  MOST_IN_FLIGHT,
  MOST_WAITING,
  RequestFailed,
  Session,
  type SessionResult,
} from "./pintle.ts";

type Line = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown; error?: { code: number } };

/** A client, and the engine's end of its streams. */
class Rig {
  readonly output = new PassThrough();
  readonly input: PassThrough;
  readonly client: Client;
  readonly seen: string[] = [];

  constructor(input = new PassThrough()) {
    this.input = input;
    this.client = new Client(this.output, input);
    this.client.onSkipped((line) => this.seen.push(`skipped ${line}`));
    this.client.onNotification("auth/openUrl", ({ url }) => this.seen.push(`page ${url}`));
    void this.client.closed.then(() => this.seen.push("closed"));
  }

  /** Sends lines to the client, and waits until it has read them. */
  async say(...messages: object[]): Promise<void> {
    this.output.write(messages.map((each) => `${JSON.stringify(each)}\n`).join(""));
    await turn();
  }

  /** The lines that the client has sent since the last call. */
  sent(): Line[] {
    const text = (this.input.read() as Buffer | null)?.toString("utf8") ?? "";
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Line);
  }

  /** Answers requests for pages of a journal with so many events. Returns the numbers that were asked for. */
  async journal(length: number, sessionId = "s"): Promise<number[]> {
    const asked: number[] = [];
    for (const { id, method, params } of this.sent()) {
      assert.equal(method, "session/events");
      assert.equal(params?.["sessionId"], sessionId);
      const [after, limit] = [params["after"] as number, params["limit"] as number];
      asked.push(after);
      const events = Array.from({ length: Math.min(limit, length - after) }, (_, at) => event(after + at + 1, sessionId));
      await this.say({ id, result: { events, lastSeq: length, more: after + events.length < length } });
    }
    return asked;
  }
}

function event(seq: number, sessionId = "s"): AnyRecord {
  return { sessionId, seq, tsMs: 1, event: { type: "turn.started", model: "m" } } as AnyRecord;
}

const sends = (params: AnyRecord): object => ({ method: "session/event", params });
const seqOf = (record: AnyRecord | void): number => (record !== undefined && "seq" in record ? record.seq : -1);

async function rest(client: Client): Promise<AnyRecord[]> {
  const all: AnyRecord[] = [];
  for await (const record of client.records()) all.push(record);
  return all;
}

test("messages are cut at LF only, wherever the bytes are cut", async () => {
  const { client, output, seen } = new Rig();
  const line = `{"method":"session/event","params":{"text":"a\u2028b 汉字 🦀\\r"}}\r\n\n`;
  for (const byte of Buffer.from(line + line)) output.write(Buffer.from([byte]));
  output.write('{"method":"session/unheard","params":{}}\n{"id":77,"result":1}\n');
  output.write('{"method":"auth/openUrl","params":{"url":"https://a.test/"}}\n');
  output.end();
  const records = (await rest(client)).map((record) => JSON.stringify(record));
  assert.deepEqual(records, ['{"text":"a\u2028b 汉字 🦀\\r"}', '{"text":"a\u2028b 汉字 🦀\\r"}']);
  assert.deepEqual(seen, [
    'skipped {"method":"session/unheard","params":{}}',
    'skipped {"id":77,"result":1}',
    "page https://a.test/",
    "closed",
  ]);
});

test("lines that are no messages are skipped", async () => {
  const { client, output, seen } = new Rig();
  output.end('WARN a log line\n[1]\n"text"\n{"half": \n{"id":1}\n{"method":"session/event","params":{"sessionId":"s"}}\n');
  assert.equal((await rest(client)).length, 1);
  assert.equal(seen.filter((each) => each.startsWith("skipped")).length, 5);
});

test("no more requests are under way than the engine takes, and their order stays", async () => {
  const rig = new Rig();
  const ids = (): number[] => rig.sent().map(({ id = 0 }) => id);
  const all = Array.from({ length: 2 * MOST_IN_FLIGHT + 1 }, () => rig.client.request("ping", {}));
  const first = ids();
  assert.equal(first.length, MOST_IN_FLIGHT);
  const sent = [...first];
  for (const id of first) {
    await rig.say({ id, result: {} });
    sent.push(...ids());
  }
  assert.equal(sent.length, 2 * MOST_IN_FLIGHT);
  assert.deepEqual(
    sent,
    [...sent].sort((a, b) => a - b),
  );
  const settled = Promise.allSettled(all);
  rig.client.disconnect();
  const failed = (await settled).filter((each) => each.status === "rejected");
  assert.equal(failed.length, MOST_IN_FLIGHT + 1, "what was not sent is answered as well");
  await assert.rejects(rig.client.request("ping", {}), /the engine is gone/);
});

test("an engine that takes fewer requests is sent fewer", async () => {
  const rig = new Rig();
  const opened = rig.client.initialize("test", "1.0", {}, "test-1");
  const [sent] = rig.sent();
  assert.deepEqual(sent?.params?.["client"], { name: "test", version: "1.0", id: "test-1" });
  await rig.say({ id: 1, result: { limits: { maxInFlight: 2 } } });
  await opened;
  for (let count = 0; count < 5; count++) rig.client.request("ping", {}).catch(() => undefined);
  assert.equal(rig.sent().length, 2);
  rig.client.disconnect();
});

test("requests and answers wait while the engine does not read", async () => {
  const rig = new Rig(new PassThrough({ highWaterMark: 100 }));
  rig.client.on("approval/request", () => Promise.resolve({ optionId: "allow" }));
  for (let count = 0; count < 100; count++) rig.client.request("ping", {}).catch(() => undefined);
  await rig.say({ id: "a", method: "approval/request", params: {} });
  assert.ok(rig.input.writableLength + rig.input.readableLength < 1000, "most is still here");
  const sent: Line[] = [];
  for (let more = rig.sent(); more.length > 0; more = rig.sent()) {
    sent.push(...more);
    await turn();
  }
  assert.equal(sent.length, 101);
  const pings = sent.flatMap(({ id, method }) => (method === "ping" ? [id] : []));
  assert.deepEqual(
    pings,
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  rig.client.disconnect();
});

test("a cancelled request is dropped before it is sent, and cancelled after", async () => {
  const rig = new Rig();
  const [early, late, over] = [new AbortController(), new AbortController(), new AbortController()];
  const running = rig.client.request("auth/login", { provider: "p" }, late.signal);
  const answered = rig.client.request("ping", {}, over.signal);
  for (let count = 2; count < MOST_IN_FLIGHT; count++) rig.client.request("ping", {}).catch(() => undefined);
  const waiting = rig.client.request("ping", {}, early.signal);
  assert.equal(rig.sent().length, MOST_IN_FLIGHT);
  early.abort();
  const isCancelled = (error: unknown): boolean => error instanceof RequestFailed && error.code === ErrorCode.cancelled;
  await assert.rejects(waiting, isCancelled);
  await assert.rejects(rig.client.request("ping", {}, early.signal), isCancelled);
  await rig.say({ id: 2, result: {} });
  await answered;
  over.abort();
  assert.deepEqual(rig.sent(), [], "nothing is to be cancelled");
  late.abort();
  assert.deepEqual(
    rig.sent().map(({ method, params }) => [method, params]),
    [["$/cancelRequest", { id: 1 }]],
  );
  const stopped = assert.rejects(running, isCancelled);
  await rig.say({ id: 1, error: { code: ErrorCode.cancelled, message: "cancelled", data: { code: "cancelled" } } });
  await stopped;
  rig.client.disconnect();
});

test("a failed request carries the engine's words", async () => {
  const rig = new Rig();
  const asked = rig.client.request("ping", {});
  const data = { code: "invalidParams", hint: "say more" };
  const failed = assert.rejects(asked, (error) => {
    assert.ok(error instanceof RequestFailed);
    assert.equal(error.message, "ping: the input is odd\n  say more");
    assert.deepEqual([error.method, error.reason, error.data], ["ping", "the input is odd", data]);
    return true;
  });
  await rig.say({ id: 1, error: { code: ErrorCode.invalidParams, message: "the input is odd", data } });
  await failed;
});

test("a request of the engine is answered once; one that was withdrawn, or came from an engine that is gone, not at all", async () => {
  const rig = new Rig();
  const open: { answer: (optionId: string) => void; signal: AbortSignal }[] = [];
  rig.client.on("approval/request", (_params, signal) => {
    return new Promise((resolve) => open.push({ answer: (optionId) => resolve({ optionId }), signal }));
  });
  rig.client.on("question/request", () => Promise.reject(new Error("no")));
  const asks = (id: string, method = "approval/request"): object => ({ id, method, params: {} });
  await rig.say(asks("a"), asks("b"), asks("c"), asks("d", "question/request"), asks("e", "hook/run"));
  const words = rig.sent().map(({ id, error }) => [id, error?.code]);
  assert.deepEqual(words, [
    ["e", ErrorCode.methodNotFound],
    ["d", ErrorCode.internal],
  ]);
  open[0]?.answer("allow");
  open[0]?.answer("deny");
  await rig.say({ method: "$/cancelRequest", params: { id: "b" } });
  assert.equal(open[1]?.signal.aborted, true);
  open[1]?.answer("allow");
  await turn();
  assert.deepEqual(
    rig.sent().map(({ id, result }) => [id, result]),
    [["a", { optionId: "allow" }]],
  );
  rig.output.end();
  await rig.client.closed;
  assert.equal(open[2]?.signal.aborted, true);
  assert.equal(open[0]?.signal.aborted, false);
});

test("a stream that breaks ends the connection", async () => {
  const { client, output } = new Rig();
  const asked = client.request("ping", {});
  output.destroy(new Error("broken"));
  await assert.rejects(asked, Disconnected);
  assert.deepEqual(await rest(client), []);
  assert.ok(client.isClosed);
});

test("any iterable of chunks is an output", async () => {
  async function* chunks(): AsyncGenerator<string> {
    yield '{"method":"session/ev';
    yield 'ent","params":{"sessionId":"s","seq":1}}\n{"method":"session/event","params":{"sessionId":"s","seq":2}}\n';
  }
  const client = new Client(chunks(), new PassThrough());
  assert.deepEqual((await rest(client)).map(seqOf), [1, 2]);
});

test("a program that cannot be started ends the connection with the reason", async () => {
  const client = Client.spawn(["/no/such/program"]);
  await assert.rejects(client.initialize("test", "1.0"), /could not be started/);
  await client.close();
});

test("a slow reader gets every durable event in order, and no more wait for it than the limit", async () => {
  const rig = new Rig();
  const length = MOST_WAITING + 2500;
  for (let seq = 1; seq <= length; seq++) {
    const delta = { sessionId: "s", after: seq, event: { type: "item.delta", itemId: "i", field: "text", n: seq, text: "x" } };
    rig.output.write(`${JSON.stringify(sends(event(seq)))}\n${JSON.stringify(sends(delta as AnyRecord))}\n`);
  }
  await rig.say();
  // Responses come through all the while.
  const asked = rig.client.request("ping", {});
  await rig.say({ id: 1, result: {} });
  await asked;
  rig.sent();
  const records = rig.client.records();
  const seqs: number[] = [];
  let [pages, deltas] = [[] as number[], 0];
  while (seqs.length < length) {
    const next = records.next();
    await turn();
    pages = [...pages, ...(await rig.journal(length))];
    const { value } = await next;
    if (seqOf(value) < 0) deltas += 1;
    else seqs.push(seqOf(value));
  }
  assert.deepEqual(
    seqs,
    Array.from({ length }, (_, at) => at + 1),
  );
  const kept = MOST_WAITING / 2;
  assert.deepEqual([deltas, pages], [kept, [kept, kept + 1000, kept + 2000, kept + 3000]]);
  await rig.say(sends(event(length + 1)));
  assert.equal(seqOf((await records.next()).value), length + 1);
});

test("while events of a session are read again, those of others go on", async () => {
  const rig = new Rig();
  const records = rig.client.records();
  await rig.say(
    sends(event(1)),
    { method: "session/eventsMissed", params: { sessionId: "s", lastSentSeq: 1, headSeq: 3 } },
    sends(event(4)),
    sends(event(1, "other")),
  );
  assert.deepEqual(seqOf((await records.next()).value), 1);
  const { value } = await records.next();
  assert.equal(value?.sessionId, "other");
  assert.deepEqual(await rig.journal(9), [1]);
  const seqs = [];
  for (let count = 0; count < 3; count++) seqs.push(seqOf((await records.next()).value));
  assert.deepEqual(seqs, [2, 3, 4]);
});

test("a session that missed too many events reads them before those that follow in the same read", async () => {
  const rig = new Rig();
  const known = new Session("s");
  known.seq = 2;
  const opening = rig.client.open(known, { subscribe: true });
  assert.deepEqual(rig.sent()[0]?.params, { subscribe: true, sessionId: "s", fromSeq: 2 });
  await rig.say({ id: 1, result: { ...RESULT, seq: 5, gap: true } }, sends(event(6)));
  assert.equal(await opening, known);
  const records = rig.client.records();
  const seqs = [];
  for (let count = 0; count < 4; count++) {
    const next = records.next();
    await turn();
    await rig.journal(6);
    const { value } = await next;
    if (value !== undefined && known.apply(value)) seqs.push(known.seq);
  }
  assert.deepEqual(seqs, [3, 4, 5, 6]);
});

test("an event that comes too early is found, and those before it are read", async () => {
  const rig = new Rig();
  const session = new Session("s");
  const records = rig.client.records();
  await rig.say(sends(event(1)), sends(event(3)), sends(event(4)));
  const seqs: number[] = [];
  while (session.seq < 4) {
    const next = records.next();
    await turn();
    await rig.journal(4);
    const { value } = await next;
    assert.ok(value !== undefined);
    if (session.isEarly(value)) rig.client.catchUp("s", session.seq, seqOf(value));
    else if (session.apply(value)) seqs.push(session.seq);
  }
  assert.deepEqual(seqs, [1, 2, 3, 4]);
});

test("events that cannot be read again do not hold up the others", async () => {
  const rig = new Rig();
  await rig.say({ method: "session/eventsMissed", params: { sessionId: "s", lastSentSeq: 0, headSeq: 3 } }, sends(event(4)));
  const next = rig.client.records().next();
  await turn();
  await rig.say({ id: rig.sent()[0]?.id, error: { code: ErrorCode.internal, message: "the disk is gone" } });
  assert.equal(seqOf((await next).value), 4);
});

// ----- the state of a session

const RESULT: SessionResult = {
  sessionId: "s",
  seq: 1,
  cwd: "/w",
  model: "m",
  permissionMode: "ask",
  state: { value: "running" },
  activeTurnId: "t1",
};

function item(more: Record<string, unknown>): Item {
  return { id: "i1", turnId: "t1", status: "running", startedMs: 1, type: "agentMessage", text: "", ...more } as Item;
}

function durable(seq: number, fields: Record<string, unknown>): AnyRecord {
  return { sessionId: "s", seq, tsMs: 1, turnId: "t1", event: fields } as unknown as AnyRecord;
}

function delta(n: number, text: string, more: Record<string, unknown> = {}): AnyRecord {
  const fields = { type: "item.delta", itemId: "i1", field: "text", n, text, ...more };
  return { sessionId: "s", after: 1, event: fields } as unknown as AnyRecord;
}

function textOf(session: Session): string {
  const found = session.item("i1");
  return found !== undefined && "text" in found ? found.text : "";
}

test("deltas grow an item; the completed one is the truth", () => {
  const session = new Session("s");
  session.apply(durable(1, { type: "item.started", item: item({}) }));
  for (const each of [delta(0, "a"), delta(1, "b", { to: 3 }), delta(2, "old"), delta(4, "c")]) session.apply(each);
  assert.equal(textOf(session), "abc");
  session.apply(delta(9, "d"));
  assert.equal(textOf(session), "abc…d", "missing pieces are shown");
  assert.equal(session.apply(delta(0, "abc and d", { to: 9 })), false);
  assert.equal(textOf(session), "abc…d", "nothing of it is new");
  session.apply(delta(0, "abc and de", { to: 10 }));
  assert.equal(textOf(session), "abc and de", "after a new subscription all of it comes again, in place of what there was");
  session.apply(durable(2, { type: "item.updated", item: item({ text: "abc" }) }));
  assert.equal(textOf(session), "abc and de", "the value of an item that streams is behind its deltas");
  session.apply(durable(3, { type: "item.completed", item: item({ status: "completed", text: "whole" }) }));
  session.apply(delta(11, "late"));
  assert.equal(textOf(session), "whole");
});

test("arguments and output of a call are there while it streams", () => {
  const session = new Session("s");
  const call = item({ type: "toolCall", status: "pending", toolName: "write", title: "write", kind: "edit" });
  session.apply(durable(1, { type: "item.started", item: call }));
  const grown = (n: number, path: string, text: string): AnyRecord => delta(n, text, { field: "input", path });
  const raw = delta(0, '{"path', { field: "args" });
  for (const each of [raw, grown(0, "/path", "a."), grown(1, "/path", "rs"), grown(2, "/content", "fn")]) session.apply(each);
  assert.deepEqual([...(session.streamed("i1")?.inputs ?? [])], [["/path", "a.rs"], ["/content", "fn"]]);
  session.apply(delta(0, "line\n".repeat(1_000_000), { field: "output" }));
  const { output = "" } = session.streamed("i1") ?? {};
  assert.ok(output.length <= 128 * 1024 + 2 && output.startsWith("…\nline\n"), "its end");
  session.apply(durable(2, { type: "item.completed", item: { ...call, status: "completed" } }));
  assert.equal(session.streamed("i1"), undefined);
});

test("an event is applied once; an unknown one changes nothing but the number", () => {
  const session = new Session("s");
  assert.equal(session.isEarly(durable(2, { type: "session.notice" })), true);
  assert.equal(session.apply(durable(1, { type: "future.event" })), true);
  assert.equal(session.apply(durable(1, { type: "future.event" })), false);
  assert.equal(session.apply({ ...durable(2, { type: "session.notice" }), sessionId: "other" }), false);
  assert.equal(session.seq, 1);
  assert.equal(session.isEarly(durable(2, { type: "session.notice" })), false);
  session.apply({ sessionId: "s", after: 1, event: { type: "session.state", value: "dreaming" } } as unknown as AnyRecord);
  assert.equal(session.state, "dreaming");
});

test("a message waits in the queue until the model reads it or it is removed", () => {
  const session = new Session("s");
  const input = (id: string): object => ({ itemId: id, turnId: "t1", delivery: "steer", content: [{ type: "text", text: id }] });
  session.apply(durable(1, { type: "input.accepted", ...input("a") }));
  session.apply(durable(2, { type: "input.accepted", ...input("b") }));
  const read = { ...item({ id: "a", type: "userMessage", status: "completed" }), content: [] };
  session.apply(durable(3, { type: "item.completed", item: read }));
  assert.deepEqual(
    session.queue.map((each) => each.itemId),
    ["b"],
  );
  session.apply(durable(4, { type: "input.removed", inputs: [input("b")] }));
  assert.deepEqual(session.queue, []);
});

test("what is open is taken from the response once the events before it are applied, and what was spent is counted once", () => {
  const session = new Session("s");
  session.seq = 4;
  const usage = { inputTokens: 5, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const queue = [{ itemId: "q", turnId: "t1", delivery: "steer" as const, content: [] }];
  session.opened({ ...RESULT, seq: 5, title: "a title", queue, usage, costNanoUsd: 10 });
  assert.deepEqual([session.title, session.model, session.cwd], ["a title", "m", "/w"]);
  assert.deepEqual([session.state, session.queue], ["idle", []]);
  const end = { type: "turn.completed", status: "completed", stop: "endTurn", steps: 1, usage, costNanoUsd: 3 };
  session.apply(durable(5, end));
  assert.deepEqual([session.state, session.queue, session.turn], ["running", queue, { id: "t1", status: "running" }]);
  assert.deepEqual([session.costNanoUsd, session.usage.inputTokens], [10, 5]);
  session.apply(durable(6, end));
  assert.deepEqual([session.state, session.costNanoUsd, session.usage.inputTokens], ["idle", 13, 10]);
  session.opened({ ...RESULT, seq: 5 });
  assert.equal(session.state, "idle", "the state is newer than the response");
});

test("earlier items come before those that are known, hidden unless they were restored later", () => {
  const said = (seq: number): AnyRecord => durable(seq, { type: "item.completed", item: item({ id: `i${seq}`, status: "completed" }) });
  const [earlier, session] = [new Session("s"), new Session("s")];
  for (const each of [said(1), said(2), said(3), durable(4, { type: "history.rewound", toSeq: 1, dropped: ["i2", "i3"] })])
    earlier.apply(each);
  session.seq = 4;
  for (const each of [durable(5, { type: "history.rewound", toSeq: 2, restored: ["i2"] }), said(6)]) session.apply(each);
  session.prepend(earlier);
  assert.deepEqual(
    session.items.map(({ id }) => id),
    ["i1", "i2", "i6"],
  );
  assert.deepEqual([session.isHidden("i3"), session.item("i3")?.id], [true, "i3"]);
  const running = new Session("s");
  running.apply(durable(1, { type: "item.started", item: item({ id: "i0" }) }));
  session.prepend(running);
  session.apply(delta(0, "an item of an earlier page", { itemId: "i0" }));
  session.apply(delta(0, "its output", { itemId: "i0", field: "output" }));
  const [first] = session.items;
  assert.equal(first !== undefined && "text" in first && first.text, "an item of an earlier page");
  assert.equal(session.streamed("i0")?.output, "its output");
});
