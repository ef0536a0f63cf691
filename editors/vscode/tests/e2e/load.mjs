// What the extension takes: to be activated, under 50 MB of output, while a provider is silent, and while nothing happens.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import {
  LONG,
  call,
  count,
  counted,
  countingWindow,
  dist,
  extensionOf,
  gate,
  say,
  until,
} from "./support.mjs";

/** Blocks of code that run while the extension is activated, with some room. */
const MOST_BLOCKS = 1500;

export async function activationDoesLittleAndLoadsOneFile(rig) {
  const script = path.join(import.meta.dirname, "activation.mjs");
  const { blocks, loaded } = JSON.parse(
    execFileSync(process.execPath, [script, dist(rig)], { encoding: "utf8" }),
  );
  console.log(`     activation: ${blocks} blocks of code`);
  assert.ok(blocks < MOST_BLOCKS, `${blocks} blocks of code`);
  assert.equal(loaded, 1);
}

export async function aSilentProviderIsSaidAndTheTurnCanBeCancelledOrTriedAgain(rig) {
  const silent = { blocks: [{ text: "I begin" }], hang: true };
  const folder = rig.folder("stalled", { script: { replies: [silent, say("Now it is here.")] } });
  const window = await rig.window(folder);
  await window.send("Think");
  await window.sees("I begin");
  const notice = window.view.locator(".banner", { hasText: "No data from the model for" });
  await notice.waitFor({ timeout: 120_000 });
  const seconds = Number(/for (\d+) s/.exec(await notice.innerText())[1]);
  assert.ok(seconds >= 40, `${seconds} s`);
  await window.shot("26-stalled");
  await notice.getByRole("button", { name: "Try Again" }).click();
  await window.sees("Now it is here.");
  await notice.waitFor({ state: "detached", timeout: LONG });
  assert.equal(await window.view.locator(".user").count(), 2, "the message was sent again");
}

const MEGABYTES = 50;

export async function fiftyMegabytesOfOutputLeaveThePageResponsive(rig) {
  const line = "0123456789".repeat(10);
  const command = `yes ${line} | head -c ${MEGABYTES * 1024 * 1024}; echo; echo the end`;
  const folder = rig.folder("flood", {
    settings: { "pintle.permissionMode": "full" },
    script: { replies: [gate("one"), call("bash", { command }), say("It is over.")] },
  });
  const { window, work } = await countingWindow(rig, folder);
  const body = window.view.locator("body");
  await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
  await window.send("Flood");
  await until("the model waits", () => folder.has("at-one"));
  await body.evaluate(count);
  await work();
  folder.write("one", "");
  // The prompt box takes keys all the while.
  await window.box.click();
  let typed = "";
  while ((await window.view.locator(".end").count()) === 0) {
    typed += "x";
    await window.page.keyboard.type("x");
  }
  await window.view.locator(".end.completed").waitFor({ timeout: 300_000 });
  const seen = { ...(await counted(window)), work: await work() };
  assert.equal(await window.box.inputValue(), typed);
  const card = window.view.locator(".tool", { hasText: "yes 0123" }).first();
  await card.locator(".row").first().click();
  // The row has these words in its title, the command, too.
  await card.locator(".terminal .line", { hasText: /^the end$/ }).waitFor({ timeout: LONG });
  const bytes = await card.evaluate((element) => element.textContent.length);
  console.log(
    `     ${MEGABYTES} MB of output: ${typed.length} keys, ${JSON.stringify(seen)}, ${bytes} characters shown`,
  );
  assert.ok(bytes < 1_000_000, `${bytes} characters`);
  const { messages, sent, written, work: blocks } = seen;
  assert.ok(sent < MEGABYTES * 1024 * 1024 * 0.2, `${sent} characters were sent to the page`);
  assert.ok(messages < 1000, `${messages} messages`);
  // A message draws what is shown of the output, and a key what the prompt needs.
  assert.ok(written < 40_000 * messages, `${written} characters were drawn for ${messages} messages`);
  assert.ok(
    blocks < 5000 * messages + 2000 * typed.length,
    `${blocks} blocks of code for ${messages} messages`,
  );
  await window.shot("27-flood");
}

/** An extension that counts the timers of the package that fire, in a file: it is there before, and so its timers are used. */
const TIMERS = "timers.txt";
const COUNTER = extensionOf(
  "counter",
  `const fs = require("node:fs");
const file = require("node:path").join(require("node:os").homedir(), "${TIMERS}");
let fired = 0;
for (const name of ["setTimeout", "setInterval", "setImmediate"]) {
  const original = globalThis[name];
  const counting = (callback, ...rest) => {
    if (!/[\\/]pintle\\.pintle[^\\/]*[\\/]dist[\\/]/.test(new Error().stack)) return original(callback, ...rest);
    return original((...values) => {
      fs.writeFileSync(file, String(++fired));
      callback(...values);
    }, ...rest);
  };
  globalThis[name] = Object.defineProperties(counting, Object.getOwnPropertyDescriptors(original));
}
exports.activate = () => undefined;
`,
  {},
  ["*"],
);

/** Frames of the page in which nothing is to happen: some seconds. */
const IDLE_FRAMES = 300;

/** How often the threads of a process have waited for something and gone on. */
function wakeUps(pid) {
  return fs
    .readdirSync(`/proc/${pid}/task`)
    .map((thread) => fs.readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8"))
    .reduce((sum, status) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)[1]), 0);
}

export async function nothingIsDoneWhileNothingHappens(_, own) {
  const rig = await own({ extension: COUNTER });
  const folder = rig.folder("idle", {
    files: { "a.txt": "one\n" },
    script: { replies: [say("Here I am.")] },
  });
  const window = await rig.window(folder);
  await window.send("Go");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  const [engine] = folder.engines();
  const fired = () => Number(fs.readFileSync(path.join(rig.base, TIMERS), "utf8"));
  const body = window.view.locator("body");
  const frames = (number) =>
    body.evaluate(async (_, number) => {
      for (let frame = 0; frame < number; frame++) await new Promise(requestAnimationFrame);
    }, number);
  // The last of what the turn has begun.
  let before = -1;
  await until("no timer fires any more", async () => {
    const last = before;
    await frames(60);
    before = fired();
    return before === last;
  });
  assert.ok(before > 0, "timers are counted");
  await body.evaluate(count);
  const woken = wakeUps(engine.pid);
  await frames(IDLE_FRAMES);
  const { messages, draws } = await counted(window);
  const idle = { messages, draws, timers: fired() - before, wakeUps: wakeUps(engine.pid) - woken };
  console.log(`     idle for ${IDLE_FRAMES} frames: ${JSON.stringify(idle)}`);
  assert.deepEqual({ ...idle, wakeUps: 0 }, { messages: 0, draws: 0, timers: 0, wakeUps: 0 });
  assert.ok(idle.wakeUps < 10, `the engine woke up ${idle.wakeUps} times`);
}
