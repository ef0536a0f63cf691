// The whole round, once: prompt, stream, tool run, approve, steer, diff, queue, stop, resume after a reload.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { LONG, until } from "./support.mjs";

const say = (text, more = {}) => ({ blocks: [{ text }], ...more });

export async function wholeRound(rig) {
  const folder = rig.folder("round 工作", {
    files: { "src/greet.sh": "#!/bin/sh\nname=$1\necho hello $name\n", "notes 笔记.md": "# Notes\n" },
    script: {
      delayMs: 15,
      replies: [
        {
          blocks: [
            { reasoning: "The greeting breaks when the name has blanks." },
            { text: "I will **read** the script first, then quote the name in `echo`.\n\n- one\n- two\n" },
            { tool: "read", arguments: { path: "src/greet.sh" } },
          ],
        },
        {
          blocks: [
            { text: "Now the change." },
            {
              tool: "edit",
              arguments: { path: "src/greet.sh", oldText: "echo hello $name", newText: 'echo "hello $name"' },
            },
          ],
        },
        { blocks: [{ tool: "bash", arguments: { command: "sh src/greet.sh 'two words'" } }] },
        {
          blocks: [
            { tool: "read", arguments: { path: "notes 笔记.md" } },
            { tool: "write", arguments: { path: "notes 笔记.md", content: "# Notes\n\nQuoted.\n" } },
          ],
        },
        say("Done, and noted as you asked."),
        say("This goes on and on. ".repeat(200)),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.shot("01-empty");

  await window.send("Fix the greeting for names with blanks");
  await window.sees("I will read the script first");
  await window.view.getByRole("button", { name: "Allow", exact: true }).waitFor({ timeout: LONG });
  await window.shot("02-approval");
  await window.status("1 open question").waitFor();
  assert.equal(folder.read("src/greet.sh").includes('"hello'), false, "nothing is written before the answer");

  await window.send("Write it into the notes too", "Steer");
  await window.view.locator(".queue", { hasText: "Write it into the notes too" }).waitFor();
  await window.shot("03-steer-waits");
  await window.button("Allow").click();
  await window.view
    .locator(".tool", { hasText: "Edited greet.sh" })
    .filter({ hasText: "+1" })
    .waitFor({ timeout: LONG });
  await window.view.locator(".user", { hasText: "Write it into the notes too" }).waitFor({ timeout: LONG });
  assert.match(folder.read("src/greet.sh"), /echo "hello \$name"/);

  await window.view.locator(".approval", { hasText: "sh src/greet.sh" }).waitFor({ timeout: LONG });
  await window.button("Allow").click();
  await window.view.locator(".approval", { hasText: "notes 笔记.md" }).waitFor({ timeout: LONG });
  await window.button("Allow").click();
  await window.sees("Done, and noted as you asked.");
  await window.view.locator(".end.completed").waitFor();
  await window.view.locator(".tool", { hasText: "Ran sh src/greet.sh" }).locator(".row").first().click();
  await window.sees("hello two words");
  await window.shot("04-done");

  const edited = window.view.locator(".tool", { hasText: "Edited greet.sh" });
  await edited.getByRole("button", { name: "greet.sh", exact: true }).click();
  await window.page.locator(".tab", { hasText: "greet.sh (accepted ↔ now)" }).waitFor({ timeout: LONG });
  await window.page.locator(".monaco-diff-editor .line-delete").first().waitFor({ timeout: LONG });
  const original = () => window.page.locator(".editor.original .view-lines").innerText();
  await until("the baseline is drawn", async () =>
    (await original()).replaceAll("\u00a0", " ").includes("echo hello $name"),
  );
  await window.shot("05-diff");

  await window.command("View: Show Pintle");
  await window.page
    .locator(".tree-explorer-viewlet-tree-view", { hasText: "greet.sh" })
    .first()
    .waitFor({ timeout: LONG });
  const row = (text) =>
    window.page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row", { hasText: text });
  await row("笔记.md").first().click();
  await window.page.locator(".tab", { hasText: "笔记.md (accepted ↔ now)" }).waitFor({ timeout: LONG });
  await window.command("Pintle: Review All Changes");
  await window.page.locator(".tab", { hasText: "Open Hunks" }).waitFor({ timeout: LONG });
  await window.page
    .locator(".multiDiffEditor .line-insert, .monaco-diff-editor .line-insert")
    .first()
    .waitFor({ timeout: LONG });
  await window.shot("06-tree-and-all-changes");

  await window.send("Go on");
  await window.sees("This goes on and on.");
  await window.send("and then this", "Queue");
  await window.view.locator(".queue", { hasText: "and then this" }).waitFor();
  await window.shot("07-running-with-queue");
  await window.button("Stop").click();
  await window.view.locator(".end.interrupted").waitFor({ timeout: LONG });
  await until("the unread message is back", async () => (await window.box.inputValue()) === "and then this");
  await window.shot("08-stopped");

  // A double click keeps the tab.
  await row("greet.sh").first().dblclick();
  await window.page.locator(".tab", { hasText: "greet.sh (accepted ↔ now)" }).waitFor({ timeout: LONG });
  const [before] = folder.engines();
  // In order, so that VS Code keeps its tabs; another case reloads the page without warning.
  await window.reloadInOrder();
  await window.sees("Done, and noted as you asked.");
  await window.view.locator(".end.interrupted").waitFor();
  assert.equal(await window.box.inputValue(), "and then this", "the draft is kept");
  // The diff tab that was left open is resolved again.
  await until("the old engine is gone", () => folder.engines().every((each) => each.pid !== before.pid));
  await window.page
    .locator(".tab.active", { hasText: "greet.sh (accepted ↔ now)" })
    .waitFor({ timeout: LONG });
  await until("the baseline is drawn", async () =>
    (await original()).replaceAll("\u00a0", " ").includes("echo hello $name"),
  );
  await window.box.fill("");
  await window.send("Once more");
  await window.view.locator(".user", { hasText: "Once more" }).waitFor({ timeout: LONG });
  await window.view.getByRole("button", { name: "Allow", exact: true }).waitFor({ timeout: LONG });
  await window.view.getByRole("button", { name: "Deny", exact: true }).click();
  await window.view.locator('.tool[data-status="declined"]').waitFor({ timeout: LONG });
  await window.shot("09-resumed");
  await window.button("Stop").click();

  await window.close();
  await until("no engine is left when the window is closed", () => folder.engines().length === 0);
  assert.ok(fs.existsSync(folder.path));
}
