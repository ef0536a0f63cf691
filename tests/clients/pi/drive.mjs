// Pi's own `RpcClient` drives the engine through what clients do. Its first argument is the client's package, the second its generation.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { serve } from "./model.mjs";

const [folder, generation] = process.argv.slice(2);
const { RpcClient } = await import(pathToFileURL(join(folder, "dist/modes/rpc/rpc-client.js")));
const isCurrent = generation === "current";
const here = dirname(fileURLToPath(import.meta.url));
const temp = mkdtempSync(join(tmpdir(), "pintle-pi-"));
const agent = join(temp, "agent");
const cwd = join(temp, "project");
mkdirSync(agent);
mkdirSync(cwd);
const model = await serve();
const big = { id: "big", reasoning: true, contextWindow: 200000, maxTokens: 1000 };
const home = join(temp, "home");
const sharedHome = join(temp, "shared-home");
mkdirSync(sharedHome);
// An engine of one's own reads Pi's models, and one that others share those of its own folder.
for (const models of [agent, sharedHome]) {
  writeFileSync(
    join(models, "models.json"),
    JSON.stringify({ providers: { here: { baseUrl: model.url, api: "openai-completions", apiKey: "k", models: [big, { id: "small" }] } } }),
  );
}

const args = ["--permission", "full", ...(isCurrent ? [] : ["--pi-dialect", "legacy"])];
let attached = [];
const start = async (more = []) => {
  const env = { PI_CODING_AGENT_DIR: agent, PINTLE_HOME: attached.length > 0 ? sharedHome : home, PINTLE_RETRIES: "0" };
  const client = new RpcClient({ cliPath: join(here, "cli.mjs"), cwd, env, provider: "here", model: "big", args: [...args, ...attached, ...more] });
  await client.start();
  return client;
};
const until = (client, kind) =>
  new Promise((done) => {
    const stop = client.onEvent((event) => {
      if (kind(event)) {
        stop();
        done(event);
      }
    });
  });
const streams = (event) => event.type === "message_update" && event.assistantMessageEvent.type === "text_delta";
/** Who said what, system prompts aside: the legacy Pi has none. */
const roles = async (client) => (await client.getMessages()).map((message) => message.role).filter((role) => role !== "system");

const steps = {
  async "a prompt is answered"(client) {
    const events = await client.promptAndWait("hello");
    const kinds = events.map((event) => event.type);
    for (const kind of ["agent_start", "turn_start", "message_start", "message_update", "message_end", "turn_end", "agent_end"]) {
      assert.ok(kinds.includes(kind), kind);
    }
    assert.equal(await client.getLastAssistantText(), "answer to hello");
    if (!isCurrent) {
      const last = events.filter((event) => event.type === "message_update").at(-1);
      assert.equal(last.message.content[0].text, "answer to hello");
      assert.deepEqual(last.assistantMessageEvent.partial, last.message);
    }
  },
  async "a tool runs"(client) {
    const events = await client.promptAndWait("use the tool");
    const end = events.find((event) => event.type === "tool_execution_end");
    assert.equal(end.result.content[0].text, "from the tool\n");
    assert.equal(end.isError, false);
  },
  async "the state is told"(client) {
    const state = await client.getState();
    assert.equal(state.model.id, "big");
    assert.equal(state.isStreaming, false);
    assert.equal(state.pendingMessageCount, 0);
    assert.ok(existsSync(state.sessionFile));
    assert.equal(state.messageCount, (await client.getMessages()).length);
  },
  async "models and levels are set"(client) {
    const models = await client.getAvailableModels();
    assert.ok(models.some((one) => one.provider === "here" && one.id === "small"));
    assert.equal((await client.setModel("here", "small")).id, "small");
    await client.setModel("here", "big");
    await assert.rejects(client.setModel("nobody", "nothing"), /Model not found/);
    await client.setThinkingLevel("low");
    assert.equal((await client.getState()).thinkingLevel, "low");
    assert.equal((await client.cycleThinkingLevel()).level, "medium");
    await client.setSteeringMode("all");
    await client.setFollowUpMode("all");
    await client.setAutoRetry(false);
    await client.setAutoCompaction(true);
    const state = await client.getState();
    assert.deepEqual([state.steeringMode, state.followUpMode, state.autoCompactionEnabled], ["all", "all", true]);
  },
  async "a message steers the run, another follows it"(client) {
    const streaming = until(client, streams);
    const idle = client.waitForIdle();
    await client.prompt("please wait here");
    await streaming;
    await client.steer("turn left");
    await client.followUp("then go home");
    assert.equal((await client.getState()).pendingMessageCount, 2);
    model.release();
    await idle;
    const said = (await client.getMessages()).filter((message) => message.role === "user");
    assert.deepEqual(said.slice(-3).map((message) => message.content[0].text), ["please wait here", "turn left", "then go home"]);
  },
  async "a run is aborted"(client) {
    const streaming = until(client, streams);
    const ended = until(client, (event) => event.type === "agent_end");
    await client.prompt("please wait again");
    await streaming;
    await client.abort();
    const messages = (await ended).messages;
    assert.equal(messages.at(-1).stopReason, "aborted");
    assert.equal((await client.getState()).isStreaming, false);
  },
  async "a person runs a command"(client) {
    const ran = await client.bash("echo by hand");
    assert.deepEqual([ran.output, ran.exitCode, ran.cancelled], ["by hand\n", 0, false]);
    const running = client.bash("sleep 100");
    await client.abortBash();
    assert.equal((await running).cancelled, true);
    await client.promptAndWait("go on");
    assert.ok(model.requests.at(-1).some((message) => JSON.stringify(message).includes("by hand")));
  },
  async "stats are counted"(client) {
    const stats = await client.getSessionStats();
    assert.ok(stats.tokens.input >= 30 && stats.toolCalls === 1, JSON.stringify(stats));
    assert.equal(stats.sessionFile, (await client.getState()).sessionFile);
  },
  async "a page is exported"(client) {
    const { path } = await client.exportHtml(join(cwd, "out.html"));
    assert.match(readFileSync(path, "utf8"), /from the tool/);
  },
  async "a session is forked, copied, left and opened again"(client) {
    const first = (await client.getState()).sessionFile;
    const said = await client.getForkMessages();
    assert.equal(said[0].text, "hello");
    const forked = await client.fork(said[1].entryId);
    assert.deepEqual([forked.text, forked.cancelled], ["use the tool", false]);
    assert.deepEqual(await roles(client), ["user", "assistant"]);
    await client.clone();
    await client.promptAndWait("elsewhere");
    assert.equal((await roles(client)).length, 4);
    await client.newSession();
    assert.deepEqual(await roles(client), []);
    await client.setSessionName("a name");
    assert.equal((await client.getState()).sessionName, "a name");
    await client.switchSession(first);
    assert.equal((await client.getState()).sessionFile, first);
    assert.ok((await roles(client)).length > 10);
  },
  async "the conversation is summed up"(client) {
    await client.promptAndWait("word ".repeat(30000));
    await client.promptAndWait("and more");
    const result = await client.compact("keep names");
    assert.ok(result.summary.length > 0 && result.tokensBefore > 0, JSON.stringify(result));
    assert.equal((await roles(client))[0], "compactionSummary");
  },
  async "there are commands"(client) {
    assert.ok(Array.isArray(await client.getCommands()));
  },
};
if (isCurrent) {
  steps["what waits is taken back"] = async (client) => {
    const streaming = until(client, streams);
    const idle = client.waitForIdle();
    assert.equal(await client.prompt("please wait once more"), "started");
    await streaming;
    assert.equal(await client.followUp("not this"), "queued");
    assert.deepEqual(await client.clearQueue(), { steering: [], followUp: ["not this"] });
    model.release();
    await idle;
  };
  steps["the prompt is told first"] = async (client) => {
    const [first] = await client.getMessages();
    assert.equal(first.role, "system");
    assert.ok(first.sections.preamble.length > 0 && first.toolsAdded.some((tool) => tool.name === "bash"), JSON.stringify(first));
  };
  steps["entries and tree are those of the file"] = async (client) => {
    const lines = readFileSync((await client.getState()).sessionFile, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
    const { entries, leafId } = await client.getEntries();
    assert.deepEqual(entries, lines.slice(1));
    assert.equal(leafId, lines.at(-1).id);
    assert.equal((await client.getTree()).tree.length, 1);
    assert.ok((await client.getAvailableThinkingLevels()).length > 1);
  };
}

let failed = 0;
const check = async (name, step) => {
  try {
    await step();
    console.log(`  ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`  FAIL  ${name}\n${error.stack}`);
    model.release();
  }
};
/** All steps with one client, which then comes back. */
const drive = async (where) => {
  const client = await start();
  try {
    for (const [name, step] of Object.entries(steps)) {
      await check(`${name}${where}`, () => step(client));
    }
    await check(`a client that comes back goes on${where}`, async () => {
      const { sessionFile } = await client.getState();
      const before = await roles(client);
      await client.stop();
      const again = await start(["--session", sessionFile]);
      assert.deepEqual(await roles(again), before, "what was said is not there any more");
      await again.stop();
    });
  } finally {
    await client.stop();
  }
};
/** Two clients on one session: each sees what the other says, in the middle of a run too. */
const together = async () => {
  const first = await start();
  let second;
  try {
    await first.promptAndWait("hello");
    const { sessionId, sessionFile } = await first.getState();
    const streaming = until(first, streams);
    await first.prompt("please wait for both");
    await streaming;
    second = await start(["--session-id", sessionId]);
    assert.equal((await second.getState()).isStreaming, true);
    const both = [first, second].map((client) => until(client, (event) => event.type === (isCurrent ? "agent_settled" : "agent_end")));
    await second.followUp("and this");
    model.release();
    await Promise.all(both);
    assert.deepEqual(await roles(first), ["user", "assistant", "user", "assistant", "user", "assistant"]);
    assert.deepEqual(await second.getMessages(), await first.getMessages());
    const lines = readFileSync(sessionFile, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
    const said = lines.filter((line) => line.message?.role === "user").map((line) => line.message.content[0].text);
    assert.deepEqual(said, ["hello", "please wait for both", "and this"]);
  } finally {
    await first.stop();
    await second?.stop();
  }
};

try {
  await drive("");
  attached = ["--attach"];
  await drive(", in a shared engine");
  await check("two clients share a session", together);
} finally {
  const address = join(sharedHome, "engine.json");
  if (existsSync(address)) process.kill(JSON.parse(readFileSync(address, "utf8")).pid);
  model.close();
  while (existsSync(address)) await new Promise((done) => setTimeout(done, 20));
  rmSync(temp, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
