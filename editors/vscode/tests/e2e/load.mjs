// What the extension takes: to be activated, under 50 MB of output, while a provider is silent, and while nothing happens.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, call, gate, processes, say, until, watch } from "./support.mjs";

const ACTIVATION_MS = 50;

export async function activationTakesLittleOfTheProcessorAndLoadsOneFile(rig) {
  const [installed] = fs
    .readdirSync(path.join(rig.base, "extensions"))
    .filter((name) => name.startsWith("pintle."));
  const dist = path.join(rig.base, "extensions", installed, "dist");
  // Time of the processor, and not of the clock; other work on it costs some of that too, but not each time.
  let took = { milliseconds: Infinity, loaded: 0 };
  for (let attempt = 0; attempt < 8 && took.milliseconds >= ACTIVATION_MS; attempt++) {
    const script = path.join(import.meta.dirname, "activation.mjs");
    took = JSON.parse(execFileSync(process.execPath, [script, dist], { encoding: "utf8" }));
  }
  console.log(`activation: ${took.milliseconds.toFixed(0)} ms of the processor`);
  assert.ok(took.milliseconds < ACTIVATION_MS, `${took.milliseconds} ms`);
  assert.equal(took.loaded, 1);
}

export async function aSilentProviderIsSaidAndTheTurnCanBeCancelledOrTriedAgain(rig) {
  const silent = { blocks: [{ text: "I begin" }], hang: true };
  const folder = rig.folder("stalled", { script: { replies: [silent, say("Now it is here.")] } });
  const window = await rig.window(folder);
  await window.send("Think");
  await window.sees("I begin");
  const notice = window.view.locator(".banner", { hasText: "No data from the model for" });
  await notice.waitFor({ timeout: 60_000 });
  const seconds = Number(/for (\d+) s/.exec(await notice.innerText())[1]);
  assert.ok(seconds >= 40 && seconds < 60, `${seconds} s`);
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
  const window = await rig.window(folder);
  const body = window.view.locator("body");
  await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
  await window.send("Flood");
  await until("the model waits", () => folder.has("at-one"));
  await body.evaluate(watch);
  folder.write("one", "");
  // The prompt box takes keys all the while.
  await window.box.click();
  let typed = "";
  while ((await window.view.locator(".end").count()) === 0) {
    typed += "x";
    await window.page.keyboard.type("x");
  }
  await window.view.locator(".end.completed").waitFor({ timeout: 120_000 });
  const { largest } = await body.evaluate(() => {
    window.pintleFrames.stop = true;
    return window.pintleFrames;
  });
  assert.equal(await window.box.inputValue(), typed);
  const card = window.view.locator(".tool", { hasText: "yes 0123" }).first();
  await card.locator("summary").first().click();
  await window.sees("the end");
  const bytes = await card.evaluate((element) => element.textContent.length);
  console.log(
    `${MEGABYTES} MB of output: ${typed.length} keys, largest gap ${largest.toFixed(0)} ms, ${bytes} characters shown`,
  );
  assert.ok(largest < 1000, `a gap of ${largest} ms`);
  assert.ok(bytes < 1_000_000, `${bytes} characters`);
  await window.shot("27-flood");
}

const IDLE_SECONDS = 10;

/** Seconds of the processor that a process has had. */
function processorSeconds(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  // A clock tick is a hundredth of a second on every Linux.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export async function nothingIsDoneWhileNothingHappens(rig) {
  const folder = rig.folder("idle", {
    files: { "a.txt": "one\n" },
    script: { replies: [say("Here I am.")] },
  });
  const window = await rig.window(folder);
  await window.send("Go");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  const [engine] = folder.engines();
  const host = processes("extensionHost").find((each) => each.pid === engine.parent);
  assert.ok(host, "the engine is the extension host's child");
  const body = window.view.locator("body");
  // VS Code's own extensions have work of their own at first.
  const watched = async () => {
    await body.evaluate(() => {
      const seen = { messages: 0, changes: 0 };
      window.pintleIdle = seen;
      window.addEventListener("message", () => (seen.messages += 1));
      new MutationObserver((list) => (seen.changes += list.length)).observe(document, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    const before = [engine, host].map(({ pid }) => processorSeconds(pid));
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
    const [ofEngine, ofHost] = [engine, host].map(({ pid }, n) => processorSeconds(pid) - before[n]);
    return { ofEngine, ofHost, page: await body.evaluate(() => ({ ...window.pintleIdle })) };
  };
  let idle = await watched();
  for (let attempt = 0; attempt < 3 && idle.ofHost >= 0.5; attempt++) idle = await watched();
  const { ofEngine, ofHost, page } = idle;
  console.log(
    `idle for ${IDLE_SECONDS} s: engine ${ofEngine.toFixed(2)} s, extension host ${ofHost.toFixed(2)} s of the processor`,
  );
  assert.deepEqual(page, { messages: 0, changes: 0 }, "the page is told nothing and changes nothing");
  assert.ok(ofEngine < 0.1, `the engine had ${ofEngine} s`);
  assert.ok(ofHost < 0.5, `the extension host had ${ofHost} s`);
}
