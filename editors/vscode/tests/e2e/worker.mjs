// A process started by main.mjs: receives names of cases, runs one after another, and sends the results. Most cases share a VS Code.
import assert from "node:assert/strict";
import { attempt } from "../cases.mjs";
import { casesOf } from "./list.mjs";
import { start } from "./support.mjs";

const SUITE = process.env.PINTLE_SUITE;
/** A case that is not over by then hangs: all its waits have limits. */
const LIMIT_MS = 400_000;

const cases = casesOf(SUITE);
/** Most cases share one VS Code; a case that needs it set up in another way starts its own. After a failure, the next case has a new one. */
let common;
/** Those that the running case uses. */
let used = [];

async function run(body) {
  used = [];
  common ??= await start(process.env.PINTLE_VSIX);
  used.push(common);
  common.began = Date.now();
  const own = async (options) => {
    const rig = await start(process.env.PINTLE_VSIX, options);
    used.push(rig);
    return rig;
  };
  await body(common, own);
  const { expectsRefusals } = used.at(-1);
  if (!expectsRefusals) assert.deepEqual(used.at(-1).refusals(), [], "only stable API is used");
  for (const rig of used) await rig.closeWindows();
  for (const rig of used.splice(1)) await rig.stop();
}

async function keep(folder) {
  for (const [number, rig] of used.entries()) await rig.keepEvidence(folder, number);
  common = undefined;
  for (const rig of used.splice(0)) await rig.stop();
}

// Output is sent too, and printed with the result: other cases run at the same time.
console.log = (...words) => process.send({ line: words.join(" ") });

process.on("message", async ({ name }) => {
  if (name === undefined) {
    await common?.stop();
    process.exit(0);
  }
  const result = await attempt({ suite: SUITE, name, limitMs: LIMIT_MS, run: () => run(cases[name]), keep });
  process.send({ result });
});
process.on("disconnect", () => process.exit(1));
