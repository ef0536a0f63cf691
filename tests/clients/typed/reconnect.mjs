// The TypeScript client catches up after a connection was lost, and reads what it was too slow for.
// usage: node reconnect.mjs CLIENT PINTLE [ARGS of serve ...]   (as reconnect.py)
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";

const [module, ...command] = process.argv.slice(2);
const { Client, Session } = await import(pathToFileURL(module));

/** Closing a session is an event of its own. */
function state(session) {
  const { seq: _seq, ...rest } = session.snapshot();
  return JSON.parse(JSON.stringify(rest));
}
async function connect() {
  const engine = Client.spawn(command);
  await engine.initialize("test", "1.0");
  return engine;
}

const first = await connect();
const session = await first.create();
const early = new Session(session.id);
await first.request("turn/start", { input: [{ type: "text", text: "Read." }] });
for await (const record of first.records()) {
  session.apply(record);
  if (early.seq < 20) early.apply(record);
  if (session.turn !== undefined && session.turn.status !== "running") break;
}
await first.close();
assert.ok(session.seq > 1000, String(session.seq));
for (const from of [early, session.id]) {
  const engine = await connect();
  const known = await engine.open(from);
  const missed = engine.records();
  while (known.seq < session.seq) assert.ok(known.apply((await missed.next()).value), "each event once, in order");
  assert.deepEqual(state(known), state(session));
  await engine.close();
}

// The engine's side of a slow client: events 2 and 3 were not sent, and 4 comes before they are read.
const event = (seq) => ({ sessionId: "s", seq, tsMs: 1, event: { type: "turn.started", model: "m" } });
const [toClient, toEngine] = [new PassThrough(), new PassThrough()];
const say = (message) => toClient.write(`${JSON.stringify(message)}\n`);
const asked = [];
toEngine.setEncoding("utf8").on("data", (text) => {
  for (const line of text.split("\n").filter(Boolean)) {
    const { id, params } = JSON.parse(line);
    asked.push(params.after);
    const events = params.after === 1 ? [event(2)] : [event(3), event(4)];
    say({ id, result: { events, lastSeq: 4, more: params.after === 1 } });
    if (params.after === 2) toClient.end();
  }
});
const client = new Client(toClient, toEngine);
say({ method: "session/event", params: event(1) });
say({ method: "session/eventsMissed", params: { sessionId: "s", lastSentSeq: 1, headSeq: 3 } });
// A text with a line separator of Unicode is one line.
say({ method: "session/event", params: { ...event(4), event: { type: "turn.started", model: "\u2028" } } });
const seqs = [];
for await (const record of client.records()) seqs.push(record.seq);
assert.deepEqual([seqs, asked], [[1, 2, 3, 4], [1, 2]]);
console.log("TypeScript: caught up with", session.seq, "events");
