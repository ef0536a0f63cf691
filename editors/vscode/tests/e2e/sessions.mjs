// Several sessions in a window, several folders in a workspace, several windows on a folder.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, call, edit, gate, say, until } from "./support.mjs";

const row = (window, text) =>
  window.page.locator('.pane:has([aria-label="Sessions Section"]) .monaco-list-row', { hasText: text });

export async function aSessionThatIsLeftGoesOnAndItsHunksStay(rig) {
  const folder = rig.folder("several sessions", {
    files: { "a.txt": "one\ntwo\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        edit("a.txt", ["two", "TWO"]),
        gate("first"),
        say("The first is done."),
        say("The second is done."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("The first task");
  await until("the first session works", () => folder.has("at-first"));
  await window.box.fill("a draft in the first");
  await window.command("Pintle: New Session");
  await until("the box is that of a new session", async () => (await window.box.inputValue()) === "");
  await window.command("View: Show Pintle");
  await row(window, "The first task").filter({ hasText: "working" }).waitFor({ timeout: LONG });
  // The reply that is next in the script belongs to whoever asks next: the first session waits at its gate.
  folder.write("first", "");
  await row(window, "The first task").filter({ hasText: "open" }).waitFor({ timeout: LONG });
  await window.send("The second task");
  await window.sees("The second is done.");
  const changes = window.page.locator('.pane:has([aria-label="Open Hunks Section"]) .monaco-list-row', {
    hasText: "a.txt",
  });
  await changes.first().waitFor({ timeout: LONG });
  await window.shot("90-two-sessions");

  // A hunk of the session that is not shown is decided where it stands.
  await window.quickOpen("a.txt");
  await window.clickLens("−1 +1", "Undo");
  await until("it is undone", () => folder.read("a.txt") === "one\ntwo\n");
  await row(window, "The first task").click();
  await window.sees("The first is done.");
  assert.equal(await window.view.locator(".end.completed").count(), 1, "leaving it stopped nothing");
  await until("its draft is there", async () => (await window.box.inputValue()) === "a draft in the first");
}

export async function allFoldersOfAWorkspaceBelongToTheWork(rig) {
  const first = rig.folder("folder one", {
    settings: {},
    script: {
      replies: [
        edit("a.txt", ["saved", "read"]),
        edit(path.join(rig.base, "work/folder two/b.txt"), ["unsaved", "from the agent"]),
        say("Both are done."),
      ],
    },
    files: { "a.txt": "saved\n" },
  });
  const second = rig.folder("folder two", { files: { "b.txt": "saved\n" } });
  const file = path.join(rig.base, "work/both.code-workspace");
  const settings = {
    ...JSON.parse(first.read(".vscode/settings.json")),
    "pintle.permissionMode": "autoEdit",
  };
  fs.writeFileSync(
    file,
    JSON.stringify({ folders: [{ path: first.path }, { path: second.path }], settings }),
  );
  const window = await rig.workspace(file);
  await window.quickOpen("b.txt");
  await window.intoEditor();
  await window.page.keyboard.press("Control+Home");
  await window.page.keyboard.type("un");
  await window.send("Change both");
  await window.sees("Both are done.");
  assert.equal(first.read("a.txt"), "read\n");
  await until("the unsaved text was read and edited in the editor", async () =>
    (await window.text()).includes("from the agent"),
  );
  assert.equal(second.read("b.txt"), "saved\n", "what is unsaved stays unsaved");
  await window.shot("91-two-folders");
}

export async function aSessionWorksInACopyUntilItsChangesAreApplied(rig) {
  const write = (path) => call("write", { path, content: `${path}\n` });
  const folder = rig.folder("copies", {
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        write("first.txt"),
        say("The first is there."),
        write("second.txt"),
        say("The second is there."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.command("Pintle: Work in a Copy of the Project");
  await window.pick("Copy of the folder");
  await window.sees("The next session works in a copy.");
  await window.send("Begin");
  await window.answers("The first is there.");
  await window.sees("This session works in a copy.");
  assert.equal(folder.has("first.txt"), false);
  await window.button("Apply Changes").click();
  await window.notified("Changes applied to 1 file.");
  assert.equal(folder.read("first.txt"), "first.txt\n");
  await window.sees("Changes applied to your files: 1");
  await window.send("Go on");
  await window.answers("The second is there.");
  await window.button("Discard…").click();
  const dialog = window.page.locator(".monaco-dialog-box");
  await dialog.getByRole("button", { name: "Discard", exact: true }).click({ timeout: LONG });
  await until("the copy is gone", () => rig.copies().length === 0);
  assert.equal(folder.has("second.txt"), false);
}

export async function twoWindowsOnAFolderKeepTheirOwnDrafts(rig) {
  const folder = rig.folder("two drafts", { script: { replies: [say("One."), say("Two.")] } });
  const first = await rig.window(folder);
  await first.send("Begin");
  await first.answers("One.");
  const second = await rig.window(folder);
  await second.sees("The session is open in another window.");
  await second.button("New Session").click();
  await first.box.fill("draft of the first");
  await second.box.fill("draft of the second");
  await second.box.blur();
  await first.box.blur();
  for (const draft of ["draft of the first", "draft of the second"])
    await until(`${draft} is kept`, () => rig.remembered().some((text) => text.includes(draft)));
  await second.reload();
  await until(
    "the second has its own",
    async () => (await second.box.inputValue()) === "draft of the second",
  );
  await first.reload();
  await first.answers("One.");
  await until("the first has its own", async () => (await first.box.inputValue()) === "draft of the first");
}
