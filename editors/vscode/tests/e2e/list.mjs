// All cases by name: the tests, and the benchmarks of `run.sh bench`.
import * as around from "./around.mjs";
import * as axe from "./axe.mjs";
import * as configFile from "./configFile.mjs";
import * as consent from "./consent.mjs";
import * as faults from "./faults.mjs";
import * as first from "./first.mjs";
import * as hidden from "./hidden.mjs";
import * as help from "./help.mjs";
import * as language from "./language.mjs";
import * as lineEdits from "./lineEdits.mjs";
import * as load from "./load.mjs";
import * as messages from "./messages.mjs";
import * as notebooks from "./notebooks.mjs";
import * as opening from "./opening.mjs";
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
import * as terminals from "./terminals.mjs";
import * as scm from "./scm.mjs";
import * as sources from "./sources.mjs";
import * as starting from "./start.mjs";
import * as times from "./times.mjs";
import * as tools from "./tools.mjs";
import * as transcript from "./transcript.mjs";
import * as trust from "./trust.mjs";

/** Returns the cases of a suite. */
export function casesOf(suite) {
  return suite === "vscode-bench" ? { ...times } : CASES;
}

/** Long cases come first, so that both processes end at about the same time. */
const CASES = {
  ...load,
  ...stream,
  wholeRound,
  ...consent,
  ...first,
  ...prompt,
  theTerminalTheDiffAndAllProblemsAreAttached: sources.theTerminalTheDiffAndAllProblemsAreAttached,
  ...scm,
  ...notebooks,
  ...terminals,
  ...lineEdits,
  ...opening,
  ...axe,
  ...review,
  ...race,
  ...rewind,
  ...faults,
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
};
