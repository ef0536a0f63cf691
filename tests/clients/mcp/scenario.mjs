// One scenario of the protocol's conformance suite: a session with the server at the address that comes last, whose model calls each tool.
import { Home } from "./home.mjs";

const url = process.argv.at(-1);
const home = new Home({ suite: { url } });
const known = { add_numbers: { a: 5, b: 3 } };
const { suite } = home.test();
if (suite?.status !== "ready") throw new Error(JSON.stringify(suite));
const calls = (suite.tools ?? []).map((tool) => [`mcp__suite__${tool.name}`, known[tool.name] ?? {}]);
// A person who leaves everything out.
const program = home.serve(calls, () => ({ text: "-" }));
await program.ask("initialize", {
  protocol: { name: "pintle", versions: ["1.0"] },
  capabilities: { approvals: {}, questions: {} },
});
await program.ask("session/create", {});
await program.ask("turn/start", { input: [{ type: "text", text: "go" }] });
await program.ended;
program.close();
