// A home with settings for pintle, and the program in it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, writeFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// A value of a config file: text, a list, or a table.
function toml(value) {
  if (typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([key, inner]) => `${key} = ${toml(inner)}`).join(", ")} }`;
}

export class Home {
  constructor(servers) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "pintle-mcp-")));
    this.project = join(this.folder, "project");
    mkdirSync(this.project);
    mkdirSync(join(this.folder, "home"));
    const tables = Object.entries(servers).map(([name, keys]) => {
      const lines = Object.entries(keys).map(([key, value]) => `${key} = ${toml(value)}`);
      return `[mcp_servers.${name}]\n${lines.join("\n")}\n`;
    });
    writeFileSync(join(this.folder, "home", "config.toml"), tables.join("\n"));
  }

  get options() {
    return { cwd: this.project, env: { ...process.env, PINTLE_HOME: join(this.folder, "home") } };
  }

  // The states that `pintle mcp test` prints, by name.
  test() {
    const out = spawnSync(process.env.PINTLE_BIN, ["mcp", "test", "--json"], { ...this.options, encoding: "utf8" });
    const states = out.stdout.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
    return Object.fromEntries(states.map((state) => [state.name, state]));
  }

  script(calls) {
    const path = join(this.folder, "script.json");
    const replies = calls.map(([tool, args]) => ({ blocks: [{ tool, arguments: args }] }));
    writeFileSync(path, JSON.stringify({ replies: [...replies, { blocks: [{ text: "done" }] }] }));
    return path;
  }

  // Has a model make these calls. Returns their items.
  run(calls) {
    const args = ["run", "--quiet", "--permission", "full", "--format", "events", "--script", this.script(calls), "go"];
    const out = spawnSync(process.env.PINTLE_BIN, args, { ...this.options, encoding: "utf8", maxBuffer: 1 << 28 });
    const events = out.stdout.trim().split("\n").map((line) => JSON.parse(line).event);
    const items = events.filter((event) => event?.type === "item.completed" && event.item.type === "toolCall");
    return { items: items.map((event) => event.item), errors: out.stderr };
  }

  // A connection in the native protocol, whose questions are answered by `answer`.
  serve(calls, answer) {
    const args = ["serve", "--permission", "full", "--script", this.script(calls)];
    const child = spawn(process.env.PINTLE_BIN, args, { ...this.options, stdio: ["pipe", "pipe", "inherit"] });
    const waiting = new Map();
    let turn;
    const ended = new Promise((done) => (turn = done));
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.method === "question/request") send({ id: message.id, result: answer(message.params) });
      else if (message.params?.event?.type === "turn.completed") turn();
      else if (waiting.has(message.id)) waiting.get(message.id)(message.result ?? message.error);
    });
    let next = 0;
    const ask = (method, params) =>
      new Promise((done) => {
        next += 1;
        waiting.set(next, done);
        send({ id: next, method, params });
      });
    return { ask, ended, close: () => child.stdin.end() };
  }
}
