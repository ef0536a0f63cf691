// Kills the engine in the middle of a turn, starts another, and goes on with the session from the last event that was seen.
// usage: node resume-after-kill.mjs PINTLE [ARGS of serve ...]   (in the folder to work in)
import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
let engine, messages, ids = 0, seen = 0;
const send = (message) => engine.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

function start() {
  engine = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  messages = read(engine.stdout.setEncoding("utf8"));
  return ask("initialize", { protocol: { name: "pintle", versions: ["2.0"] }, capabilities: { approvals: {} } });
}

// Lines end at LF alone: node:readline would also split inside texts that hold U+2028.
async function* read(stream) {
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}
async function until(fits) {
  for (;;) {
    const { value: message, done } = await messages.next();
    if (done) throw new Error("the engine is gone");
    // Durable events are numbered without gaps; the last number is all that a client has to remember.
    seen = message.params?.seq ?? seen;
    if (fits(message)) return message;
  }
}
async function ask(method, params = {}) {
  send({ id: ++ids, method, params });
  const id = ids;
  const { result, error } = await until((message) => message.id === id && message.method === undefined);
  if (error) throw new Error(error.message);
  return result;
}
const event = (type) => until(({ params }) => params?.event?.type === type);

await start();
const { sessionId } = await ask("session/create", {});
await ask("turn/start", { input: [{ type: "text", text: "Run the tests." }] });
const { id } = await until(({ method }) => method === "approval/request");
send({ id, result: { optionId: "allow" } });
await until(({ params }) => params?.event?.item?.status === "running");
const known = seen;
engine.kill("SIGKILL");
await new Promise((resolve) => engine.on("exit", resolve));
console.log(`killed after event ${known}`);

await start();
await ask("session/open", { sessionId, fromSeq: known });
const cut = await event("item.completed");
console.log(`event ${cut.params.seq}: ${cut.params.event.item.title} was ${cut.params.event.item.status}`);
const ended = await event("turn.completed");
console.log(`event ${ended.params.seq}: the turn is ${ended.params.event.status}: ${ended.params.event.error?.code}`);
engine.stdin.end();
