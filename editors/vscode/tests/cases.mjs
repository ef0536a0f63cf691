// Runs end-to-end cases, with one retry if requested, keeps evidence of failures, prints a line for each, and writes a JUnit report.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** How often a failed case is tried again. */
export const retries = Number(process.env.PINTLE_RETRIES_E2E ?? 0);
const evidence = process.env.PINTLE_EVIDENCE ?? fs.mkdtempSync(path.join(os.tmpdir(), "pintle-evidence-"));

/** Fails what is running: an error that nothing awaits is the running case's, and does not end the run. */
let failRunning = () => undefined;
process.on("unhandledRejection", (error) => failRunning(error));
process.on("uncaughtException", (error) => failRunning(error));

/** Waits for a piece of work, unless something else fails in the meantime or the limit is reached. */
function guarded(work, limitMs) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not over after ${limitMs / 1000} s`)), limitMs);
    failRunning = reject;
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

const escape = (text) =>
  text
    // eslint-disable-next-line no-control-regex -- XML has no way to write them.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

const TAGS = { failed: "failure", flaky: "flakyFailure" };

function element(suite, { name, seconds, outcome, why }) {
  const message = escape(why.split("\n")[0]);
  const inner =
    outcome === "skipped"
      ? `<skipped message="${message}"/>`
      : outcome === "passed"
        ? ""
        : `<${TAGS[outcome]} message="${message}">${escape(why)}</${TAGS[outcome]}>`;
  return `  <testcase name="${escape(name)}" classname="${suite}" time="${seconds.toFixed(3)}">${inner}</testcase>\n`;
}

/** The results of a suite. The report is written after each case, so that it is there however the run ends. */
export class Results {
  #suite;
  #results = [];
  #running = new Set();

  constructor(suite) {
    this.#suite = suite;
  }

  /** Adds a case that has ended, and says so. */
  add(result) {
    this.#results.push(result);
    const { name, seconds, outcome } = result;
    this.#running.delete(name);
    const words = { passed: "ok  ", failed: "FAIL", skipped: "skip", flaky: "flaky" };
    console.log(`${words[outcome]} ${name} (${seconds.toFixed(1)} s)`);
    this.#write();
  }

  /** Takes note of a case that has begun: unless it ends, it has failed. */
  begin(name) {
    this.#running.add(name);
    this.#write();
  }

  /** Leaves the sum for the script that runs this, and gives the exit status. */
  end() {
    const count = (wanted) => this.#results.filter(({ outcome }) => outcome === wanted).length;
    const [passed, failed, skipped, flaky] = ["passed", "failed", "skipped", "flaky"].map(count);
    const sum = `${passed} passed, ${failed} failed, ${skipped} skipped, ${flaky} flaky`;
    if (process.env.PINTLE_SUM === undefined) console.log(sum);
    else fs.writeFileSync(process.env.PINTLE_SUM, sum);
    return failed === 0 && passed + flaky > 0 ? 0 : 1;
  }

  #write() {
    const folder = process.env.PINTLE_REPORTS;
    if (!folder) return;
    fs.mkdirSync(folder, { recursive: true });
    const why = "the run ended in this case";
    const ended = [...this.#running].map((name) => ({ name, seconds: 0, outcome: "failed", why }));
    const cases = [...this.#results, ...ended].map((each) => element(this.#suite, each)).join("");
    const text = `<?xml version="1.0" encoding="utf-8"?>\n<testsuite name="${this.#suite}">\n${cases}</testsuite>\n`;
    fs.writeFileSync(path.join(folder, `${this.#suite}.xml`), text);
  }
}

/** Runs a case, again if it fails and attempts are left. After a failure, `keep` is called with the folder for what it leaves. */
export async function attempt({ suite, name, limitMs, run, keep, first = 1, last = 1 + retries }) {
  const begun = process.hrtime.bigint();
  let outcome = "passed";
  let why = "";
  for (let number = first; number <= last; number++) {
    try {
      await guarded(run, limitMs);
      if (outcome === "failed") outcome = "flaky";
      break;
    } catch (error) {
      const folder = path.join(evidence, suite, name, number > 1 ? `attempt-${number}` : "");
      fs.mkdirSync(folder, { recursive: true });
      const told = `${error?.stack ?? error}\nevidence: ${folder}`;
      // Of two failures, the first is told: the second may be of what the first has left.
      if (outcome === "passed") why = told;
      outcome = "failed";
      console.log(`     ${told.replaceAll("\n", "\n     ")}`);
      fs.writeFileSync(path.join(folder, "failure.txt"), `${told}\n`);
      await guarded(() => keep(folder), 60_000).catch((problem) =>
        console.log(`     not all of it was kept: ${problem}`),
      );
    }
  }
  return { name, outcome, why, seconds: Number(process.hrtime.bigint() - begun) / 1e9 };
}

/** Copies the journals that engines have written since a moment, in milliseconds. */
export function keepJournals(home, folder, since) {
  const sessions = path.join(home, "sessions");
  if (!fs.existsSync(sessions)) return;
  for (const name of fs.readdirSync(sessions, { recursive: true })) {
    const file = path.join(sessions, name);
    if (!name.endsWith("journal.jsonl") || fs.statSync(file).mtimeMs < since) continue;
    fs.copyFileSync(file, path.join(folder, `${path.basename(path.dirname(file))}.jsonl`));
  }
}
