// The streamable HTTP of the protocol's own SDK in front of `pintle mcp`, which speaks over its streams: the conformance suite reaches servers
// by an address alone. Prints the address, and passes every message on as it is.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Home } from "./home.mjs";

const require = createRequire(join(process.env.SERVERS, "node_modules/"));
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
const home = new Home({});
const script = home.script([]);
const sessions = new Map();

function start(transport) {
  const child = spawn(process.env.PINTLE_BIN, ["mcp", "--script", script], { ...home.options, stdio: ["pipe", "pipe", "inherit"] });
  transport.onmessage = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  transport.onclose = () => child.stdin.end();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    void transport.send(message).catch(() => {});
  });
}

createServer(async (request, response) => {
  let transport = sessions.get(request.headers["mcp-session-id"]);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    start(transport);
  }
  await transport.handleRequest(request, response);
}).listen(0, "127.0.0.1", function () {
  console.log(`http://127.0.0.1:${this.address().port}/mcp`);
});
