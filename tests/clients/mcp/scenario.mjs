// One scenario of the protocol's conformance suite: a session with the server at the address that comes last, whose model makes the calls
// that the scenario names, and calls each other tool.
import { Home } from "./home.mjs";

const url = process.argv.at(-1);
const home = new Home({ suite: { url } });
const known = { add_numbers: { a: 5, b: 3 }, valid_tool: { region: "us-west1" } };
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const { suite } = home.test();
if (suite?.status !== "ready") throw new Error(JSON.stringify(suite));
const named = context.toolCalls ?? [];
const others = (suite.tools ?? []).map((tool) => tool.name).filter((name) => !named.some((call) => call.name === name));
const wanted = [...named, ...others.map((name) => ({ name, arguments: known[name] ?? {} }))];
const calls = wanted.map((call) => [`mcp__suite__${call.name}`, call.arguments]);
// A person who leaves everything out.
const program = home.serve(calls, () => ({ text: "-" }));
await program.ask("initialize", {
  protocol: { name: "pintle", versions: ["2.0"] },
  capabilities: { approvals: {}, questions: {} },
});
await program.ask("session/create", {});
await program.ask("turn/start", { input: [{ type: "text", text: "go" }] });
await program.ended;
program.close();
