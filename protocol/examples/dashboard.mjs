// A dashboard of all stored sessions: title, state, what waits for a person, tokens. It draws a table at each change of a state.
// usage: node dashboard.mjs PINTLE [ARGS of serve ...]   (in the folder to work in)
import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const engine = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
let ids = 0;
const send = (message) => engine.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const rows = new Map(); // sessions by id

// Lines end at LF alone: node:readline would also split inside texts that hold U+2028.
async function* read() {
  let rest = "";
  for await (const chunk of engine.stdout.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}
const messages = read();
async function until(fits) {
  for (;;) {
    const { value: message, done } = await messages.next();
    if (done) throw new Error("the engine is gone");
    if (message.method === "session/event") update(message.params);
    if (fits(message)) return message;
  }
}
async function ask(method, params = {}) {
  const id = ++ids;
  send({ id, method, params });
  return (await until((message) => message.id === id && message.method === undefined)).result;
}

/** Takes an event into its session's row. */
function update({ sessionId, event }) {
  const row = rows.get(sessionId);
  if (event.type === "turn.started") row.state = "running";
  else if (event.type === "approval.requested") row.waits = event.title;
  else if (event.type === "approval.resolved") row.waits = "";
  else if (event.type === "turn.completed") [row.state, row.tokens] = [event.status, row.tokens + event.usage.outputTokens];
}
const table = () => [...rows.values()].map((row) => `${row.title.padEnd(8)} ${row.state.padEnd(10)} ${row.waits}`.trimEnd()).join("\n");

await ask("initialize", { protocol: { name: "pintle", versions: ["2.0"] }, capabilities: { approvals: {} } });
for (const title of ["docs", "tests", "website"]) await ask("session/create", { title, subscribe: false });
for (const { sessionId, title } of (await ask("session/list")).sessions.reverse()) {
  rows.set(sessionId, { title, state: "idle", waits: "", tokens: 0 });
  await ask("session/subscribe", { sessionId });
}
const [first, second] = rows.keys();
const input = [{ type: "text", text: "Go." }];
await ask("turn/start", { sessionId: first, input });
await until(({ params }) => params?.event?.type === "turn.completed");
await ask("turn/start", { sessionId: second, input });
await until(({ method }) => method === "approval/request");
console.log(table());
engine.stdin.end();
