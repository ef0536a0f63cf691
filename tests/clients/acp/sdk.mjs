// Drives `pintle acp` with the client of the protocol's own SDK: a session, a permission, files, a question, cancelling, loading again.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const require = createRequire(join(process.env.CLIENTS, "x.js"));
const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));

const replies = [
  { blocks: [{ reasoning: "I look first" }, { tool: "read", arguments: { path: "a.txt" } }] },
  { blocks: [{ tool: "edit", arguments: { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] } }] },
  { blocks: [{ tool: "bash", arguments: { command: "tee < a.txt" } }] },
  { blocks: [{ tool: "ask_user", arguments: { question: "Which?", options: ["red", "blue"] } }] },
  { blocks: [{ text: "all done" }] },
  { blocks: [{ text: "and then" }], hang: true },
];
const home = realpathSync(mkdtempSync(join(tmpdir(), "pintle-sdk-")));
const script = join(home, "script.json");
writeFileSync(script, JSON.stringify({ replies }));
writeFileSync(join(home, "a.txt"), "one\n");

const log = [];
const terminals = new Map();
let chunks = "";
let reached;

async function connected(work) {
  const program = spawn(process.env.PINTLE_BIN, ["acp", "--script", script], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, PINTLE_HOME: join(home, "data") },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const stream = acp.ndJsonStream(Writable.toWeb(program.stdin), Readable.toWeb(program.stdout));
  await acp
    .client({ name: "sdk-test" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      const update = params.update;
      log.push(update.sessionUpdate);
      if (update.sessionUpdate === "agent_message_chunk") {
        chunks += update.content.text;
        if (chunks.includes("and then")) reached?.();
      }
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      const option = params.options.find((one) => one.kind === "allow_once");
      log.push(`permission ${params.toolCall.kind}`);
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    })
    .onRequest(acp.methods.client.fs.readTextFile, ({ params }) => ({ content: readFileSync(params.path, "utf8") }))
    .onRequest(acp.methods.client.fs.writeTextFile, ({ params }) => {
      log.push("write");
      writeFileSync(params.path, params.content);
      return {};
    })
    .onRequest(acp.methods.client.terminal.create, ({ params }) => {
      const env = Object.fromEntries(params.env.map(({ name, value }) => [name, value]));
      const child = spawn(params.command, params.args, { cwd: params.cwd, env: { ...process.env, ...env } });
      const terminal = { output: "", ended: new Promise((resolve) => child.on("close", resolve)) };
      child.stdout.on("data", (data) => (terminal.output += data));
      terminals.set(`terminal ${terminals.size}`, terminal);
      return { terminalId: [...terminals.keys()].at(-1) };
    })
    .onRequest(acp.methods.client.terminal.waitForExit, async ({ params }) => ({
      exitCode: await terminals.get(params.terminalId).ended,
    }))
    .onRequest(acp.methods.client.terminal.output, ({ params }) => ({
      output: terminals.get(params.terminalId).output,
      truncated: false,
    }))
    .onRequest(acp.methods.client.terminal.release, ({ params }) => {
      log.push(`released ${params.terminalId}`);
      return {};
    })
    .onRequest(acp.methods.client.elicitation.create, () => {
      log.push("form");
      return { action: "accept", content: { choice: "2" } };
    })
    .connectWith(stream, work);
  program.stdin.end();
  const code = await new Promise((resolve) => program.on("exit", resolve));
  assert.equal(code, 0);
}

const hello = {
  protocolVersion: acp.PROTOCOL_VERSION,
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    elicitation: { form: {} },
    session: { configOptions: { boolean: {} } },
  },
};
const { agent } = acp.methods;
let sessionId;

await connected(async (ctx) => {
  const offered = await ctx.request(agent.initialize, hello);
  assert.equal(offered.protocolVersion, 1);
  await ctx.request(agent.authenticate, { methodId: offered.authMethods[0].id });
  const made = await ctx.request(agent.session.new, { cwd: home, mcpServers: [] });
  sessionId = made.sessionId;
  assert.ok(made.configOptions.length > 2 && made.modes.availableModes.length === 5);
  const prompt = (text) => ctx.request(agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  assert.equal((await prompt("change it")).stopReason, "end_turn");
  assert.equal(readFileSync(join(home, "a.txt"), "utf8"), "two\n");
  for (const want of ["tool_call", "tool_call_update", "permission edit", "permission execute", "released terminal 0", "write", "form", "agent_thought_chunk"]) {
    assert.ok(log.includes(want), `${want} in ${log}`);
  }
  assert.match(chunks, /all done/);
  assert.equal(terminals.get("terminal 0").output, "two\n");
  const begun = new Promise((resolve) => (reached = resolve));
  const hanging = prompt("hang");
  await begun;
  await ctx.notify(agent.session.cancel, { sessionId });
  assert.equal((await hanging).stopReason, "cancelled");
  const set = await ctx.request(agent.session.setConfigOption, { sessionId, configId: "mode", value: "full" });
  assert.equal(set.configOptions[0].currentValue, "full");
});

log.length = 0;
chunks = "";
await connected(async (ctx) => {
  await ctx.request(agent.initialize, hello);
  const listed = await ctx.request(agent.session.list, { cwd: home });
  assert.equal(listed.sessions[0].sessionId, sessionId);
  await ctx.request(agent.session.load, { sessionId, cwd: home, mcpServers: [] });
  assert.ok(log.includes("user_message_chunk") && log.includes("tool_call"), `${log}`);
  assert.match(chunks, /all done/);
  await ctx.request(agent.session.close, { sessionId });
  await ctx.request(agent.session.delete, { sessionId });
  assert.deepEqual((await ctx.request(agent.session.list, { cwd: home })).sessions, []);
});
console.log("the SDK's client: fine");
