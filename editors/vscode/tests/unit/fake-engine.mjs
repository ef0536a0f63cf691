// An engine for tests: answers from FAKE_ENGINE, a JSON object that says how it misbehaves.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";

const [command, ...rest] = process.argv.slice(1);
const args = [basename(command), ...rest];
const plan = JSON.parse(process.env.FAKE_ENGINE ?? "{}");
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const count = plan.folder
  ? Number(existsSync(`${plan.folder}/starts`) && readFileSync(`${plan.folder}/starts`))
  : 0;
if (plan.folder) writeFileSync(`${plan.folder}/starts`, String(count + 1));
if (plan.folder) writeFileSync(`${plan.folder}/key`, process.env.MINE_KEY ?? "");
if (plan.folder) appendFileSync(`${plan.folder}/argv`, `${args.join(" ")}\n`);
if (plan.exitAtOnce) {
  process.stderr.write(`${plan.words ?? "no such option: serve"}\n`);
  process.exit(2);
}
if (plan.noise) process.stdout.write(`WARN a log line went astray\n[1]\n"text"\n{"half": \n`);

const event = (seq, type, more = {}) => ({
  sessionId: "s1",
  seq,
  tsMs: 1,
  turnId: "t1",
  event: { type, ...more },
});
const message = (seq) =>
  event(seq, "item.completed", {
    item: {
      id: `i${seq}`,
      turnId: "t1",
      status: "completed",
      startedMs: 1,
      type: "agentMessage",
      text: `text ${seq}`,
    },
  });
/** Sessions that were created. */
let created = 0;
const all = [event(1, "session.created", { cwd: "/", model: "m", permissionMode: "ask" })];
for (let seq = 2; seq <= (plan.events ?? 5); seq++) all.push(message(seq));
const result = {
  sessionId: "s1",
  seq: all.length,
  cwd: "/",
  model: "m",
  permissionMode: "ask",
  state: { value: plan.state ?? "idle" },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params, result: answer } = JSON.parse(line);
    if (plan.folder) appendFileSync(`${plan.folder}/log`, `${line}\n`);
    if (method === "initialize") {
      if (plan.supported) {
        const data = { code: "unsupportedProtocol", supported: plan.supported };
        send({ id, error: { code: -32022, message: "no shared version", data } });
      } else {
        const protocol = { name: "pintle", version: plan.version ?? "2.0" };
        send({
          id,
          result: {
            protocol,
            engine: { name: "pintle", version: "9" },
            capabilities: plan.documents ? { documents: {} } : {},
            limits: { maxMessageBytes: plan.most ?? 1_000_000, maxInFlight: 64 },
          },
        });
      }
    } else if (method === "session/open") {
      if (plan.conflicts && !existsSync(`${plan.folder}/free`)) {
        writeFileSync(`${plan.folder}/free`, "");
        send({ id, error: { code: -32041, message: "open elsewhere", data: { code: "openElsewhere" } } });
        return;
      }
      if (plan.isHeld && !existsSync(`${plan.folder}/released`)) {
        send({ id, error: { code: -32041, message: "open elsewhere", data: { code: "openElsewhere" } } });
        return;
      }
      if (plan.isHeldByShared && !args.includes("attach")) {
        const data = { code: "openElsewhere", sharedEngine: true };
        send({ id, error: { code: -32041, message: "open elsewhere", data } });
        return;
      }
      const isFirst = count === 0;
      if (plan.gap) {
        send({ id, result: { ...result, gap: true } });
        send({ method: "session/event", params: message(all.length + 1) });
        return;
      }
      send({ id, result: isFirst && plan.crashAfter ? { ...result, seq: plan.crashAfter } : result });
      if (isFirst && plan.crashAfter) {
        process.stdout.write(`{"jsonrpc":"2.0","method":"session/ev`, () =>
          process.kill(process.pid, "SIGKILL"),
        );
        return;
      }
      for (const each of all)
        if (each.seq > (params.fromSeq ?? all.length)) send({ method: "session/event", params: each });
      if (plan.state) {
        const event = { type: "session.state", value: plan.state };
        send({ method: "session/event", params: { sessionId: "s1", after: all.length, event } });
      }
      if (plan.lag) {
        send({
          method: "session/eventsMissed",
          params: { sessionId: "s1", lastSentSeq: all.length, headSeq: all.length + 3 },
        });
        for (let seq = 1; seq <= 3; seq++) all.push(message(all.length + 1));
        send({ method: "session/event", params: message(all.length + 1) });
      }
      if (plan.asks)
        send({ id: "s1", method: "approval/request", params: { approvalId: "a1", title: "bash: rm" } });
      if (plan.withdraws) send({ method: "$/cancelRequest", params: { id: "s1" } });
    } else if (method === "session/events") {
      const crashes = count === 0 && plan.crashAfter;
      const limit = Math.min(params.limit, plan.page ?? 1000);
      const known = crashes ? all.slice(0, plan.crashAfter) : all;
      if (params.before !== undefined) {
        const events = known.filter((each) => each.seq < params.before).slice(-limit);
        send({ id, result: { events, lastSeq: known.length, more: (events[0]?.seq ?? 1) > 1 } });
        return;
      }
      const events = known.filter((each) => each.seq > params.after).slice(0, limit);
      send({
        id,
        result: { events, lastSeq: all.length, more: (events.at(-1)?.seq ?? all.length) < all.length },
      });
    } else if (method?.startsWith("document/")) {
      if (plan.forgets === method && !existsSync(`${plan.folder}/forgot`)) {
        writeFileSync(`${plan.folder}/forgot`, "");
        send({ id, error: { code: -32041, message: "it is not open", data: { code: "conflict" } } });
      } else if (plan.refuses === method) {
        send({ id, error: { code: -32047, message: "too much text", data: { code: "limitExceeded" } } });
      } else send({ id, result: {} });
    } else if (method === "ping") {
      // Then it asks what the test wants it to ask.
      for (const [at, edit] of (plan.edits ?? []).entries())
        send({ id: `e${at}`, method: "workspace/applyEdit", params: edit });
      send({ id, result: {} });
    } else if (method === "review/list") {
      // Asking looks at the files: what is typed meanwhile is told as somebody else's.
      all.push(event(all.length + 1, "files.changed", { changes: [], by: { type: "other" } }));
      send({ method: "session/event", params: all.at(-1) });
      send({ id, result: { hunks: plan.hunks ?? [], seq: all.length } });
    } else if (method === "review/baseline") {
      send({ id, result: { exists: true, text: plan.baseline ?? "" } });
    } else if (method === "session/create") {
      created += 1;
      const sessionId = `s${created}`;
      send({ id, result: { ...result, sessionId, seq: 1 } });
      send({ method: "session/event", params: { ...all[0], sessionId } });
    } else if (method === "turn/start") {
      const error = {
        code: -32602,
        message: "the input is odd",
        data: { code: "invalidParams", hint: "say more" },
      };
      send({ id, error });
    } else if (method === "session/close" || method === "session/unsubscribe") {
      send({ id, result: {} });
    } else if (method === "shutdown") {
      if (!plan.ignoresShutdown) send({ id, result: {} });
    } else if (method === "exit") {
      process.exit(0);
    } else if (method === undefined && answer) {
      send({
        method: "session/event",
        params: {
          sessionId: "s1",
          after: all.length,
          event: { type: "session.notice", level: "info", code: "answered", message: JSON.stringify(answer) },
        },
      });
    }
  })
  .on("close", () => (plan.ignoresEnd ? setInterval(() => undefined, 1000) : process.exit(0)));
// Otherwise Node would start what it takes for the script.
await new Promise(() => undefined);
