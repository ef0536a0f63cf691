// What goes wrong: the engine is missing, of another version, killed; the window is reloaded, doubled, gone.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, processes, say, until } from "./support.mjs";

const hanging = { replies: [{ blocks: [{ text: "I begin with a long thought" }], hang: true }], delayMs: 5 };

export async function aMissingEngineIsSaidAndARetryFindsIt(rig) {
  const program = path.join(rig.base, "later", "pintle");
  const folder = rig.folder("missing", {
    script: { replies: [{ blocks: [{ text: "Here I am." }] }] },
    settings: { "pintle.path": program },
  });
  const window = await rig.window(folder);
  await window.sees("which is not a program");
  await window.shot("10-missing");
  await window.button("Install…").click();
  const rows = window.page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "install.sh | sh" }).first().waitFor({ timeout: LONG });
  await window.shot("10-install");
  await window.page.keyboard.press("Escape");
  await window.send("Anybody there?");
  await until("the text is back", async () => (await window.box.inputValue()) === "Anybody there?");
  fs.mkdirSync(path.dirname(program));
  fs.writeFileSync(program, `#!/bin/sh\nexec "${process.env.PINTLE_BIN}" "$@"\n`, { mode: 0o755 });
  await window.button("Retry").click();
  await window.status("Pintle").waitFor();
  await until("the engine is there", async () => (await window.view.locator(".banner").count()) === 0);
  await window.send("Anybody there?");
  await window.sees("Here I am.");
  await window.close();
}

/** The tab of the settings editor that is open, once a setting is listed in it. */
async function settingsTab(window, setting) {
  await window.page
    .locator(".settings-editor .setting-item-contents", { hasText: setting })
    .first()
    .waitFor({ timeout: LONG });
  return window.page.locator(".settings-tabs-widget .action-item .action-label.checked").innerText();
}

export async function aSettingIsOpenedWhereItHolds(_, own) {
  const rig = await own();
  const machine = path.join(rig.base, "user-data/Machine");
  fs.mkdirSync(machine, { recursive: true });
  fs.writeFileSync(path.join(machine, "settings.json"), JSON.stringify({ "pintle.path": "/nowhere/pintle" }));
  const settings = { "pintle.path": undefined, "pintle.arguments": undefined };
  const window = await rig.window(rig.folder("settings remote", { settings }));
  await window.sees("which is not a program");
  await window.button("Settings").click();
  assert.match(await settingsTab(window, "Path"), /^Remote/);
  await window.shot("11-settings-remote");
  await window.close();
  // Arguments of the workspace that the engine rejects.
  const rejected = { "pintle.arguments": ["--nope"] };
  const other = await rig.window(rig.folder("settings workspace", { settings: rejected }));
  await other.sees(
    "The engine rejected its options: Unexpected argument '--nope' found. Check the setting pintle.arguments.",
  );
  await other.shot("11-arguments");
  await other.button("Settings").click();
  assert.equal(await settingsTab(other, "Arguments"), "Workspace");
}

export async function anEngineOfAnotherVersionIsRefused(rig) {
  const fake = path.resolve(import.meta.dirname, "../unit/fake-engine.mjs");
  for (const [name, version, hint] of [
    ["older", "0.9", "The engine is too old"],
    ["newer", "2.0", "update this extension"],
  ]) {
    const program = path.join(rig.base, `engine-${name}`);
    const plan = JSON.stringify({ supported: [version] });
    fs.writeFileSync(program, `#!/bin/sh\nFAKE_ENGINE='${plan}' exec "${process.execPath}" "${fake}"\n`, {
      mode: 0o755,
    });
    const folder = rig.folder(name, { settings: { "pintle.path": program } });
    const window = await rig.window(folder);
    await window.sees(`The engine speaks ${version}`);
    await window.sees(hint);
    if (name === "newer") await window.shot("11-version");
    await window.close();
  }
}

export async function anEngineKilledInMidStreamComesBackWithTheSession(rig) {
  const folder = rig.folder("killed", { script: hanging });
  const window = await rig.window(folder);
  await window.send("Think");
  await window.sees("I begin with a long thought");
  const [engine] = folder.engines();
  process.kill(engine.pid, "SIGKILL");
  await window.view.locator(".end.failed").waitFor({ timeout: LONG });
  await until("another engine runs", () => folder.engines().some((each) => each.pid !== engine.pid));
  assert.equal(await window.view.locator(".user").count(), 1, "the session goes on");
  await window.button("Continue").waitFor();
  await window.shot("12-after-a-crash");
  await window.button("Try Again").click();
  await until("it works again", async () => (await window.view.locator(".agent").count()) === 2);
  assert.deepEqual(await window.view.locator(".user").allInnerTexts(), ["Think", "Think"]);
  assert.equal(await window.button("Continue").count(), 0, "the way on is offered once");
  await window.close();
  await until("no engine is left", () => folder.engines().length === 0);
}

export async function aWindowReloadedInMidTurnFindsItsSession(rig) {
  const folder = rig.folder("reloaded", { script: hanging });
  const window = await rig.window(folder);
  await window.send("Think");
  await window.sees("I begin with a long thought");
  const [engine] = folder.engines();
  await window.reload();
  await window.view.locator(".end").waitFor({ timeout: LONG });
  await window.sees("I begin with a long thought");
  await window.shot("13-reloaded-in-mid-turn");
  await until("the old engine is gone", () => folder.engines().every((each) => each.pid !== engine.pid));
  assert.equal(folder.engines().length, 1);
  await window.send("Again");
  await until("it works again", async () => (await window.view.locator(".agent").count()) === 2);
  await window.close();
}

export async function aSecondWindowIsToldThatTheSessionIsTaken(rig) {
  const folder = rig.folder("two windows", {
    script: { replies: [{ blocks: [{ text: "First answer." }] }, { blocks: [{ text: "Second answer." }] }] },
  });
  const first = await rig.window(folder);
  await first.send("In the first window");
  await first.sees("First answer.");
  const second = await rig.window(folder);
  await second.sees("The session is open in another window.");
  // It is readable, and unsent text is kept.
  await second.sees("First answer.");
  await second.shot("14-two-windows");
  await second.send("Not sent");
  await until("the text is back", async () => (await second.box.inputValue()) === "Not sent");
  await second.sees("The session is open in another window.");
  await second.box.fill("");
  await second.button("New Session").click();
  await until("the problem is gone", async () => (await second.view.locator(".banner").count()) === 0);
  await second.send("In the second window");
  // The previous session has the same answer.
  await second.view.locator(".user", { hasText: "In the second window" }).waitFor({ timeout: LONG });
  await second.answers("First answer.");
  await first.send("On");
  await first.sees("Second answer.");
  assert.equal(folder.engines().length, 2);
  await first.close();
  await second.close();
  await until("no engine is left", () => folder.engines().length === 0);
}

export async function aSessionIsOpenedHereOnceTheOtherWindowIsGone(rig) {
  const folder = rig.folder("open here", { script: { replies: [say("First answer.")] } });
  const first = await rig.window(folder);
  await first.send("In the first window");
  await first.sees("First answer.");
  const second = await rig.window(folder);
  await second.button("Open Here").waitFor({ timeout: LONG });
  await second.shot("14-open-here");
  await first.close();
  await until("the first engine is gone", () => folder.engines().length === 1);
  // The window asks again by itself for a few seconds: the button is there unless that came first.
  await until("it is open", async () => {
    if ((await second.view.locator(".banner").count()) === 0) return true;
    await second
      .button("Open Here")
      .click({ timeout: 1000 })
      .catch(() => undefined);
    return false;
  });
  await second.send("In the second window");
  await second.view.locator(".end.completed").nth(1).waitFor({ timeout: LONG });
  assert.equal(await second.view.locator(".user").count(), 2, "the session goes on");
  await second.close();
}

export async function aFolderThatIsNotTrustedStartsNothing(_, own) {
  const rig = await own({ trustsAll: false });
  const folder = rig.folder("untrusted", { script: { replies: [{ blocks: [{ text: "Now I run." }] }] } });
  const window = await rig.window(folder);
  await window.sees("This folder is not trusted.");
  assert.deepEqual(folder.engines(), []);
  await window.shot("19-untrusted");
  // What is sent is kept, and the way to trust is offered.
  await window.send("Go");
  await window
    .notification("not trusted")
    .getByRole("button", { name: "Manage Trust" })
    .waitFor({ timeout: LONG });
  assert.equal(await window.box.inputValue(), "Go");
  await window.button("Manage Trust").click();
  await window.page.locator(".workspace-trust-editor").getByText("Trust", { exact: true }).first().click();
  await until("an engine runs", () => folder.engines().length === 1);
  await window.page.getByRole("button", { name: "Pintle: ready" }).waitFor();
}

export async function anExtensionHostThatIsKilledTakesItsEngineAlong(rig) {
  const folder = rig.folder("host killed", { script: hanging });
  const window = await rig.window(folder);
  await window.send("Think");
  await window.sees("I begin with a long thought");
  const [engine] = folder.engines();
  const host = processes("extensionHost").find((each) => each.pid === engine.parent);
  assert.ok(host, "the engine is the extension host's child");
  process.kill(host.pid, "SIGKILL");
  await until("the engine is gone", () => folder.engines().every((each) => each.pid !== engine.pid));
  await window.close();
}

export async function unsavedTextIsNeverOverwritten(rig) {
  const outside = path.join(rig.base, "out side 外", "far.txt");
  fs.mkdirSync(path.dirname(outside));
  fs.writeFileSync(outside, "far\n");
  const folder = rig.folder("unsaved", {
    files: { "open.txt": "one\ntwo\nthree\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        {
          blocks: [
            { tool: "edit", arguments: { path: "open.txt", oldText: "two", newText: "zwei" } },
            { tool: "edit", arguments: { path: outside, oldText: "far", newText: "near" } },
            { tool: "bash", arguments: { command: "printf 'one\\ntwo\\ndrei\\n' > open.txt" } },
          ],
        },
        { blocks: [{ text: "Both changed." }] },
      ],
    },
  });
  const window = await rig.window(folder);
  await window.open("open.txt");
  await window.page.keyboard.press("Control+Home");
  await window.page.keyboard.type("mine ");
  await window.page.locator(".tab.dirty", { hasText: "open.txt" }).waitFor();
  await window.send("Change both");
  await window.sees("Both changed.");
  // The edit came into the editor; the command wrote below it.
  await window.sees("Your text was kept.");
  await window.shot("15-unsaved");
  assert.equal(folder.read("open.txt"), "one\ntwo\ndrei\n");
  assert.equal(await window.text(), "mine one\nzwei\nthree\n");
  await window.button("Compare").click();
  await window.page.locator(".tab", { hasText: "disk ↔ unsaved" }).waitFor({ timeout: LONG });
  await window.page.locator(".monaco-diff-editor .line-insert").first().waitFor({ timeout: LONG });
  await window.shot("16-compare-unsaved");

  await window.view.locator(".tool").getByRole("button", { name: "far.txt", exact: true }).click();
  await window.page.locator(".tab", { hasText: "far.txt (accepted ↔ now)" }).waitFor({ timeout: LONG });
  await window.command("View: Show Pintle");
  await window.page
    .locator(".monaco-list-row", { hasText: "out side 外" })
    .first()
    .waitFor({ timeout: LONG });
  await window.shot("17-outside");
  await window.close();
}

export async function aQuestionNotifiesOnlyAWindowThatNobodyLooksAt(rig) {
  const ask = { blocks: [{ tool: "bash", arguments: { command: "tee /dev/null" } }] };
  const end = { blocks: [{ text: "Ran." }] };
  const folder = rig.folder("questions", { script: { replies: [ask, end, ask, end] } });
  const window = await rig.window(folder);
  await window.send("Run it");
  await window.button("Allow").waitFor({ timeout: LONG });
  assert.equal(await window.page.locator(".notification-toast").count(), 0);
  await window.button("Allow").click();
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  await window.page.evaluate(() => {
    document.hasFocus = () => false;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await window.send("Once more");
  const toast = window.page.locator(".notification-toast", { hasText: "Pintle asks: Run tee /dev/null?" });
  await toast.waitFor({ timeout: LONG });
  await window.shot("18-notification");
  await window.button("Deny").click();
  // So does the end of the turn, and the one before had none.
  const done = window.notification("Pintle is done after ");
  await done.filter({ hasText: "Run it" }).waitFor({ timeout: LONG });
  assert.equal(await done.count(), 1);
  await window.close();
}
