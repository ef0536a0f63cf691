// Notebooks: the chip, unsaved cells, and the diff.
import assert from "node:assert/strict";
import { LONG, edit, say, until } from "./support.mjs";

const cell = (source) => ({
  cell_type: "code",
  execution_count: null,
  id: source.replaceAll(/\W/g, ""),
  metadata: {},
  outputs: [],
  source: [source],
});

const BOOK = `${JSON.stringify({ cells: [cell("first = 1"), cell("second = 2")], metadata: {}, nbformat: 4, nbformat_minor: 5 }, undefined, 1)}\n`;

export async function aNotebooksUnsavedCellsAreKeptAndItsDiffIsOne(_, own) {
  // The reduced set has no notebooks.
  const rig = await own({ hasAllBuiltIn: true });
  const folder = rig.folder("notebooks", {
    files: { "a.ipynb": BOOK },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        say("The first answer."),
        edit("a.ipynb", ["second = 2", "second = 22"]),
        say("The second answer."),
        edit("a.ipynb", ["second = 22", "second = 222"]),
        say("The third answer."),
      ],
    },
  });
  const window = await rig.window(folder);
  const { page } = window;
  // A notebook has a webview, too.
  window.view = page.frameLocator('iframe.webview[src*="extensionId=pintle."]').frameLocator("#active-frame");
  window.box = window.view.locator("textarea");
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "a.ipynb" }).first().dblclick();
  const code = (text) =>
    page.locator(".notebook-editor .cell .view-line", { hasText: text.replaceAll(" ", "\u00a0") }).first();
  await code("first = 1").waitFor({ timeout: LONG });
  const chip = window.view.locator(".editorChip");
  await chip.filter({ hasText: "a.ipynb" }).waitFor({ timeout: LONG });

  // Text that is selected in a cell goes with the message.
  await code("first = 1").dblclick();
  await page.keyboard.press("Control+a");
  await chip.filter({ hasText: "a.ipynb, cell 1" }).waitFor({ timeout: LONG });
  await window.shot("notebook-chip");
  await window.send("What is it?");
  await window.answers("The first answer.");
  await window.view.locator(".user .chip", { hasText: "a.ipynb, cell 1" }).waitFor({ timeout: LONG });

  // A saved notebook is read again.
  await window.send("Change it");
  await window.answers("The second answer.");
  await code("second = 22").waitFor({ timeout: LONG });
  await window.view.locator(".changedFiles", { hasText: "1 file changed" }).waitFor({ timeout: LONG });
  await window.view.locator(".tool", { hasText: "Edited" }).getByText("a.ipynb").click();
  const diff = page.locator(".notebook-text-diff-editor");
  await diff.waitFor({ timeout: LONG });
  await page.locator(".tab.active", { hasText: "accepted" }).waitFor({ timeout: LONG });
  const both = (before, after) =>
    until(`the diff shows ${before} and ${after}`, async () => {
      const lines = (await diff.innerText()).replaceAll("\u00a0", " ").split("\n");
      return lines.includes(before) && lines.includes(after);
    });
  await both("second = 2", "second = 22");
  await window.shot("notebook-diff");
  await page.keyboard.press("Control+w");

  // Unsaved text in a cell stays, and the view reports that the file has changed.
  await code("first = 1").click();
  await page.keyboard.press("End");
  await page.keyboard.type("00");
  await code("first = 100").waitFor({ timeout: LONG });
  await window.send("Change it again");
  await window.answers("The third answer.");
  assert.match(folder.read("a.ipynb"), /second = 222/);
  await window.sees("Compare");
  await window.shot("notebook-unsaved");
  await code("first = 100").waitFor({ timeout: LONG });
  await window.button("Compare").click();
  await diff.waitFor({ timeout: LONG });
  await both("second = 222", "first = 100");
  await window.shot("notebook-compare");
}
