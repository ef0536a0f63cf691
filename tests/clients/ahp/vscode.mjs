// Drives VS Code's own chat, with no extension, against the engine. Usage: node --test vscode.mjs, with the variables that run.sh sets.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";

const cache = process.env.PINTLE_VSCODE_CACHE;
const { chromium } = createRequire(path.join(cache, "tools/package.json"))("playwright-core");
const shots = path.join(cache, "shots");
const LONG = 30_000;

const say = (text) => ({ blocks: [{ text }] });
const call = (tool, args) => ({ blocks: [{ tool, arguments: args }] });
const waitFor = (name) =>
  call("bash", { command: `touch at-${name}; while [ ! -e ${name} ]; do sleep 0.01; done` });
const edits = [{ oldText: "helo", newText: "hello" }];
const replies = [
  { blocks: [{ reasoning: "A greeting." }, { text: "Hello from **the engine**." }] },
  call("bash", { command: "curl --version | head -n 1" }),
  call("edit", { path: "note_of_mine.txt", edits }),
  say("The note is corrected."),
  waitFor("steered"),
  say("Steered and done."),
  waitFor("reloaded"),
  say("Done while nobody looked."),
  waitFor("never"),
  say("Said after the stop."),
];

/** Waits until `look` gives something; the one place that polls, for what has no event to wait for. */
async function until(what, look) {
  const end = Date.now() + LONG;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

let base, engine, server, browser, page, address;

before(async () => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), "pintle-ahp-"));
  const work = path.join(base, "work");
  const user = path.join(base, "data/data/User");
  for (const folder of [work, user, shots]) fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(work, "note_of_mine.txt"), "helo world\nsecond\n");
  const settings = { "security.workspace.trust.enabled": false, "workbench.startupEditor": "none" };
  fs.writeFileSync(path.join(user, "settings.json"), JSON.stringify(settings));
  const script = path.join(base, "script.json");
  fs.writeFileSync(script, JSON.stringify({ replies }));
  const home = path.join(base, "home");
  const env = { ...process.env, HOME: base, PINTLE_HOME: home, LANG: "C.UTF-8" };
  const [enginePort, port] = [await freePort(), await freePort()];
  const listen = ["serve", "--listen", `ws://127.0.0.1:${enginePort}`];
  const engineLog = fs.openSync(path.join(shots, "ahp-engine.log"), "w");
  engine = spawn(process.env.PINTLE_BIN, [...listen, "--permission", "ask", "--script", script], {
    env,
    cwd: work,
    stdio: ["ignore", engineLog, engineLog],
  });
  const file = path.join(home, "engine.json");
  await until("the engine listens", () => fs.existsSync(file) && fs.readFileSync(file, "utf8"));
  const { token } = JSON.parse(fs.readFileSync(file, "utf8"));
  const entry = "code/node_modules/code-server/lib/vscode/out/server-main.js";
  const log = fs.openSync(path.join(shots, "ahp-server.log"), "w");
  const flags = ["--host", "127.0.0.1", "--port", `${port}`, "--without-connection-token"];
  const accept = ["--accept-server-license-terms", "--server-data-dir", path.join(base, "data")];
  const bridge = ["--agent-host-bridge-port", `${enginePort}`];
  const shown = ["--agent-host-bridge-connection-token", token];
  server = spawn(
    path.join(cache, "node/bin/node"),
    [path.join(cache, entry), ...flags, ...accept, ...bridge, ...shown],
    { env, stdio: ["ignore", log, log] },
  );
  address = `http://127.0.0.1:${port}/?folder=${work}`;
  await until("the server listens", () =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );
  browser = await chromium.launch({
    executablePath: process.env.PINTLE_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-background-networking", "--disable-dev-shm-usage"],
  });
  const context = await browser.newContext({ viewport: { width: 1300, height: 850 } });
  page = await context.newPage();
  page.setDefaultTimeout(LONG);
});

after(async () => {
  await browser?.close();
  for (const child of [server, engine]) child?.kill();
  await until("the engine has ended", () => engine.exitCode !== null || engine.signalCode);
  fs.rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const shot = (name) => page.screenshot({ path: path.join(shots, `ahp-${name}.png`) });
const inChat = (text) => page.locator(".interactive-session").getByText(text, { exact: false });
const seen = (text) => inChat(text).last().waitFor({ state: "visible" });
const file = (name) => path.join(base, "work", name);
const isThere = (name) => until(`${name} is there`, () => fs.existsSync(file(name)));

async function type(text) {
  const input = page.locator(".interactive-input-part .monaco-editor").last();
  await input.click();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

/** Chooses the engine; the list shows it once the server has connected to it. */
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
}

const allow = () => page.getByRole("button", { name: /^Allow/ }).first().click();

test("choose, prompt, confirm, change, steer, reload, come back, stop", { timeout: 170_000 }, async () => {
  try {
    await page.goto(address);
    await choose();
    await type("hello there");
    await seen("Hello from the engine.");
    await type("correct the note");
    await page.getByRole("button", { name: /^Allow/ }).first().waitFor();
    await shot("command");
    await allow();
    await seen("1 file changed");
    await shot("change");
    assert.equal(fs.readFileSync(file("note_of_mine.txt"), "utf8"), "helo world\nsecond\n");
    await allow();
    await seen("The note is corrected.");
    assert.equal(fs.readFileSync(file("note_of_mine.txt"), "utf8"), "hello world\nsecond\n");
    await shot("changed");

    await type("wait for me");
    await allow();
    await isThere("at-steered");
    await type("and hurry");
    await seen("and hurry");
    await shot("steering");
    fs.writeFileSync(file("steered"), "");
    await seen("Steered and done.");
    await page.getByText(/^\d Files?$/).last().waitFor();

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

    await type("never end");
    await allow();
    await isThere("at-never");
    await page.locator('[aria-label^="Cancel"], [aria-label^="Stop"]').last().click();
    await type("and now");
    await seen("Said after the stop.");
    await shot("stopped");
  } catch (error) {
    await shot("failed");
    throw error;
  }
});
