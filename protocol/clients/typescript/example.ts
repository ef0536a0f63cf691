// A whole round with the typed client: prompt, stream, approve, steer, diff, stop, resume.
// usage: node example.js PINTLE [ARGS of serve ...]   (in the folder to work in)
import { Client, type Input, type Item, type Session } from "./pintle.js";

const [program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error("usage: example.js PINTLE [ARGS of serve ...]");
const engine = Client.spawn([program, ...args]);
const steers = ["be brief"];
const text = (words: string): Input[] => [{ type: "text", text: words }];

engine.on("approval/request", async (asked) => {
  console.log(`asked> ${asked.title}: ${asked.reason}`);
  const steer = steers.pop();
  if (steer !== undefined) await engine.request("turn/steer", { input: text(steer) });
  return { optionId: "allow" };
});

function show(item: Item): void {
  const [first] = item.type === "userMessage" ? item.content : [];
  if (first?.type === "text") console.log(`read> ${first.text}`);
  if (item.type !== "toolCall") return;
  for (const { path, added, removed, diff } of item.output?.details?.changes ?? []) {
    console.log(`diff> ${path.split("/").pop()} +${added} -${removed}\n${diff}`);
  }
}

/** Reads events to the end of the turn. */
async function follow(session: Session, stop = false): Promise<void> {
  for await (const record of engine.records()) {
    session.apply(record);
    const { event } = record;
    if (event.type === "item.delta" && (event.field === "text" || event.field === "output")) {
      console.log(`${event.field}> ${event.text}`);
      if (stop && event.field === "output") await engine.request("turn/interrupt", {});
    } else if (event.type === "item.completed") {
      show(event.item);
    } else if (event.type === "turn.completed") {
      console.log(`turn> ${event.status}`);
      return;
    }
  }
}

const { engine: peer } = await engine.initialize("example", "1.0", { approvals: {} });
console.log(`engine> ${peer.name}`);
const session = await engine.create();
await engine.request("turn/start", { input: text("fix the greeting") });
await follow(session);
await engine.request("turn/start", { input: text("now something long") });
await follow(session, true);
await engine.request("session/close", {});
const opened = await engine.request("session/open", { sessionId: session.id, fromSeq: session.seq });
console.log(`resumed> ${opened.state.value}, ${opened.queue?.length ?? 0} waiting`);
await engine.close();
