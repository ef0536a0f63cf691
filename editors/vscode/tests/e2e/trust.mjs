// A folder that VS Code trusts.
import assert from "node:assert/strict";
import { say } from "./support.mjs";

export async function aFolderThatTheEditorTrustsIsTrustedByTheEngine(rig) {
  const files = { "AGENTS.md": "Answer briefly.\n", ".pintle/permissions.toml": "" };
  const folder = rig.folder("trusted", { files, script: { replies: [say("brief")] } });
  const window = await rig.window(folder);
  await window.show();
  await window.send("go");
  await window.sees("brief");
  // The engine tells of each file that it does not use.
  assert.doesNotMatch(await window.transcript(), /not trusted/);
  await window.page.context().close();
}
