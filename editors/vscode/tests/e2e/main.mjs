// Drives the package in a real VS Code. Usage: node tests/e2e/main.mjs [NAME…], with the variables that run.sh sets.
import { fork } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";
import { Results } from "../cases.mjs";
import { casesOf } from "./list.mjs";

const SUITE = process.env.PINTLE_SUITE;
/** The number of processes, each with its own VS Code and browser. Benchmarks run one case at a time. */
const WORKERS = Number(process.env.PINTLE_WORKERS ?? (SUITE === "vscode-bench" ? 1 : 2));

/** A process that runs cases. */
class Worker {
  #child = fork(path.join(import.meta.dirname, "worker.mjs"));
  #exited = once(this.#child, "exit");
  hasExited = false;

  /** Runs a case, and returns its result and its output. */
  async run(name) {
    const lines = [];
    const begun = performance.now();
    const result = await new Promise((resolve) => {
      const listen = (message) => {
        if (message.line !== undefined) lines.push(message.line);
        if (message.result === undefined) return;
        this.#child.off("message", listen);
        resolve(message.result);
      };
      this.#child.on("message", listen);
      this.#child.send({ name });
      void this.#exited.then(([code, signal]) => {
        this.hasExited = true;
        const why = `its process ended with ${signal ?? code}`;
        resolve({ name, outcome: "failed", why, seconds: (performance.now() - begun) / 1000 });
      });
    });
    return { result, lines };
  }

  async end() {
    this.#child.send({});
    await this.#exited;
  }
}

const wanted = process.argv.slice(2);
const isWanted = (name) => {
  const title = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return wanted.length === 0 || wanted.some((part) => name.includes(part) || title.includes(part));
};
const results = new Results(SUITE);
const left = Object.keys(casesOf(SUITE)).filter(isWanted);

/** Runs cases in one process until none is left. */
async function work() {
  let worker;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    results.begin(name);
    if (worker === undefined || worker.hasExited) worker = new Worker();
    const { result, lines } = await worker.run(name);
    for (const line of lines) console.log(line);
    results.add(result);
  }
  if (worker !== undefined && !worker.hasExited) await worker.end();
}

await Promise.all(Array.from({ length: WORKERS }, work));
process.exit(results.end());
