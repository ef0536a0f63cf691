// A real VS Code (code-server) with the packaged extension, a browser on it, and the few moves the cases share.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { keepJournals } from "../cases.mjs";
import { Tabs } from "./tabs.mjs";

const { chromium } = createRequire(path.join(process.env.PINTLE_PLAYWRIGHT, "package.json"))(
  "playwright-core",
);

export const shots = process.env.PINTLE_SHOTS;
export const engineBinary = process.env.PINTLE_BIN;
/** How long a case waits for what must come; a busy machine may need much of it. */
export const LONG = 60_000;

/** Waits until `look` gives something; the one place that polls, for what has no event to wait for. */
export async function until(what, look, timeout = LONG) {
  const end = Date.now() + timeout;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A port of the loopback that nobody uses. */
/** Whether an element is visible, or becomes it in time. */
export const isThere = (locator, timeout) =>
  locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );

export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Replies of the scripted model. */
export const say = (text) => ({ blocks: [{ text }] });
export const call = (tool, args) => ({ blocks: [{ tool, arguments: args }] });
export const edit = (path, ...pairs) =>
  call("edit", { path, edits: pairs.map(([oldText, newText]) => ({ oldText, newText })) });

/** A step of the model that waits until the case has done its part. */
export const gate = (name) =>
  call("bash", { command: `touch at-${name}; while [ ! -e ${name} ]; do sleep 0.01; done` });

/** The files of another extension, which is there beside Pintle; by itself once VS Code has started. */
export const extensionOf = (name, main, contributes = {}, activationEvents = ["onStartupFinished"]) => ({
  "package.json": JSON.stringify({
    name,
    publisher: "test",
    version: "1.0.0",
    engines: { vscode: "^1.106.0" },
    main: "./main.js",
    activationEvents,
    contributes,
  }),
  "main.js": main,
});

/** Waits until a server answers at this address. */
export const listens = (what, address) =>
  until(`${what} listens`, () =>
    fetch(address).then(
      () => true,
      () => false,
    ),
  );

export const startBrowser = () =>
  chromium.launch({
    executablePath: process.env.PINTLE_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-background-networking", "--disable-dev-shm-usage"],
    // A signal ends the run, and not the browser alone.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });

/** Processes whose command line holds `text`. */
export function processes(text) {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        const command = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        const status = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
        return { pid: Number(pid), command, parent: Number(status[1]), isZombie: status[0] === "Z" };
      } catch {
        return { pid: 0, command: "", parent: 0, isZombie: true };
      }
    })
    .filter((each) => !each.isZombie && each.command.includes(text));
}

/** Has the engine make a session of these prompts without an editor, as one that was there before. */
async function recordSession(rig, folder, prompts) {
  const env = { ...process.env, PINTLE_HOME: path.join(rig.base, "home"), HOME: rig.base };
  const flags = ["serve", "--trust", "--script", folder.scriptFile];
  const engine = spawn(engineBinary, flags, { cwd: folder.path, env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => engine.on("exit", resolve));
  let id = 1;
  const ask = (method, params) =>
    engine.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: id++, method, params })}\n`);
  const left = [...prompts];
  const next = () => {
    const text = left.shift();
    if (text === undefined) engine.stdin.end();
    else ask("turn/start", { input: [{ type: "text", text }] });
  };
  createInterface({ input: engine.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    assert.equal(message.error, undefined, line);
    if (message.id === 2 || message.params?.event?.type === "turn.completed") next();
  });
  ask("initialize", { protocol: { name: "pintle", versions: ["2.0"] } });
  ask("session/create", { exclude: ["item.*"] });
  await exited;
}

/** Turns of 25 replies with 20 calls each: more than 10,000 items. */
const TURNS = 20;

/** A folder with a session of more than 10,000 items, whose turns are called `Turn 0` to `Turn 19`. */
export async function longSession(rig, name) {
  const replies = [];
  for (let turn = 0; turn < TURNS; turn++) {
    for (let n = 0; n < 25; n++) {
      const calls = Array.from({ length: 20 }, (_, k) => ({
        tool: "read",
        arguments: { path: "a.txt", limit: 20 * n + k + 1 },
      }));
      replies.push({ blocks: [{ text: `Reading ${n}.` }, ...calls] });
    }
    replies.push({ blocks: [{ text: `Turn ${turn} is over.` }] });
  }
  const folder = rig.folder(name, { files: { "a.txt": "a\n" }, script: { replies } });
  const prompts = Array.from({ length: TURNS }, (_, turn) => `Turn ${turn}`);
  await recordSession(rig, folder, prompts);
  return folder;
}

/** The folder of the installed package's program. */
export function dist(rig) {
  const extensions = path.join(rig.base, "extensions");
  const [installed] = fs.readdirSync(extensions).filter((name) => name.startsWith("pintle."));
  return path.join(extensions, installed, "dist");
}

/**
 * Counts in the page, from now on: messages that it is sent and their characters, frames, draws (changes of the document that belong together),
 * and the characters of text that were put into the document. Runs in the page.
 */
export function count() {
  const seen = { messages: 0, sent: 0, frames: 0, draws: 0, written: 0 };
  window.pintleCounts = seen;
  window.addEventListener("message", ({ data }) => {
    seen.messages += 1;
    seen.sent += JSON.stringify(data).length;
  });
  const frame = () => {
    seen.frames += 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const written = ({ type, target, oldValue, addedNodes }) => {
    if (type === "characterData") return Math.max(0, target.data.length - oldValue.length);
    return [...addedNodes].reduce((sum, node) => sum + node.textContent.length, 0);
  };
  new MutationObserver((records) => {
    seen.draws += 1;
    for (const record of records) seen.written += written(record);
  }).observe(document.body, {
    subtree: true,
    childList: true,
    characterData: true,
    characterDataOldValue: true,
    attributes: true,
  });
}

/** Knows the page's timers that have not fired yet, from now on. Runs in the page. */
export function watchTimers() {
  const pending = new Set();
  window.pintleTimers = pending;
  const { setTimeout, clearTimeout } = window;
  window.setTimeout = (callback, ...rest) => {
    const fired = (...values) => {
      pending.delete(timer);
      callback(...values);
    };
    const timer = setTimeout(fired, ...rest);
    pending.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => {
    pending.delete(timer);
    clearTimeout(timer);
  };
}

/** What was counted in a page. */
export const counted = (window) => window.view.locator("body").evaluate(() => ({ ...window.pintleCounts }));

/**
 * Opens a folder in a window that counts the work of the page's own program: how often its blocks of code run. It is the same on a busy machine,
 * and grows with what an algorithm does. The tab is a fresh one, because code is compiled with counters or without. `work` returns the count since
 * its last call.
 */
export async function countingWindow(rig, folder) {
  let session;
  const window = await rig.window(folder, {
    isFresh: true,
    prepare: async (page) => {
      session = await page.context().newCDPSession(page);
      await session.send("Profiler.enable");
      await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    },
  });
  const work = async () => {
    const { result } = await session.send("Profiler.takePreciseCoverage");
    const blocks = blocksRun(result.filter(({ url }) => url.endsWith("/webview.js")));
    assert.ok(blocks > 0, "the page's program is counted");
    return blocks;
  };
  return { window, work };
}

/** How often blocks of code ran, by a coverage report of V8. */
export function blocksRun(scripts) {
  const ranges = scripts.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, range) => sum + range.count, 0);
}

/** The middle of an element that stood still for some frames and is what a click there meets; otherwise undefined. Runs in the page. */
async function stillPlace(element) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const before = element.getBoundingClientRect();
  for (let frames = 0; frames < 4; frames += 1) await frame();
  const { x, y, width, height } = element.getBoundingClientRect();
  if ([x - before.x, y - before.y, width - before.width, height - before.height].some((each) => each !== 0))
    return undefined;
  const place = { x: x + width / 2, y: y + height / 2 };
  return element.contains(document.elementFromPoint(place.x, place.y)) ? place : undefined;
}

/** What a window says beside the texts of its editors, and what has the keyboard; runs in the page. */
function wordsOf() {
  const of = (selector) =>
    [...document.querySelectorAll(selector)]
      .filter((each) => each.checkVisibility())
      .map((each) => each.innerText.replaceAll(/\s+/g, " ").trim());
  const { tagName, className } = document.activeElement ?? {};
  return {
    tabs: of(".tab"),
    lenses: of(".codelens-decoration"),
    notifications: of(".notification-toast, .monaco-dialog-box"),
    quickInput: of(".quick-input-title, .quick-input-message, .quick-input-list .monaco-list-row"),
    statusBar: of('.statusbar-item[id*="pintle"]'),
    keyboard: `${tagName} ${className}`,
  };
}

/** The program in the folder of its tool, with VS Code's own check for proposed APIs. */
const CODE_SERVER = "strict/node_modules/code-server";

/** VS Code's words for an extension that uses proposed API. */
const REFUSAL = /CANNOT use API proposal|is a proposed menu identifier/;

function writeFiles(folder, files) {
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
}

/** Gives VS Code a display language: as of a language pack that translates nothing of VS Code itself. */
function setLanguage(userData, language) {
  const translations = path.join(userData, "main.i18n.json");
  fs.writeFileSync(translations, JSON.stringify({ contents: {} }));
  const extensions = [{ extensionIdentifier: { id: "test.pack" }, version: "1.0.0" }];
  const pack = { hash: "empty", extensions, translations: { vscode: translations }, label: language };
  fs.writeFileSync(path.join(userData, "languagepacks.json"), JSON.stringify({ [language]: pack }));
}

/** The servers that run, to be ended with this process. */
const servers = new Set();
process.on("exit", () => {
  for (const { pid } of servers) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

/** The built-in extensions that cases need: themes and languages. With all of them, a window takes much longer to start. */
const BUILT_IN = [
  /^theme-/,
  /^(configuration-editing|css|html|javascript|json|markdown-basics|python|rust|search-result|shellscript|typescript-basics|xml|yaml)$/,
  /^(json|markdown|typescript)-language-features$/,
  /^node_modules$/,
];

/** Creates a folder with links to these extensions. */
function someBuiltIn(base) {
  const from = path.join(process.env.PINTLE_CODE_SERVER, CODE_SERVER, "lib/vscode/extensions");
  const folder = path.join(base, "built-in");
  fs.mkdirSync(folder);
  for (const name of fs.readdirSync(from).filter((each) => BUILT_IN.some((wanted) => wanted.test(each))))
    fs.symlinkSync(path.join(from, name), path.join(folder, name));
  return folder;
}

/** Starts VS Code and a browser, and gives what the cases work with. */
export async function start(vsix, { trustsAll = true, hasAllBuiltIn = false, language, extension } = {}) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), "pintle-vscode-"));
  const port = await freePort();
  const userData = path.join(base, "user-data");
  const extensions = path.join(base, "extensions");
  fs.mkdirSync(path.join(userData, "User"), { recursive: true });
  fs.mkdirSync(shots, { recursive: true });
  fs.writeFileSync(
    path.join(userData, "User/settings.json"),
    JSON.stringify({
      "chat.disableAIFeatures": true,
      "files.autoSave": "off",
      // A toast at the right lies over the buttons of the chat.
      "workbench.notifications.position": "bottom-left",
      "workbench.startupEditor": "none",
      "workbench.tips.enabled": false,
      "security.workspace.trust.startupPrompt": "never",
      "extensions.ignoreRecommendations": true,
      "git.openRepositoryInParentFolders": "never",
    }),
  );
  if (extension !== undefined) writeFiles(path.join(extensions, "another"), extension);
  const node = process.execPath;
  const entry = path.join(process.env.PINTLE_CODE_SERVER, CODE_SERVER, "out/node/entry.js");
  const common = [
    "--user-data-dir",
    userData,
    "--extensions-dir",
    extensions,
    "--config",
    path.join(base, "config.yaml"),
  ];
  const env = { ...process.env, PINTLE_HOME: path.join(base, "home"), HOME: base, LANG: "C.UTF-8" };
  const log = fs.openSync(path.join(base, "code-server.log"), "a");
  const stdio = ["ignore", log, log];
  const installed = spawn(node, [entry, ...common, "--install-extension", vsix], { env, stdio });
  const code = await new Promise((resolve) => installed.on("exit", resolve));
  assert.equal(
    code,
    0,
    `the package could not be installed:\n${fs.readFileSync(path.join(base, "code-server.log"))}`,
  );

  const flags = [
    "--auth",
    "none",
    "--disable-telemetry",
    "--disable-update-check",
    "--bind-addr",
    `127.0.0.1:${port}`,
  ];
  if (language !== undefined) {
    setLanguage(userData, language);
    flags.push("--locale", language);
  }
  if (trustsAll) flags.push("--disable-workspace-trust");
  if (!hasAllBuiltIn) flags.push("--builtin-extensions-dir", someBuiltIn(base));
  const server = spawn(node, [entry, ...common, ...flags], { env, stdio, detached: true });
  servers.add(server);
  server.on("exit", () => servers.delete(server));
  await listens("code-server", `http://127.0.0.1:${port}/healthz`);
  return new Rig(base, port, server, await startBrowser());
}

export class Rig {
  constructor(base, port, server, browser) {
    Object.assign(this, { base, port, server, browser });
    this.console = [];
    this.tabs = new Tabs(browser, `http://127.0.0.1:${port}`, (line) => this.console.push(line));
    this.expectsRefusals = false;
  }

  /** A folder with files, its own settings and its own script for the engine. */
  folder(name, { files = {}, script, settings = {}, flags = [] } = {}) {
    const folder = path.join(this.base, "work", name);
    const scriptFile = path.join(this.base, "scripts", `${name}.json`);
    fs.mkdirSync(path.join(folder, ".vscode"), { recursive: true });
    fs.mkdirSync(path.dirname(scriptFile), { recursive: true });
    writeFiles(folder, files);
    if (script !== undefined) fs.writeFileSync(scriptFile, JSON.stringify(script));
    const all = {
      "pintle.path": engineBinary,
      "pintle.arguments": ["--script", scriptFile, ...flags],
      ...settings,
    };
    fs.writeFileSync(path.join(folder, ".vscode/settings.json"), JSON.stringify(all));
    return {
      path: folder,
      scriptFile,
      read: (file) => fs.readFileSync(path.join(folder, file), "utf8"),
      has: (file) => fs.existsSync(path.join(folder, file)),
      write: (file, text) => fs.writeFileSync(path.join(folder, file), text),
      engines: () => processes(scriptFile).filter((each) => each.command.startsWith(engineBinary)),
    };
  }

  /** Opens a folder in a new window. `prepare` is called with a page of the server; `kind` are the options of `Tabs.take`. */
  window(folder, { isShown = true, prepare, ...kind } = {}) {
    return this.#open("folder", folder.path, isShown, kind, prepare);
  }

  /** Opens a file of a workspace in a window of its own. A busy VS Code may read the file too late, and then has no folder. */
  async workspace(file) {
    const window = await this.#open("workspace", file, false);
    const folders = window.page.locator(".explorer-folders-view .monaco-list-row").first();
    await until("the workspace has its folders", async () => {
      if (await isThere(folders, 10_000)) return true;
      await window.page.reload();
      await window.loaded();
      return false;
    });
    await window.show();
    return window;
  }

  async #open(what, place, isShown, kind, prepare) {
    const tab = await this.tabs.take(kind);
    const window = new Window(tab.page, () => this.tabs.leave(tab));
    const server = `http://127.0.0.1:${this.port}`;
    if (prepare !== undefined) {
      await tab.page.goto(`${server}/healthz`);
      await prepare(tab.page);
    }
    await tab.page.goto(`${server}/?${what}=${encodeURIComponent(place)}`);
    await window.loaded();
    if (isShown) await window.show();
    return window;
  }

  /** The texts of the files in which windows keep their sessions and drafts. */
  remembered() {
    const folder = path.join(this.base, "user-data/User/globalStorage/pintle.pintle");
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return names
      .filter((name) => name.endsWith(".json"))
      .map((name) => fs.readFileSync(path.join(folder, name), "utf8"));
  }

  /** The copies of projects that isolated sessions work in. */
  copies() {
    const folder = path.join(this.base, "home/isolated");
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    const inside = (name) => fs.readdirSync(path.join(folder, name), { withFileTypes: true });
    return names.flatMap(inside).filter((entry) => entry.isDirectory());
  }

  /** The refusals of proposed API so far: from the logs of VS Code, and from the windows' consoles. */
  refusals() {
    const logs = path.join(this.base, "user-data/logs");
    const texts = fs
      .readdirSync(logs, { recursive: true })
      .filter((name) => name.endsWith(".log"))
      .map((name) => fs.readFileSync(path.join(logs, name), "utf8"));
    return [...this.console, ...texts]
      .join("\n")
      .split("\n")
      .filter((line) => REFUSAL.test(line));
  }

  /** Keeps what the open windows show and say, the logs of VS Code with those of its extension hosts, and the journals of the engines. */
  async keepEvidence(folder, number) {
    const name = (what) => path.join(folder, number === 0 ? what : `own-${number}-${what}`);
    for (const [n, { page }] of this.tabs.used.entries()) {
      if (page.isClosed()) continue;
      await page.screenshot({ path: name(`window-${n}.png`), timeout: 10_000 }).catch(() => undefined);
      const shown = await page.evaluate(wordsOf).catch(String);
      fs.writeFileSync(name(`window-${n}.json`), `${JSON.stringify(shown, undefined, 2)}\n`);
      const texts = await Promise.all(
        page.frames().map(async (frame) => {
          const text = await frame.evaluate(() => document.body?.innerText ?? "").catch(String);
          return `== ${frame.url()}\n${text}\n`;
        }),
      );
      fs.writeFileSync(name(`window-${n}.txt`), texts.join("\n"));
    }
    fs.writeFileSync(name("console.txt"), `${this.console.join("\n")}\n`);
    for (const log of ["code-server.log", "user-data/logs", "home/engine.log"]) {
      const from = path.join(this.base, log);
      if (fs.existsSync(from)) fs.cpSync(from, name(path.basename(log)), { recursive: true });
    }
    keepJournals(path.join(this.base, "home"), folder, this.began ?? 0);
  }

  /** The process of the engine that windows share; undefined where there is none. */
  sharedEngine() {
    try {
      const { pid } = JSON.parse(fs.readFileSync(path.join(this.base, "home/engine.json"), "utf8"));
      return processes("serve --listen").some((each) => each.pid === pid) ? pid : undefined;
    } catch {
      return undefined;
    }
  }

  /** Closes all windows; the engine that they share waits for them to come back, and is ended. */
  async closeWindows() {
    await this.tabs.leaveAll();
    if (this.sharedEngine() === undefined) return;
    const isWay = (each) => each.command.includes("attach --trust");
    await until("no window uses the shared engine", () => !processes(this.base).some(isWay));
    const pid = this.sharedEngine();
    if (pid !== undefined) process.kill(pid, "SIGTERM");
    await until("the shared engine has ended", () => this.sharedEngine() === undefined);
  }

  async stop() {
    await this.tabs.close();
    const exited = new Promise((resolve) => this.server.on("exit", resolve));
    process.kill(-this.server.pid, "SIGTERM");
    const timer = setTimeout(() => process.kill(-this.server.pid, "SIGKILL"), LONG);
    await exited;
    clearTimeout(timer);
    // Extension hosts end after their server; their engines with them.
    await until("no engine is left", () => processes(this.base).length === 0);
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}

export class Window {
  constructor(page, leave) {
    this.page = page;
    /** Closes the window and its extension host. */
    this.close = leave;
    this.view = page.frameLocator("iframe.webview").frameLocator("#active-frame");
    this.box = this.view.locator("textarea");
    this.editor = page.locator(".editor-group-container.active .editor-instance .view-lines").first();
  }

  async loaded() {
    await this.page.locator(".monaco-workbench").waitFor({ timeout: LONG });
    await this.page.locator('.statusbar-item[id*="pintle"]').first().waitFor({ timeout: LONG });
  }

  /** Runs a command by its title. */
  async command(title) {
    await this.#quickly(`the command runs: ${title}`, `>${title}`, title);
  }

  /** Opens a file by its name. */
  async quickOpen(name) {
    await this.#quickly(`${name} is chosen`, name, name);
    await this.page.locator(".tab.active", { hasText: name }).waitFor({ timeout: LONG });
  }

  /**
   * Types into the list of commands and files, and chooses the first row with a text. A window that has just come may not know the key yet,
   * and a view that has just been drawn may take the keyboard, which closes the list; the key is pressed again then. A click that times out
   * was never made.
   */
  async #quickly(what, typed, text) {
    const input = this.page.locator(".quick-input-widget input");
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first();
    const limit = { timeout: 5000 };
    await until(what, async () => {
      await this.page.keyboard.press("F1");
      try {
        await input.fill(typed, limit);
        await row.click(limit);
        return true;
      } catch (error) {
        if (error.name === "TimeoutError") return false;
        throw error;
      }
    });
  }

  /** Opens a file of the folder in an editor of its own and goes there. */
  async open(name) {
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
    await this.page.locator(".tab.active", { hasText: name }).waitFor({ timeout: LONG });
    await this.intoEditor();
  }

  /**
   * Clicks where something of an editor is drawn, once it stands still and nothing covers it. Playwright's own click scrolls what moves or is
   * covered when it tries again, and the editor with it, away from what the case looks at.
   */
  async clickInEditor(locator) {
    await locator.waitFor({ timeout: LONG });
    const place = await until("the place of the click stands still", () =>
      locator.evaluate(stillPlace, undefined, { timeout: LONG }),
    );
    await this.page.mouse.click(place.x, place.y);
  }

  /** Puts the keyboard into the active editor: in the middle, or where a short file ends. */
  async intoEditor() {
    await this.editor.waitFor({ timeout: LONG });
    await this.clickIntoEditor(this.page.locator(".editor-group-container.active .editor-instance").first());
  }

  /** Goes to the end of the line that holds exactly this. */
  async toLine(text) {
    await this.clickIntoEditor(this.editor.locator(".view-line").getByText(text, { exact: true }).first());
    await this.page.keyboard.press("End");
  }

  /** Clicks until the editor has the focus. A view that is being drawn may take the focus after a click. */
  async clickIntoEditor(locator) {
    await until("the editor has the keyboard", async () => {
      await this.clickInEditor(locator);
      return this.editorHasKeyboard();
    });
  }

  /** Whether the active editor has the focus, or gets it soon. */
  editorHasKeyboard() {
    const focused = ".editor-group-container.active .editor-instance .monaco-editor.focused";
    return isThere(this.page.locator(focused).first(), 5000);
  }

  /** Picks from the list that is open. The tooltip of a row that opened under the pointer would cover others. */
  async pick(text) {
    await this.page.mouse.move(0, 0);
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first();
    await row.click({ timeout: LONG });
  }

  /** Chooses a row of the list that is open, and agrees. */
  async choose(text) {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: text });
    await row.locator(".quick-input-list-checkbox, .monaco-checkbox").first().click({ timeout: LONG });
    const agree = this.page.locator(".quick-input-widget").getByRole("button", { name: "OK" });
    await agree.click({ timeout: LONG });
  }

  notification(text) {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  /**
   * A notification that has come: on the screen, or in the list of all. VS Code shows at most three in 800 ms, which a scripted model exceeds,
   * and none on the screen while the list is open.
   */
  async notified(text) {
    const toast = this.notification(text);
    const row = this.page.locator(".notifications-center .notification-list-item", { hasText: text });
    await until(`the notification has come: ${text}`, async () => {
      if (await isThere(toast.or(row).first(), 10_000)) return true;
      await this.command("Notifications: Show Notifications");
      return false;
    });
    return toast.or(row).first();
  }

  /** The lenses of the editor in a group, each line's in one. */
  lenses(group = ".editor-group-container.active") {
    const found = this.page.locator(`${group} .codelens-decoration`);
    return found.evaluateAll((elements) =>
      elements
        .map((each) => ({ top: each.getBoundingClientRect().top, text: each.textContent }))
        .filter((each) => each.text.trim() !== "")
        .sort((a, b) => a.top - b.top)
        .map((each) => each.text.replaceAll("\u00a0", " ").trim()),
    );
  }

  /**
   * A verb above the hunk with these counts, once it can be clicked: when another extension brings lenses, VS Code draws all of them from
   * memory, without commands, until it has asked again.
   */
  lens(counts, verb) {
    return this.page
      .locator(".editor-group-container.active .codelens-decoration", { hasText: counts })
      .first()
      .locator("a")
      .filter({ hasText: new RegExp(`^${verb}$`) });
  }

  async clickLens(counts, verb) {
    await this.clickInEditor(this.lens(counts, verb));
  }

  /** The text of the active editor, line by line as it is drawn; for files that fit on the screen. */
  async text() {
    const lines = await this.editor.evaluate((element) =>
      [...element.querySelectorAll(".view-line")]
        .map((line) => ({ top: Number.parseFloat(line.style.top), text: line.textContent }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text),
    );
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  /** Opens the view, and waits until it has the keyboard: it takes it once it is drawn, and closes a list that is open by then. */
  async show() {
    await this.command("Pintle: Open");
    await this.box.waitFor({ timeout: LONG });
    await until("the view has the keyboard", () =>
      this.box.evaluate((box) => box.ownerDocument.activeElement === box),
    );
  }

  async reload() {
    await this.page.reload();
    await this.loaded();
  }

  async reloadInOrder() {
    await Promise.all([
      this.page.waitForEvent("load", { timeout: LONG }),
      this.command("Developer: Reload Window"),
    ]);
    await this.loaded();
  }

  button(name) {
    return this.view.getByRole("button", { name, exact: true });
  }

  async send(text, verb = "Send") {
    await this.box.fill(text);
    if (verb !== "Queue") return this.button(verb).click();
    await this.button("More Ways to Send").click();
    return this.view.getByRole("menuitem", { name: verb }).click();
  }

  async sees(text, timeout = LONG) {
    await this.view.getByText(text).filter({ visible: true }).first().waitFor({ timeout });
  }

  /** Waits for a reply with this text. `sees` would also find short words in the page's labels. */
  async answers(text, timeout = LONG) {
    await this.view.locator(".agent", { hasText: text }).first().waitFor({ timeout });
  }

  status(text) {
    return this.page.locator('.statusbar-item[id*="pintle"]').filter({ hasText: text });
  }

  /** The text of the page's transcript. */
  transcript() {
    return this.view.locator("main").innerText();
  }

  /** Makes the view about this wide, in pixels, by its edge. */
  async width(wanted) {
    const now = () => this.view.locator("body").evaluate((body) => body.clientWidth);
    const edge = await this.page.locator("iframe.webview").first().boundingBox();
    const more = wanted - (await now());
    await this.page.mouse.move(edge.x - 2, 400);
    await this.page.mouse.down();
    await this.page.mouse.move(edge.x - 2 - more, 400, { steps: 5 });
    await this.page.mouse.up();
    await until(`the view is about ${wanted} wide`, async () => Math.abs((await now()) - wanted) < 60);
  }

  async shot(name) {
    await this.page.screenshot({ path: path.join(shots, `${name}.png`) });
  }
}
