// Drives VS Code's own chat, with no extension, against the engine. Usage: node vscode.mjs, with the variables that run.sh sets.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { Results, attempt, keepJournals, retries } from "../../../editors/vscode/tests/cases.mjs";
import {
  LONG,
  call,
  edit,
  engineBinary,
  freePort,
  gate,
  listens,
  say,
  shots,
  startBrowser,
  until,
} from "../../../editors/vscode/tests/e2e/support.mjs";
import { attach } from "./native.mjs";

const replies = [
  {
    blocks: [{ reasoning: "A greeting." }, { text: "Hello from **the engine**." }],
  },
  call("bash", { command: "curl --version | head -n 1" }),
  edit("note_of_mine.txt", ["helo", "hello"]),
  say("The note is corrected."),
  edit("note_of_mine.txt", ["second", "third"]),
  say("The second line is changed."),
  edit("note_of_mine.txt", ["world", "there"]),
  say("The world is there."),
  say("Said in place of that."),
  call("ask_user", {
    question: "Which colour shall it be?",
    options: ["red", "blue"],
  }),
  say("It is blue then."),
  say("The greeting was sent."),
  say("Said to a native client."),
  gate("steered"),
  say("Steered and done."),
  gate("reloaded"),
  say("Done while nobody looked."),
  gate("never"),
  say("Said after the stop."),
];

let base, work, engine, server, browser, page, address, native;

process.on("exit", () => {
  for (const child of [server, engine]) child?.kill("SIGKILL");
});

async function setUp() {
  base = fs.mkdtempSync(path.join(os.tmpdir(), "pintle-ahp-"));
  work = path.join(base, "work");
  const [user, home] = [path.join(base, "data/data/User"), path.join(base, "home")];
  for (const folder of [work, user, shots, path.join(home, "prompts")]) {
    fs.mkdirSync(folder, { recursive: true });
  }
  fs.writeFileSync(path.join(work, "note_of_mine.txt"), "helo world\nsecond\n");
  fs.writeFileSync(path.join(home, "prompts/greet.md"), "Greet $1 warmly.\n");
  const settings = {
    "security.workspace.trust.enabled": false,
    "workbench.startupEditor": "none",
  };
  fs.writeFileSync(path.join(user, "settings.json"), JSON.stringify(settings));
  const script = path.join(base, "script.json");
  fs.writeFileSync(script, JSON.stringify({ replies }));
  const env = {
    ...process.env,
    HOME: base,
    PINTLE_HOME: home,
    LANG: "C.UTF-8",
  };
  const [enginePort, port] = [await freePort(), await freePort()];
  const listen = ["serve", "--listen", `ws://127.0.0.1:${enginePort}`];
  const engineLog = fs.openSync(path.join(base, "engine.log"), "w");
  engine = spawn(engineBinary, [...listen, "--permission", "ask", "--script", script], {
    env,
    cwd: work,
    stdio: ["ignore", engineLog, engineLog],
  });
  const file = path.join(home, "engine.json");
  await until("the engine listens", () => fs.existsSync(file) && fs.readFileSync(file, "utf8"));
  const { token } = JSON.parse(fs.readFileSync(file, "utf8"));
  const entry = path.join(process.env.PINTLE_CODE_SERVER, "node_modules/code-server/lib/vscode/out/server-main.js");
  const log = fs.openSync(path.join(base, "server.log"), "w");
  const flags = ["--host", "127.0.0.1", "--port", `${port}`, "--without-connection-token"];
  const accept = ["--accept-server-license-terms", "--server-data-dir", path.join(base, "data")];
  const bridge = ["--agent-host-bridge-port", `${enginePort}`];
  const shown = ["--agent-host-bridge-connection-token", token];
  server = spawn(
    process.execPath,
    [entry, ...flags, ...accept, ...bridge, ...shown],
    { env, stdio: ["ignore", log, log] },
  );
  address = `http://127.0.0.1:${port}/?folder=${work}`;
  await listens("the server", address);
  browser = await startBrowser();
  const context = await browser.newContext({
    viewport: { width: 1300, height: 850 },
  });
  page = await context.newPage();
  page.setDefaultTimeout(LONG);
  native = await attach(env, work);
}

async function tearDown() {
  await browser?.close();
  native?.end();
  for (const child of [server, engine]) child?.kill();
  await until("the engine has ended", () => engine.exitCode !== null || engine.signalCode);
  fs.rmSync(base, {
    recursive: true,
    force: true,
    maxRetries: 5,
    retryDelay: 200,
  });
  base = work = engine = server = browser = page = address = native = undefined;
}

/** Keeps what the window shows and says, the logs, and the engine's journals. */
async function keep(folder) {
  if (page !== undefined) {
    await page.screenshot({ path: path.join(folder, "window.png"), timeout: 10_000 }).catch(() => undefined);
    const text = await page.evaluate(() => document.body.innerText).catch(String);
    fs.writeFileSync(path.join(folder, "window.txt"), `${text}\n`);
  }
  for (const log of ["engine.log", "server.log", "data/data/logs"]) {
    const from = path.join(base, log);
    if (fs.existsSync(from))
      fs.cpSync(from, path.join(folder, path.basename(log)), {
        recursive: true,
      });
  }
  keepJournals(path.join(base, "home"), folder, 0);
}

const shot = (name) => page.screenshot({ path: path.join(shots, `ahp-${name}.png`) });
const inChat = (text) => page.locator(".interactive-session").getByText(text, { exact: false });
const seen = (text) => inChat(text).last().waitFor({ state: "visible" });
const file = (name) => path.join(work, name);
const note = () => fs.readFileSync(file("note_of_mine.txt"), "utf8");
const isThere = (name) => until(`${name} is there`, () => fs.existsSync(file(name)));
const input = () => page.locator(".interactive-input-part .monaco-editor").last();
const allowButton = () => page.getByRole("button", { name: /^Allow/ }).first();
const allow = () => allowButton().click();
/** The pill above the prompt, which counts what nobody has decided about. */
const pill = (text) => page.locator(".interactive-session").getByText(text).last();

async function type(text) {
  await input().click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

/** Chooses the engine; the list shows it once the server has connected to it. A prompt that is sent before the pickers of
 * the new session are there finds no session: VS Code subscribes to one that it makes later, and never counts its changes. */
async function choose() {
  const entry = page.locator(".action-widget").getByText("pintle", { exact: true });
  await until("the engine can be chosen", async () => {
    await page.locator('[aria-label="Local"]').last().click();
    const isListed = await entry.waitFor({ timeout: 1000 }).then(
      () => true,
      () => false,
    );
    if (!isListed) await page.keyboard.press("Escape");
    return isListed;
  });
  await entry.click();
  // In a narrow chat only their icons are seen.
  for (const picker of ["Interactive", "Default permissions"]) {
    const label = page.locator(".interactive-session").getByText(picker, { exact: true });
    await label.waitFor({ state: "attached" });
  }
}

const steps = [
  [
    "streams a reply",
    async () => {
      await page.goto(address);
      await choose();
      await type("hello there");
      await seen("Hello from the engine.");
    },
  ],
  [
    "asks before a command and a change, and shows both",
    async () => {
      await type("correct the note");
      await allowButton().waitFor();
      await shot("command");
      await allow();
      await seen("1 file changed");
      await shot("change");
      assert.equal(note(), "helo world\nsecond\n");
      await allow();
      await seen("The note is corrected.");
      assert.equal(note(), "hello world\nsecond\n");
      await pill(/^1 File$/).waitFor();
      await shot("changed");
    },
  ],
  [
    "counts what a native client keeps and undoes",
    async () => {
      const sessionId = await native.onlySession();
      await native.ask("session/open", { sessionId });
      await native.ask("review/decide", {
        sessionId,
        action: { type: "keep", target: { type: "all" } },
      });
      await pill(/^1 File$/).waitFor({ state: "hidden" });
      await type("change the second line");
      await allow();
      await seen("The second line is changed.");
      await pill(/^1 File$/).waitFor();
      assert.equal(note(), "hello world\nthird\n");
      await native.ask("review/decide", {
        sessionId,
        action: { type: "undo", target: { type: "all" } },
      });
      await pill(/^1 File$/).waitFor({ state: "hidden" });
      assert.equal(note(), "hello world\nsecond\n");
    },
  ],
  [
    "goes back to an earlier message, and says something else there",
    async () => {
      await type("change the world");
      await allow();
      await seen("The world is there.");
      await pill(/^1 File$/).waitFor();
      assert.equal(note(), "hello there\nsecond\n");
      const request = page.locator(".interactive-item-container", { hasText: "change the world" }).first();
      await request.hover();
      await shot("checkpoint");
      await request.getByText("Restore Checkpoint").click();
      await request.getByText("Discard Edits").click();
      // Every row has the words "Checkpoint Restored"; once it has come to pass, they are no longer hidden, but drawn only
      // under the pointer. What is sent before that is taken back with the rest.
      const isRestored = page.locator(".interactive-session .checkpoint-restore-container:not(.hidden)");
      await isRestored.last().waitFor({ state: "attached" });
      await type("something else");
      await seen("Said in place of that.");
      await shot("restored");
      const sessionId = await native.onlySession();
      const { events } = await native.ask("session/events", { sessionId });
      const types = events.map((record) => record.event.type);
      assert.ok(types.includes("history.rewound"), types.join(" "));
      // In a browser, VS Code looks for the file in the browser, and leaves it as it is.
      await native.ask("review/decide", {
        sessionId,
        action: { type: "undo", target: { type: "all" } },
      });
      assert.equal(note(), "hello world\nsecond\n");
      await pill(/^1 File$/).waitFor({ state: "hidden" });
    },
  ],
  [
    "asks what the model asks",
    async () => {
      await type("choose a colour");
      await seen("Which colour shall it be?");
      await shot("question");
      await page.locator(".interactive-session").getByText("blue", { exact: true }).last().click();
      await shot("question-chosen");
      await seen("It is blue then.");
    },
  ],
  [
    "completes the prompts of the engine",
    async () => {
      await input().click();
      await page.keyboard.type("/gre");
      await page.locator(".suggest-widget").getByText("greet").first().waitFor();
      await shot("prompt");
      await page.keyboard.press("Tab");
      await page.keyboard.type("everybody");
      await page.keyboard.press("Enter");
      await seen("The greeting was sent.");
    },
  ],
  [
    "shows what a native client says",
    async () => {
      await native.ask("turn/start", {
        input: [{ type: "text", text: "from a native client" }],
      });
      await seen("from a native client");
      await seen("Said to a native client.");
      await shot("native");
    },
  ],
  [
    "steers",
    async () => {
      await type("wait for me");
      await allow();
      await isThere("at-steered");
      await type("and hurry");
      await seen("and hurry");
      await shot("steering");
      fs.writeFileSync(file("steered"), "");
      await seen("Steered and done.");
    },
  ],
  [
    "comes back in the middle of a turn",
    async () => {
      await type("go on without me");
      await allow();
      await isThere("at-reloaded");
      await page.reload();
      // The window comes back with an empty chat; the session runs on, and is in the list.
      const entry = page.locator(".agent-sessions-viewer, .monaco-list").getByText("hello there").first();
      await until("the session is listed", async () => {
        await page.locator(".chat-input-container, .interactive-input-part").last().waitFor();
        await page.keyboard.press("F1");
        await page.keyboard.type("Show Agent Sessions Sidebar");
        await page.keyboard.press("Enter");
        return entry.waitFor({ timeout: 3000 }).then(
          () => true,
          () => false,
        );
      });
      await shot("list");
      await entry.click();
      await seen("go on without me");
      await shot("in-the-middle");
      fs.writeFileSync(file("reloaded"), "");
      await seen("Done while nobody looked.");
    },
  ],
  [
    "stops",
    async () => {
      await type("never end");
      await allow();
      await isThere("at-never");
      await page.locator('[aria-label^="Cancel"], [aria-label^="Stop"]').last().click();
      await type("and now");
      await seen("Said after the stop.");
      await shot("stopped");
    },
  ],
];

const SUITE = "ahp";
/** A step that is not over by then hangs: all its waits have limits. */
const LIMIT_MS = 170_000;

const results = new Results(SUITE);
const outcomes = new Map();

/** Runs all steps, each of which goes on from where the one before has ended; a step that fails takes the rest along. */
async function chain(number) {
  let isFine = true;
  for (const [name, step] of [["starts", setUp], ...steps]) {
    const before = outcomes.get(name);
    if (!isFine) {
      if (before === undefined)
        outcomes.set(name, {
          name,
          outcome: "skipped",
          why: "a step before it failed",
          seconds: 0,
        });
      continue;
    }
    results.begin(name);
    const ended = await attempt({
      suite: SUITE,
      name,
      limitMs: LIMIT_MS,
      run: step,
      keep,
      first: number,
      last: number,
    });
    isFine = ended.outcome === "passed";
    const isFlaky = isFine && before?.outcome === "failed";
    outcomes.set(name, isFlaky ? { ...ended, outcome: "flaky", why: before.why } : ended);
  }
  await tearDown();
  return isFine;
}

for (let number = 1; number <= 1 + retries; number++) if (await chain(number)) break;
for (const result of outcomes.values()) results.add(result);
process.exit(results.end());
