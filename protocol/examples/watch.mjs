// Watches two sessions over one connection: a line for each thing that happens, with the session's title before it.
// usage: node watch.mjs PINTLE [ARGS of serve ...]   (in the folder to work in)
import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const engine = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
let ids = 0;
function ask(method, params = {}) {
  engine.stdin.write(JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params }) + "\n");
  return ids;
}

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
const next = async () => (await messages.next()).value;
async function answerTo(id) {
  for (let message; ; ) if ((message = await next()).id === id && "result" in message) return message.result;
}

/** What to say of an event, if anything. */
function line(event) {
  const { type, item } = event;
  if (type === "turn.started") return `works with ${event.model}`;
  if (type === "item.completed" && item.type === "toolCall") return `${item.title}: ${item.status}`;
  if (type === "item.completed" && item.type === "agentMessage") return `says: ${item.text}`;
  if (type === "turn.completed") return `${event.status} after ${event.steps} steps`;
}

await answerTo(ask("initialize", { protocol: { name: "pintle", versions: ["2.0"] } }));
const titles = new Map();
for (const title of ["first", "second"]) titles.set((await answerTo(ask("session/create", { title }))).sessionId, title);
// The second begins when the first is done; a client that wants both at once does not wait.
const waiting = [...titles.keys()];
const start = (sessionId) => ask("turn/start", { sessionId, input: [{ type: "text", text: "Look around." }] });
start(waiting.shift());
for (let running = titles.size; running > 0; ) {
  const { method, params } = await next();
  if (method !== "session/event") continue;
  const said = line(params.event);
  if (said) console.log(`${titles.get(params.sessionId)}> ${said}`);
  if (params.event.type !== "turn.completed") continue;
  running -= 1;
  if (waiting.length > 0) start(waiting.shift());
}
engine.stdin.end();
