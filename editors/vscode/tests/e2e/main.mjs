// Drives the package in a real VS Code. Usage: node --test tests/e2e/main.mjs, with the variables that run.sh sets.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as around from "./around.mjs";
import * as axe from "./axe.mjs";
import * as consent from "./consent.mjs";
import * as faults from "./faults.mjs";
import * as first from "./first.mjs";
import * as hidden from "./hidden.mjs";
import * as help from "./help.mjs";
import * as language from "./language.mjs";
import * as load from "./load.mjs";
import * as pictures from "./pictures.mjs";
import * as prompt from "./prompt.mjs";
import * as proposals from "./proposals.mjs";
import * as race from "./race.mjs";
import * as review from "./review.mjs";
import * as rewind from "./rewind.mjs";
import { wholeRound } from "./round.mjs";
import * as stream from "./stream.mjs";
import * as sessions from "./sessions.mjs";
import * as shared from "./shared.mjs";
import * as servers from "./servers.mjs";
import * as starting from "./start.mjs";
import { start } from "./support.mjs";
import * as transcript from "./transcript.mjs";
import * as trust from "./trust.mjs";

let rig;
before(async () => {
  rig = await start(process.env.PINTLE_VSIX);
});
after(() => rig?.stop());

const wanted = new RegExp(process.env.PINTLE_CASES ?? "");
for (const [name, run] of Object.entries({
  wholeRound,
  ...consent,
  ...first,
  ...prompt,
  ...axe,
  ...review,
  ...race,
  ...rewind,
  ...faults,
  ...stream,
  ...transcript,
  ...sessions,
  ...around,
  ...pictures,
  ...help,
  ...language,
  ...proposals,
  ...hidden,
  ...servers,
  ...trust,
  ...shared,
  ...starting,
  ...load,
})) {
  if (!wanted.test(name)) continue;
  const title = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  test(title, { timeout: 400_000 }, async () => {
    // Most cases share one VS Code; a case that needs it set up in another way starts its own.
    let used = rig;
    const own = async (options) => (used = await start(process.env.PINTLE_VSIX, options));
    try {
      await run(rig, own);
      if (!used.expectsRefusals) assert.deepEqual(used.refusals(), [], "only stable API is used");
    } catch (error) {
      await used.failed(name);
      throw error;
    } finally {
      await used.closeWindows();
      if (used !== rig) await used.stop();
    }
  });
}
