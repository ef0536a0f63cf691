// Drives the package in a real VS Code. Usage: node tests/e2e/main.mjs [NAME…], with the variables that run.sh sets.
import assert from "node:assert/strict";
import { Results, attempt } from "../cases.mjs";
import * as around from "./around.mjs";
import * as axe from "./axe.mjs";
import * as configFile from "./configFile.mjs";
import * as consent from "./consent.mjs";
import * as faults from "./faults.mjs";
import * as first from "./first.mjs";
import * as hidden from "./hidden.mjs";
import * as help from "./help.mjs";
import * as language from "./language.mjs";
import * as load from "./load.mjs";
import * as messages from "./messages.mjs";
import * as page from "./page.mjs";
import * as panels from "./panels.mjs";
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
import * as times from "./times.mjs";
import * as tools from "./tools.mjs";
import * as transcript from "./transcript.mjs";
import * as trust from "./trust.mjs";

const SUITE = process.env.PINTLE_SUITE;
/** A case that is not over by then hangs: all its waits have limits. */
const LIMIT_MS = 400_000;

const cases =
  SUITE === "vscode-bench"
    ? { ...times }
    : {
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
        ...messages,
        callsAreOneRowEachAndLooksAreFolded: tools.callsAreOneRowEachAndLooksAreFolded,
        ...sessions,
        ...panels,
        ...around,
        ...pictures,
        ...page,
        ...help,
        ...configFile,
        ...language,
        ...proposals,
        ...hidden,
        ...servers,
        ...trust,
        ...shared,
        ...starting,
        ...load,
      };

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

const wanted = process.argv.slice(2);
const results = new Results(SUITE);
for (const [name, body] of Object.entries(cases)) {
  const title = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part) || title.includes(part))) continue;
  results.begin(name);
  results.add(await attempt({ suite: SUITE, name, limitMs: LIMIT_MS, run: () => run(body), keep }));
}
await common?.stop();
process.exit(results.end());
