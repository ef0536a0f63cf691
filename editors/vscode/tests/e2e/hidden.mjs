// Without the chat view, which a setting hides: all else goes on.
import assert from "node:assert/strict";
import { LONG, call, edit, gate, say, until } from "./support.mjs";

const HIDDEN = "The chat view is hidden by the setting pintle.showChat of this workspace.";

export async function theChatIsHiddenByASettingAndTheRestGoesOn(rig) {
  const folder = rig.folder("hidden", {
    files: { "a.txt": "one\ntwo\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        gate("go"),
        call("ask_user", { question: "In which language?", options: ["German", "Dutch"] }),
        edit("a.txt", ["one", "eins"]),
        say("Changed."),
      ],
    },
  });
  const settings = folder.read(".vscode/settings.json");
  const hide = (isHidden) =>
    folder.write(
      ".vscode/settings.json",
      isHidden ? JSON.stringify({ ...JSON.parse(settings), "pintle.showChat": false }) : settings,
    );
  const window = await rig.window(folder);
  await window.send("Change it");
  await until("the model waits", () => folder.has("at-go"));
  hide(true);
  await window.page.locator("iframe.webview").waitFor({ state: "detached", timeout: LONG });

  // A question that no view shows comes as a notification, also to a window in front, and is answered from there.
  folder.write("go", "");
  const asks = window.notification("Pintle asks: In which language?");
  await asks.waitFor({ timeout: LONG });
  await asks.getByText("Answer…").click({ timeout: LONG });
  await window.pick("German");
  await until("the turn goes on", () => folder.read("a.txt") === "eins\ntwo\n");
  await window.status("Pintle").filter({ hasNotText: "working" }).waitFor({ timeout: LONG });
  await window.reloadInOrder();
  assert.equal(await window.page.locator("iframe.webview").count(), 0);

  // What leads to the chat says where it is hidden.
  const notice = window.notification(HIDDEN);
  for (const title of ["Pintle: Open", "Pintle: Ask…"]) {
    await window.command(title);
    await notice.waitFor({ timeout: LONG });
    if (title === "Pintle: Open") await window.shot("98-hidden");
    await notice.hover();
    await notice.locator(".codicon-notifications-clear").click({ timeout: LONG });
    await notice.waitFor({ state: "detached", timeout: LONG });
  }

  // The lists are there, the session comes back from them, and its hunk is decided in the editor.
  await window.command("View: Show Pintle");
  const row = window.page.locator('.pane:has([aria-label="Sessions Section"]) .monaco-list-row').first();
  await row.waitFor({ timeout: LONG });
  await until("the engine runs", () => folder.engines().length === 1);
  await window.command("View: Show Explorer");
  await window.open("a.txt");
  await window.clickLens("−1 +1", "Undo");
  await until("it is undone", () => folder.read("a.txt") === "one\ntwo\n");

  // The way to the setting, and the way back.
  await window.command("Pintle: Open");
  await notice.getByText("Open the Setting").click({ timeout: LONG });
  const editor = window.page.locator(".settings-editor", { hasText: "Show Chat" });
  await editor.waitFor({ timeout: LONG });
  await until("the settings are closed", async () => {
    await window.page.keyboard.press("Escape");
    return (await editor.count()) === 0;
  });
  await window.command("Pintle: Open");
  await notice.getByText("Show the Chat").click({ timeout: LONG });
  await window.answers("Changed.");
  assert.equal(JSON.parse(folder.read(".vscode/settings.json"))["pintle.showChat"], true);
}
