// Servers that nobody here wrote, over both transports: each is started as a session starts it, and its tools are called by a model.
import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Home } from "./home.mjs";

const servers = process.env.SERVERS;
const everything = join(servers, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

// A free port of the loopback.
const port = await new Promise((done) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const found = probe.address().port;
    probe.close(() => done(found));
  });
});
const http = spawn(process.execPath, [everything, "streamableHttp"], {
  env: { ...process.env, PORT: String(port) },
  stdio: ["ignore", "ignore", "pipe"],
});
await new Promise((done) => http.stderr.on("data", (text) => String(text).includes("listening") && done()));

const home = new Home({
  everything: { command: process.execPath, args: [everything] },
  web: { url: `http://127.0.0.1:${port}/mcp` },
  files: { command: join(servers, "node_modules/.bin/mcp-server-filesystem"), args: ["."] },
  time: { command: "mcp-server-time" },
  git: { command: "mcp-server-git" },
});
const git = (...args) => execFileSync("git", args, { cwd: home.project, encoding: "utf8" });
git("init", "-q");
git("config", "user.name", "A");
git("config", "user.email", "a@example.org");
writeFileSync(join(home.project, "note.txt"), "one\n");
git("add", ".");

try {
  const states = home.test();
  for (const [name, least] of Object.entries({ everything: 10, web: 10, files: 10, time: 2, git: 10 })) {
    const state = states[name];
    assert.equal(state?.status, "ready", `${name}: ${state?.message}`);
    assert.ok(state.tools.length >= least, name);
    console.log(`${name}: ${state.about}, ${state.tools.length} tools`);
  }

  const repo = home.project;
  const rows = [
    ["mcp__everything__echo", { message: "hello" }, /Echo: hello/],
    ["mcp__everything__get-sum", { a: 2, b: 40 }, /42/],
    ["mcp__everything__get-tiny-image", {}, /"type":"image","mimeType":"image\/png"/],
    ["mcp__everything__get-structured-content", { location: "New York" }, /temperature/],
    ["mcp__everything__get-resource-links", { count: 2 }, /`mcp_resource` reads it/],
    ["mcp__everything__trigger-long-running-operation", { duration: 1, steps: 2 }, /completed/],
    ["mcp__everything__get-env", {}, /PATH/],
    ["mcp_resource", { server: "everything" }, /demo:\/\/resource/],
    ["mcp__web__echo", { message: "over HTTP" }, /Echo: over HTTP/],
    ["mcp__web__get-sum", { a: 1, b: 1 }, /2/],
    ["mcp__files__write_file", { path: join(repo, "made.txt"), content: "made" }, /Successfully wrote/],
    ["mcp__files__read_text_file", { path: "/etc/passwd" }, /Access denied/],
    ["mcp__time__convert_time", { source_timezone: "UTC", time: "12:00", target_timezone: "Asia/Tokyo" }, /21:00/],
    ["mcp__time__get_current_time", { timezone: "Nowhere/None" }, /Invalid timezone/],
    ["mcp__git__git_status", { repo_path: repo }, /note\.txt/],
    ["mcp_find", { query: "git status" }, /mcp__git__git_status/],
  ];
  // These servers have more tools than are listed one by one.
  const call = ([tool, args]) => (tool.startsWith("mcp__") ? ["mcp_call", { tool, arguments: args }] : [tool, args]);
  const { items, errors } = home.run(rows.map(call));
  assert.equal(items.length, rows.length, errors);
  rows.forEach(([tool, args, want], row) => {
    assert.match(JSON.stringify(items[row].output.content), want, `${tool} ${JSON.stringify(args)}`);
  });
  assert.ok(existsSync(join(repo, "made.txt")));
  assert.equal(readFileSync(join(repo, "made.txt"), "utf8"), "made");
  // Its own variables are not those of this process.
  const variables = JSON.stringify(items[6].output.content);
  assert.ok(!variables.includes("PINTLE_BIN") && !variables.includes("SERVERS"), variables);
  console.log(`${rows.length} calls: fine`);
} finally {
  http.kill();
}
