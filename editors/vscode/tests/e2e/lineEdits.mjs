// Inline edits, which leave the chat as it is.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, edit, say, until } from "./support.mjs";

const input = (window) => window.page.locator(".quick-input-widget input");

/** Asks for an edit of the selected lines. */
async function ask(window, title, request) {
  await window.page.keyboard.press("Control+k");
  await window.page.keyboard.press("Alt+e");
  await window.page.locator(".quick-input-title", { hasText: title }).waitFor({ timeout: LONG });
  await input(window).fill(request);
  await window.page.keyboard.press("Enter");
}

/** The titles of the stored sessions. */
function stored(rig, folder) {
  const sessions = path.join(rig.base, "home/sessions");
  return fs
    .readdirSync(sessions, { recursive: true })
    .filter((name) => name.endsWith("journal.jsonl"))
    .map((name) => fs.readFileSync(path.join(sessions, name), "utf8"))
    .filter((journal) => journal.includes(folder.path))
    .map((journal) => JSON.parse(journal.split("\n", 1)[0]));
}

export async function linesAreEditedBesideTheChat(rig) {
  const folder = rig.folder("line-edits", {
    files: { "a.txt": "one\ntwo\nthree\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        say("The chat's answer."),
        edit("a.txt", ["two", "TWO"]),
        say("Done."),
        say("There is nothing to change.\nReally."),
        { ...say("Working."), hang: true },
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("hello");
  await window.answers("The chat's answer.");

  await window.open("a.txt");
  await window.toLine("two");
  await ask(window, "Edit a.txt:2", "shout");
  await window.notification("Edited a.txt.").waitFor({ timeout: LONG });
  assert.equal(folder.read("a.txt"), "one\nTWO\nthree\n");
  await window.lens("−1 +1", "Keep").waitFor({ timeout: LONG });
  await window.shot("line-edit");
  const transcript = await window.transcript();
  assert.ok(transcript.includes("The chat's answer.") && !transcript.includes("shout"), transcript);
  await window.clickLens("−1 +1", "Undo");
  await until("the lines are back", () => folder.read("a.txt") === "one\ntwo\nthree\n");

  // An edit without changes reports the reason, and is deleted.
  await window.toLine("one");
  await window.page.keyboard.press("Shift+Control+End");
  await ask(window, "Edit a.txt:1-", "nothing");
  const nothing = window.notification("Nothing was changed in a.txt:1-");
  await nothing.waitFor({ timeout: LONG });
  assert.match(await nothing.innerText(), /There is nothing to change\./);
  const before = stored(rig, folder).length;
  await nothing.hover();
  await nothing.locator(".codicon-notifications-clear").click();
  await until("the edit is deleted", () => stored(rig, folder).length === before - 1);

  // A running edit can be stopped.
  await window.toLine("three");
  await ask(window, "Edit a.txt:3", "wait");
  const running = window.notification("Editing a.txt:3: wait");
  await running.waitFor({ timeout: LONG });
  await running.getByRole("button", { name: "Cancel" }).click({ timeout: LONG });
  await running.waitFor({ state: "hidden", timeout: LONG });
  await until("the stopped edit is deleted", () => stored(rig, folder).length === before - 1);
  await window.answers("The chat's answer.");
}
