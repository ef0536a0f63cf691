// A folder that VS Code trusts.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, call, say, until } from "./support.mjs";

export async function aFolderThatTheEditorTrustsIsTrustedByTheEngine(rig) {
  const files = { "AGENTS.md": "Answer briefly.\n", ".pintle/permissions.toml": "" };
  const folder = rig.folder("trusted", { files, script: { replies: [say("brief")] } });
  const window = await rig.window(folder);
  await window.show();
  await window.send("go");
  await window.answers("brief");
  // The engine tells of each file that it does not use.
  assert.doesNotMatch(await window.transcript(), /not trusted/);
  await window.close();
}

export async function filesThatAppearAreUsedOnceAPersonHasChosenThem(rig) {
  const rule = '[[rules]]\ndecision = "allow"\nargv = ["touch", "**"]\n';
  const touch = call("bash", { command: "touch made" });
  const folder = rig.folder("appeared", {
    files: { "a.txt": "one\n" },
    script: { replies: [say("noted"), say("second"), touch, say("third")] },
  });
  const window = await rig.window(folder);
  await window.show();
  await window.send("go");
  await window.answers("noted");
  const file = path.join(folder.path, ".pintle/permissions.toml");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, rule);
  await window.send("go on");
  await window.answers("second");
  await window.sees("Review the Project's Files… shows them");
  const told = window.notification("were added, changed or removed without your approval");
  await told.getByRole("button", { name: "Review the Files…" }).click({ timeout: LONG });
  const row = window.page.locator(".quick-input-list .monaco-list-row", {
    hasText: ".pintle/permissions.toml",
  });
  await row.waitFor({ timeout: LONG });
  await window.shot("67-project-files");
  // Nothing is chosen beforehand.
  await window.choose(".pintle/permissions.toml");
  await window.notification("The files take effect with the next turn.").waitFor({ timeout: LONG });
  // The rule holds: nobody is asked.
  await window.send("make it");
  await window.answers("third");
  assert.ok(fs.existsSync(path.join(folder.path, "made")));
  await window.close();
}

export async function anAnswerIsTakenBackWhileTheTurnRuns(rig) {
  const command = (text) => call("bash", { command: text });
  const replies = [command("touch a"), command("mkdir d"), command("touch c"), say("all asked")];
  const folder = rig.folder("rules", { files: { "b.txt": "b\n" }, script: { replies } });
  const window = await rig.window(folder);
  await window.show();
  await window.send("go");
  const card = (text) => window.view.locator(".approval", { hasText: text });
  const button = (text, name) => card(text).getByRole("button", { name, exact: true });
  await button("touch a", "More answers").click({ timeout: LONG });
  const always = card("touch a").locator(".answers li", { hasText: "for this session" });
  await always.getByRole("button").click();
  await card("mkdir d").waitFor({ timeout: LONG });
  await window.command("Pintle: Permission Rules…");
  const row = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "allow `touch **`" });
  await row.filter({ hasText: "for this session" }).waitFor({ timeout: LONG });
  await window.shot("68-rules");
  await row.hover();
  await row.locator(".codicon-trash").click({ timeout: LONG });
  await until("the rule is gone", async () => (await row.count()) === 0);
  await window.page.keyboard.press("Escape");
  await button("mkdir d", "Allow").click();
  // The same command asks again.
  await button("touch c", "Deny").click({ timeout: LONG });
  await window.sees("all asked");
  assert.deepEqual([folder.has("a"), folder.has("d"), folder.has("c")], [true, true, false]);
  await window.close();
}
