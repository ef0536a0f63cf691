// Gives the model a tool of this client's: it looks words up in a glossary that only the client knows.
// usage: node client-tools.mjs PINTLE [ARGS of serve ...]   (in the folder to work in)
import { spawn } from "node:child_process";

const GLOSSARY = { pintle: "the pin that a rudder turns on", gudgeon: "the socket that a pintle sits in" };

const [program, ...args] = process.argv.slice(2);
const engine = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
let ids = 0;
const send = (message) => engine.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

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
    if (message.method === "tool/call") send({ id: message.id, result: look(message.params) });
    if (fits(message)) return message;
  }
}
async function ask(method, params = {}) {
  const id = ++ids;
  send({ id, method, params });
  return (await until((message) => message.id === id && "result" in message)).result;
}

/** The result of `tool/call`. */
function look({ arguments: { word } }) {
  const meaning = GLOSSARY[word];
  console.log(`asked for> ${word}`);
  return { content: [{ type: "text", text: meaning ?? `no entry for ${word}` }], failed: meaning === undefined };
}

await ask("initialize", { protocol: { name: "pintle", versions: ["2.0"] } });
await ask("session/create", { config: { permissionMode: "full" } });
await ask("tool/register", {
  name: "glossary",
  description: "Looks a word up in the glossary of this project.",
  parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
});
await ask("turn/start", { input: [{ type: "text", text: "What is a pintle?" }] });
const over = ({ params }) => params?.event?.type === "turn.completed";
const isResult = ({ params }) => params?.event?.type === "item.completed" && params.event.item.type === "toolCall";
for (let message; !over((message = await until((message) => isResult(message) || over(message)))); ) {
  const { status, output } = message.params.event.item;
  console.log(`${status}> ${output.content[0].text}`);
}
engine.stdin.end();
