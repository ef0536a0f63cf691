// The TypeScript client makes of each fixture's events the state that the fixture says.
// usage: node reduce.mjs CLIENT FIXTURES
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [client, folder] = process.argv.slice(2);
const { Session } = await import(pathToFileURL(client));
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
assert.ok(names.length >= 16, "there are fixtures");
for (const name of names) {
  const { sessionId, events, state } = JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
  const session = new Session(sessionId);
  for (const record of events) session.apply(record);
  assert.deepEqual(JSON.parse(JSON.stringify(session.snapshot())), state, name);
}
console.log(`${names.length} fixtures`);
