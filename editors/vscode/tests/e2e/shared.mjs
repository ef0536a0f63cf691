// One engine for several: windows on the same session at once, and a client that is no editor.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { LONG, call, engineBinary, gate, say, until } from "./support.mjs";

/** A folder whose windows share an engine. */
function sharing(rig, name, script, settings = {}) {
  const all = { "pintle.shared": true, "pintle.permissionMode": "ask", ...settings };
  return rig.folder(name, { script, settings: all });
}

/** The transcript without what only one of two windows can know. */
async function told(window) {
  const text = await window.transcript();
  return text.replace(/^from another window$\n*/gm, "").replace(/\n+/g, "\n");
}

async function seeTheSame(first, second) {
  await until("both windows show the same", async () => (await told(first)) === (await told(second)));
}

const cards = (window) => window.view.locator(".approval").count();

/** A client of the shared engine that is no editor. */
class Raw {
  #next = 1;
  #answers = new Map();

  constructor(rig, folder) {
    this.seen = [];
    const env = { ...process.env, PINTLE_HOME: path.join(rig.base, "home"), HOME: rig.base };
    this.child = spawn(engineBinary, ["attach", "--script", folder.scriptFile], {
      cwd: folder.path,
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.method === undefined) this.#answers.get(message.id)?.(message);
      else this.seen.push(message);
    });
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  async ask(method, params = {}) {
    const id = this.#next++;
    const answer = new Promise((resolve) => this.#answers.set(id, resolve));
    this.send({ id, method, params });
    const { result, error } = await answer;
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
    return result;
  }

  initialize() {
    return this.ask("initialize", {
      protocol: { name: "pintle", versions: ["2.0"] },
      client: { name: "raw-client" },
      capabilities: { approvals: {} },
    });
  }

  prompt(text) {
    return this.ask("turn/start", { input: [{ type: "text", text }] });
  }

  events(type) {
    return this.seen.map((each) => each.params?.event).filter((event) => event?.type === type);
  }

  async leave() {
    const exited = new Promise((resolve) => this.child.on("exit", resolve));
    this.child.stdin.end();
    await exited;
  }
}

export async function twoWindowsShareASession(rig) {
  const script = {
    delayMs: 15,
    replies: [
      {
        blocks: [{ text: "This streams into both windows, word by word. ".repeat(8) }, gate("go").blocks[0]],
      },
      say("Finished without its window."),
      say("And the queued one."),
    ],
  };
  const folder = sharing(rig, "shared 共享", script);
  const first = await rig.window(folder);
  await first.send("From the first window");
  const second = await rig.window(folder);
  for (const window of [first, second]) {
    await window.sees("This streams into both windows");
    await window.view.locator(".approval").waitFor({ timeout: LONG });
    await window.status("1 open question").waitFor();
  }
  assert.equal(await first.view.locator(".from").count(), 0, "its own message has no label");
  await seeTheSame(first, second);
  await first.shot("70-shared-first");
  await second.shot("71-shared-second");
  await second.button("Allow").click();
  await until("the question is gone in the other window", async () => (await cards(first)) === 0);
  await first.status("working").waitFor();
  assert.equal(await first.status("open question").count(), 0);

  await second.send("A queued one from the second window", "Queue");
  const queued = first.view.locator(".queue li", { hasText: "A queued one from the second window" });
  await queued.waitFor({ timeout: LONG });
  assert.match(await queued.innerText(), /next\s*from another window/);
  await first.shot("72-shared-queued");

  // The window that began the turn goes in the middle of it.
  await first.close();
  const ways = () => folder.engines().filter((each) => each.command.includes("attach --trust"));
  await until("one way to the engine is left", () => ways().length === 1);
  assert.equal(await second.view.locator(".end").count(), 0, "the turn goes on");
  folder.write("go", "");
  await second.sees("Finished without its window.");
  await second.sees("And the queued one.");
  await second.view.locator(".end.completed").nth(1).waitFor({ timeout: LONG });

  const third = await rig.window(folder);
  await third.sees("And the queued one.");
  await seeTheSame(second, third);
  await third.shot("73-shared-reopened");
}

export async function aSharedEngineThatIsKilledTakesNobodysPlace(rig) {
  const folder = sharing(rig, "shared killed", {
    delayMs: 5,
    replies: [{ blocks: [{ text: "I begin with a long thought" }], hang: true }],
  });
  const first = await rig.window(folder);
  await first.send("Think");
  await first.sees("I begin with a long thought");
  const second = await rig.window(folder);
  await second.sees("I begin with a long thought");
  // A draft is nobody else's.
  await first.box.fill("half a sentence");
  const engine = rig.sharedEngine();
  process.kill(engine, "SIGKILL");
  for (const window of [first, second]) await window.view.locator(".end.failed").waitFor({ timeout: LONG });
  await until("another engine runs", () => ![undefined, engine].includes(rig.sharedEngine()));
  assert.equal(folder.engines().filter((each) => each.command.includes("--listen")).length, 1);
  for (const window of [first, second]) {
    await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
    assert.equal(await window.view.locator(".user").count(), 1, "the session goes on");
    await window.sees("I begin with a long thought");
  }
  await seeTheSame(first, second);
  assert.equal(await first.box.inputValue(), "half a sentence");
  await first.shot("74-shared-killed-first");
  await second.shot("75-shared-killed-second");
  await second.send("Again");
  await first.view.locator(".user", { hasText: "Again" }).waitFor({ timeout: LONG });
  await first.sees("from another window");
  await until("the reply is in both", async () => (await first.view.locator(".agent").count()) === 2);
  await seeTheSame(first, second);
  await first.shot("76-shared-goes-on");
}

export async function aSessionOfTheSharedEngineIsJoinedByAButton(rig) {
  const script = { replies: [say("Said to the raw client."), say("Said to all.")] };
  const folder = sharing(rig, "shared joined", script, { "pintle.shared": false });
  const raw = new Raw(rig, folder);
  await raw.initialize();
  const { sessionId } = await raw.ask("session/create");
  await raw.prompt("Typed in the raw client");
  await until("its turn is over", () => raw.events("turn.completed").length === 1);
  const window = await rig.window(folder);
  await window.command("Pintle: Open Session");
  await window.pick("Typed in the raw client");
  await window.sees("The session is open in the shared engine.");
  await window.sees("Said to the raw client.");
  await window.shot("77-attach-offered");
  await window.button("Attach").click();
  await until("it is joined", async () => (await window.view.locator(".banner").count()) === 0);
  await window.sees("Said to the raw client.");
  await window.sees("from raw-client");
  assert.equal(JSON.parse(folder.read(".vscode/settings.json"))["pintle.shared"], true);
  await window.shot("78-attached");
  await window.send("Typed in the window");
  await window.sees("Said to all.");
  const [, typed] = raw.events("input.accepted");
  assert.equal(typed.content[0].text, "Typed in the window");
  const { cause } = raw.seen.find((each) => each.params?.event === typed).params;
  assert.match(cause.clientId, /^pintle-vscode-[0-9a-f]{8}$/);
  assert.ok((await raw.ask("session/list")).sessions.some((each) => each.sessionId === sessionId));
  await raw.leave();
}

export async function aWindowAndAnotherClientAnswerAtOnce(rig) {
  const rounds = 6;
  const files = Array.from({ length: rounds }, (_, n) => `made-${n}`);
  const folder = sharing(rig, "shared race", {
    replies: [...files.map((file) => call("bash", { command: `touch ${file}` })), say("All decided.")],
  });
  const window = await rig.window(folder);
  const raw = new Raw(rig, folder);
  await raw.initialize();
  await raw.ask("session/create");
  await raw.prompt("Go");
  await window.command("Pintle: Open Session");
  await window.pick("Go");
  const decisions = [];
  for (const [n, file] of files.entries()) {
    const card = window.view.locator(".approval", { hasText: file });
    await card.waitFor({ timeout: LONG });
    const asked = () => raw.seen.filter((each) => each.method === "approval/request");
    await until("the raw client is asked", () => asked().length === n + 1);
    if (n === 0) await window.shot("79-race");
    const answer = { id: asked()[n].id, result: { optionId: "deny" } };
    // Every other time the window has a start; who is first is not judged, only that it counts for both.
    const click = card.getByText("Allow", { exact: true }).click({ timeout: 3000 });
    if (n % 2 === 0) raw.send(answer);
    await click.catch(() => undefined);
    if (n % 2 === 1) raw.send(answer);
    await until("it is decided", () => raw.events("approval.resolved").length === n + 1);
    await until("the card is gone", async () => (await card.count()) === 0);
    decisions.push(raw.events("approval.resolved")[n].decision);
  }
  await window.sees("All decided.");
  await until("its turn is over", () => raw.events("turn.completed").length === 1);
  await window.status("open question").waitFor({ state: "detached" });
  for (const [n, file] of files.entries()) {
    assert.equal(folder.has(file), decisions[n] === "allow", `${file}: ${decisions[n]}`);
  }
  const declined = await window.view.locator('.tool[data-status="declined"]').count();
  assert.equal(declined, decisions.filter((each) => each !== "allow").length);
  console.log(`decided: ${decisions.join(", ")}`);
  await window.shot("80-race-over");
  await raw.leave();
}
