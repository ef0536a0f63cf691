// One scenario of the protocol's conformance suite about logins: a person logs in, whose browser agrees to everything, and a session calls
// each tool; where the server wants more than that, the person logs in once more.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Home } from "./home.mjs";

const url = process.argv.at(-1);
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
// The suite's servers are on this machine, and name each other.
const client = context.client_id && { client_id: context.client_id, client_secret: context.client_secret };
const home = new Home({ suite: { url, oauth: { private_addresses: true, ...client } } });

async function logIn(scopes) {
  const more = scopes ? ["--scopes", scopes] : [];
  const child = spawn(process.env.PINTLE_BIN, ["mcp", "login", "suite", ...more], { ...home.options, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("exit", done));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("http")) await fetch(line.trim());
  }
  return (await ended) === 0;
}

// What the program says where the server wants a (further) login: the scopes that it names, or nothing.
function wantedLogin() {
  const { suite } = home.test();
  let words = suite?.message ?? "";
  if (suite?.status === "ready") {
    const { items } = home.run((suite.tools ?? []).map((tool) => [`mcp__suite__${tool.name}`, {}]));
    words = items.map((item) => item.output.content.map((block) => block.text).join("\n")).join("\n");
  }
  const found = words.match(/pintle mcp login suite(?: --scopes '([^']*)')?`/);
  return found && { scopes: found[1] };
}

for (let round = 0; round < 3; round += 1) {
  const wanted = wantedLogin();
  if (!wanted) break;
  if (!(await logIn(wanted.scopes))) process.exit(1);
}
