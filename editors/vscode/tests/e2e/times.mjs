// Times of streams, of long sessions and of activation, printed and not judged: what a machine does besides is in them. `stream.mjs` and
// `load.mjs` count the work. Run by `tests/run.sh bench`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import * as path from "node:path";
import { LONG, call, dist, gate, longSession, say, until } from "./support.mjs";

/** Watches the page's frames and long tasks. Each frame is a mark, for a trace. Runs in the page. */
function watch() {
  const seen = { frames: 0, largest: 0, longTask: 0 };
  window.pintleFrames = seen;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.longTask = Math.max(seen.longTask, entry.duration);
  }).observe({ type: "longtask" });
  let last;
  const frame = (now) => {
    seen.frames += 1;
    performance.mark("pintle frame");
    seen.largest = Math.max(seen.largest, now - (last ?? now));
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** The most time of the processor, in milliseconds, that the thread of a watched page had between two frames, by a trace of the marks. */
function mostBetweenFrames(trace) {
  const times = JSON.parse(trace)
    .traceEvents.filter(({ name }) => name === "pintle frame")
    .map(({ tts }) => tts / 1000)
    .sort((a, b) => a - b);
  return Math.max(...times.slice(1).map((time, n) => time - times[n]));
}

/** Watches the page while something goes on in it, and prints what was seen. */
async function watched(rig, window, what, body) {
  await rig.browser.startTracing(window.page, { categories: ["blink.user_timing"] });
  await window.view.locator("body").evaluate(watch);
  const begun = performance.now();
  await body();
  const seconds = (performance.now() - begun) / 1000;
  const seen = await window.view.locator("body").evaluate(() => window.pintleFrames);
  const processor = mostBetweenFrames(await rig.browser.stopTracing());
  console.log(
    `     ${what}: ${seconds.toFixed(1)} s, ${seen.frames} frames, largest gap ${seen.largest.toFixed(0)} ms, ` +
      `${processor.toFixed(0)} ms of the processor, longest task ${seen.longTask.toFixed(0)} ms`,
  );
}

export async function tenThousandDeltas(rig) {
  const text = Array.from({ length: 10_000 }, (_, n) => `word${n}${n % 97 === 96 ? ".\n\n" : " "}`).join("");
  const folder = rig.folder("times stream", { script: { delayMs: 1, replies: [say("Ready."), say(text)] } });
  const window = await rig.window(folder);
  const ends = window.view.locator(".end.completed");
  await window.send("Are you ready?");
  await ends.waitFor({ timeout: LONG });
  await watched(rig, window, "10,000 deltas", async () => {
    await window.send("Go");
    await ends.nth(1).waitFor({ timeout: 300_000 });
  });
  await window.close();
}

export async function fiftyMegabytesOfOutput(rig) {
  const command = `yes ${"0123456789".repeat(10)} | head -c ${50 * 1024 * 1024}; echo; echo the end`;
  const folder = rig.folder("times flood", {
    settings: { "pintle.permissionMode": "full" },
    script: { replies: [gate("one"), call("bash", { command }), say("It is over.")] },
  });
  const window = await rig.window(folder);
  await window.send("Flood");
  await until("the model waits", () => folder.has("at-one"));
  await watched(rig, window, "50 MB of output", async () => {
    folder.write("one", "");
    await window.view.locator(".end.completed").waitFor({ timeout: 300_000 });
  });
  await window.close();
}

export async function tenThousandItems(rig) {
  const folder = await longSession(rig, "times items");
  const window = await rig.window(folder);
  await window.command("Pintle: Open Session");
  await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "Turn 0" }).first().waitFor();
  await watched(rig, window, "a session of 10,000 items", async () => {
    await window.page.keyboard.press("Enter");
    await window.sees("Turn 19 is over.");
  });
  await window.close();
}

export async function activation(rig) {
  const script = path.join(import.meta.dirname, "activation.mjs");
  const took = JSON.parse(execFileSync(process.execPath, [script, dist(rig)], { encoding: "utf8" }));
  assert.ok(took.blocks > 0);
  console.log(`     activation: ${took.milliseconds.toFixed(0)} ms of the processor`);
}
