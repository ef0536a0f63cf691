// Drives the package in a real VS Code. Usage: node --test tests/e2e/main.mjs, with the variables that run.sh sets.
import { after, before, test } from "node:test";
import * as faults from "./faults.mjs";
import { wholeRound } from "./round.mjs";
import * as stream from "./stream.mjs";
import { start } from "./support.mjs";

let rig;
before(async () => {
  rig = await start(process.env.PINTLE_VSIX);
});
after(() => rig?.stop());

const wanted = new RegExp(process.env.PINTLE_CASES ?? "");
for (const [name, run] of Object.entries({ wholeRound, ...faults, ...stream })) {
  if (!wanted.test(name)) continue;
  const title = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  test(title, { timeout: 240_000 }, async () => {
    try {
      await run(rig);
    } catch (error) {
      await rig.failed(name);
      throw error;
    } finally {
      await rig.closeWindows();
    }
  });
}
