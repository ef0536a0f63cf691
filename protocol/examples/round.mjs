// A whole round by hand: prompt, stream, approve, steer, diff, stop, resume.
// usage: node round.mjs PINTLE [ARGS of serve ...]   (in the folder to work in)
import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const engine = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
let ids = 0;
const send = (message) => engine.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
function ask(method, params = {}) {
  send({ id: ++ids, method, params });
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
const input = (text) => ({ input: [{ type: "text", text }] });

/** Reads events to the end of the turn, and steers, approves and stops on the way. */
async function follow({ steer, stop }) {
  for (;;) {
    const { id, method, params } = await next();
    const event = params?.event;
    if (method === "approval/request") {
      console.log(`asked> ${params.title}: ${params.reason}`);
      if (steer) ask("turn/steer", input(steer));
      send({ id, result: { optionId: "allow" } });
    } else if (event?.type === "item.delta" && ["text", "output"].includes(event.field)) {
      console.log(`${event.field}> ${event.text}`);
      if (stop && event.field === "output") ask("turn/interrupt");
    } else if (event?.type === "item.completed") {
      if (event.item.type === "userMessage") console.log(`read> ${event.item.content[0].text}`);
      for (const { path, added, removed, diff } of event.item.output?.details?.changes ?? [])
        console.log(`diff> ${path.split("/").pop()} +${added} -${removed}\n${diff}`);
    } else if (event?.type === "turn.completed") return console.log(`turn> ${event.status}`);
  }
}

const hello = { protocol: { name: "pintle", versions: ["2.0"] }, capabilities: { approvals: {} } };
console.log("engine>", (await answerTo(ask("initialize", hello))).engine.name);
const { sessionId } = await answerTo(ask("session/create"));
ask("turn/start", input("fix the greeting"));
await follow({ steer: "be brief" });
ask("turn/start", input("now something long"));
await follow({ stop: true });
await answerTo(ask("session/close"));
const opened = await answerTo(ask("session/open", { sessionId, fromSeq: 0 }));
console.log(`resumed> ${opened.state.value}, ${opened.queue.length} waiting`);
engine.stdin.end();
