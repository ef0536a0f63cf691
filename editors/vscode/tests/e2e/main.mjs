// Drives the package in a real VS Code. Usage: node --test tests/e2e/main.mjs, with the variables that run.sh sets.
import { after, before, test } from "node:test";
import { wholeRound } from "./round.mjs";
import { start } from "./support.mjs";

let rig;
before(async () => {
  rig = await start(process.env.PINTLE_VSIX);
});
after(() => rig?.stop());

const cases = { wholeRound };
for (const [name, run] of Object.entries(cases)) {
  test(
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    { timeout: 180_000 },
    () => run(rig),
  );
}
