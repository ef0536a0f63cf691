// A client of the native protocol that shares the engine with the window, as Neovim does.
import { spawn } from "node:child_process";
import * as readline from "node:readline";
import { engineBinary } from "../../../editors/vscode/tests/e2e/support.mjs";

/** Attaches to the engine that listens. */
export async function attach(env, cwd) {
  const child = spawn(engineBinary, ["attach"], {
    env,
    cwd,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map();
  let ids = 0;
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, method, result, error } = JSON.parse(line);
    if (method !== undefined || !waiting.has(id)) return;
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  });
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++ids;
      waiting.set(id, { resolve, reject });
      write({ id, method, params });
    });
  await ask("initialize", {
    protocol: { name: "pintle", versions: ["2.0"] },
    capabilities: {},
  });
  return {
    ask,
    end: () => child.stdin.end(),
    onlySession: async () => {
      const { sessions } = await ask("session/list", {});
      if (sessions.length !== 1) throw new Error(`expected one session, found ${sessions.length}`);
      return sessions[0].sessionId;
    },
  };
}
