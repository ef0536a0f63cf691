// Review: hunks in the editors, decided about there, true on disk.
import assert from "node:assert/strict";
import { LONG, edit, extensionOf, gate, say, until } from "./support.mjs";
import { album } from "./tools.mjs";

const TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
const EDITS = [
  ["2\n", "two\n"],
  ["5\n", ""],
  ["9\n", "9\nnew\n"],
];
const CHANGED = "1\ntwo\n3\n4\n6\n7\n8\n9\nnew\n10\n";
const CHANGE = "−1 +1";
const GONE = "−1 +0";
const NEW = "−0 +1";
const LENS = (counts) => `Keep | Undo | Comment | ${counts}`;

/** The lenses with their positions. */
const placed = (hunks) =>
  hunks.length < 2
    ? hunks
    : hunks.map((each, at) => each.replace(/−\d+ \+\d+/, `$& · ${at + 1} of ${hunks.length}`));

/** A window whose agent has made edits to `a.txt`, which is in its editor. */
async function reviewed(rig, name, replies = [edit("a.txt", ...EDITS), say("Done.")]) {
  const folder = rig.folder(name, {
    files: { "a.txt": TEN },
    settings: { "pintle.permissionMode": "full" },
    script: { replies: [...replies, say("Noted.")] },
  });
  const window = await rig.window(folder);
  await window.open("a.txt");
  await window.send("go");
  const shows = (...hunks) => {
    const want = placed(hunks);
    return until(`the hunks are ${want.join(" and ")}`, async () => {
      const lenses = await window.lenses();
      return JSON.stringify(lenses) === JSON.stringify(want);
    });
  };
  const disk = (text) => until(`the disk holds ${JSON.stringify(text)}`, () => folder.read("a.txt") === text);
  return { folder, window, shows, disk };
}

/** Hunks are counted once, by Pintle's own view: Source Control has no number beside it. Without a number is the badge of what still loads. */
async function countedOnce(window, count) {
  const badges = window.page.locator(".composite-bar .badge").filter({ visible: true, hasText: /\d/ });
  await until(`Pintle counts ${count} hunks`, async () => {
    const found = await badges.evaluateAll((all) =>
      all.map((each) => [each.textContent.trim(), each.getAttribute("aria-label")]),
    );
    return found.length === 1 && found[0][0] === `${count}` && /Pintle/.test(found[0][1]);
  });
}

export async function hunksAreKeptUndoneAndTakenBackInTheEditor(rig) {
  const { window, shows, disk } = await reviewed(rig, "review");
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));
  await disk(CHANGED);
  await countedOnce(window, 3);
  await window.shot("40-review");

  await window.clickLens(CHANGE, "Keep");
  await shows(LENS(GONE), LENS(NEW));
  await disk(CHANGED);
  await countedOnce(window, 2);

  // From hunk to hunk by keys, and the key that undoes.
  for (const [key, place] of [
    ["Control+Home", "Ln 1, Col 1"],
    ["Alt+F5", "Ln 5, Col 1"],
    ["Alt+F5", "Ln 9, Col 1"],
    ["Shift+Alt+F5", "Ln 5, Col 1"],
    ["Alt+F5", "Ln 9, Col 1"],
  ]) {
    await window.page.keyboard.press(key);
    await window.page.locator(".statusbar-item", { hasText: place }).waitFor({ timeout: LONG });
  }
  await window.page.keyboard.press("Control+k");
  await window.page.keyboard.press("n");
  await shows(LENS(GONE));
  await disk(CHANGED.replace("new\n", ""));

  await window.command("Pintle: Revert the Last Decision");
  await shows(LENS(GONE), LENS(NEW));
  await disk(CHANGED);
  await window.command("Pintle: Revert the Last Decision");
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));

  await window.clickLens(NEW, "Comment");
  const input = window.page.locator(".quick-input-widget input");
  await input.fill("is that so?");
  await window.page.keyboard.press("Enter");
  await shows(LENS(CHANGE), LENS(GONE), `${LENS(NEW)} | » is that so?`);
  await window.shot("41-comment");

  await window.command("Pintle: Undo All Hunks");
  await shows();
  await disk(TEN);
  await until("the editor follows", async () => (await window.text()) === TEN);
  assert.equal(await window.page.locator(".tab.dirty").count(), 0);
  await window.close();
}

/** An extension whose lenses take long. VS Code waits so long then before it asks anybody for lenses again. */
const SLOW_LENSES = extensionOf(
  "slow",
  `const { languages } = require("vscode");
const provideCodeLenses = () => new Promise((resolve) => setTimeout(resolve, 3000, []));
exports.activate = () => languages.registerCodeLensProvider({ scheme: "file" }, { provideCodeLenses });
`,
);

export async function lensesFollowWhenTheKeyboardLeavesTheEditor(_, own) {
  const rig = await own({ extension: SLOW_LENSES });
  const { window, shows } = await reviewed(rig, "review slow");
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));
  await window.command("View: Split Editor Right");
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));
  await window.clickLens(CHANGE, "Keep");
  // The keyboard comes to the one editor and leaves it until the other, which it leaves alone, has its lenses.
  await until("the other editor of the file has its lenses", async () => {
    await window.intoEditor();
    await window.box.click();
    return (await window.lenses(".editor-group-container:not(.active)")).length === 2;
  });
  await shows(LENS(GONE), LENS(NEW));
}

export async function theGutterShowsWhatIsGoneAndDecides(rig) {
  const { window, shows, disk } = await reviewed(rig, "review peek");
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));
  await window.intoEditor();
  await window.page.keyboard.press("Control+Home");
  // The key does nothing before the editor has compared the texts and drawn its marks.
  await window.page.locator(".dirty-diff-glyph").first().waitFor({ timeout: LONG });
  await window.page.keyboard.press("Alt+F3");
  const peek = window.page.locator(".peekview-widget");
  await peek.locator(".line-delete").first().waitFor({ timeout: LONG });
  await window.shot("42-peek");
  await peek.locator('.action-label[aria-label*="Undo Hunk"]').first().click();
  await shows(LENS(GONE), LENS(NEW));
  await disk(CHANGED.replace("two", "2"));
  await window.close();
}

export async function hunksAreDrawnOnlyWhereTheirLinesStand(rig) {
  const { window, shows } = await reviewed(rig, "review typed");
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));
  await window.toLine("two");
  await window.page.keyboard.type(" and mine");
  await shows(LENS(GONE), LENS(NEW));
  await window.page.keyboard.press("Control+Home");
  await window.page.keyboard.type("above\n");
  await shows(LENS(GONE), LENS(NEW));
  // When it is saved the engine knows: the hunk was edited by a person.
  await window.page.keyboard.press("Control+s");
  await until("the hunk is there again", async () =>
    (await window.lenses()).some((each) => each.includes("(modified)")),
  );
  await window.shot("43-modified");
  await window.close();
}

export async function aHunkThatAPersonHasWrittenIntoIsAConflict(rig) {
  const { window, shows, disk } = await reviewed(rig, "review conflict", [
    edit("a.txt", ["2\n3\n", "b\nc\n"]),
    say("Done."),
  ]);
  await shows(LENS("−2 +2"));
  await window.toLine("c");
  await window.page.keyboard.type(" mine");
  await window.page.keyboard.press("Control+s");
  const mine = TEN.replace("2\n3", "b\nc mine");
  await disk(mine);
  await until("the engine knows", async () =>
    (await window.lenses()).some((each) => each.includes("(modified)")),
  );
  await window.clickLens("(modified)", "Undo");
  const told = window.notification("Conflict in a.txt, not changed: ");
  await told.waitFor({ timeout: LONG });
  await window.shot("44-conflict");
  await disk(mine);
  await told.getByRole("button", { name: "Undo My Lines Too" }).click();
  await disk(TEN);
  await window.close();
}

export async function whileATurnRunsAnUndoWaitsForTheRunningCall(rig) {
  const { folder, window, shows, disk } = await reviewed(rig, "review running", [
    edit("a.txt", ...EDITS),
    gate("go"),
    say("Done."),
  ]);
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));
  await until("the call runs", () => folder.has("at-go"));
  await window.clickLens(CHANGE, "Keep");
  await shows(LENS(GONE), LENS(NEW));
  await window.command("Pintle: Undo All Hunks");
  await window.notification("2 hunks waiting for the running call to end").waitFor({ timeout: LONG });
  await until("they are said to wait", async () =>
    (await window.lenses()).every((each) =>
      each.includes("a decision is waiting for the running call to end"),
    ),
  );
  await window.shot("45-waiting");
  await disk(CHANGED);
  await window.clickLens(GONE, "Withdraw");
  await shows(LENS(GONE), LENS(NEW));
  await window.clickLens(GONE, "Undo");
  await until("it waits again", async () => (await window.lenses())[0]?.includes("is waiting") === true);
  folder.write("go", "");
  await disk(CHANGED.replace("6", "5\n6"));
  await shows(LENS(NEW));
  await window.close();
}

export async function aDecisionThatWaitedAndCannotBeDoneIsToldWithItsReason(rig) {
  const { folder, window, shows } = await reviewed(rig, "review refused", [
    edit("a.txt", ["2\n", "two\n"]),
    gate("go"),
    gate("on"),
    say("Done."),
  ]);
  await shows(LENS(CHANGE));
  await until("the call runs", () => folder.has("at-go"));
  await window.clickLens(CHANGE, "Undo");
  await window.notification("waiting for the running call to end").waitFor({ timeout: LONG });
  // By the time of the gap there is no hunk any more.
  folder.write("a.txt", TEN);
  folder.write("go", "");
  await until("the next call runs", () => folder.has("at-on"));
  await window.sees("A decision was rejected");
  await window.notification("A decision was rejected").waitFor({ timeout: LONG });
  folder.write("on", "");
  await window.close();
}

export async function hunksAreThereAgainInAnotherWindow(rig) {
  const { folder, window, shows } = await reviewed(rig, "review again");
  await shows(LENS(CHANGE), LENS(GONE), LENS(NEW));
  await window.close();
  await until("no engine is left", () => folder.engines().length === 0);
  const again = await rig.window(folder);
  await again.answers("Done.");
  await again.open("a.txt");
  await until("the hunks are there", async () => (await again.lenses()).length === 3);
  await again.command("Pintle: New Session");
  await again.sees("What should be done?");
  // They are the other session's, which goes on beside the new one, also in the next window.
  await again.reloadInOrder();
  await until("they are still there", async () => (await again.lenses()).length === 3);
  await again.command("Pintle: Keep All Hunks");
  await until("they are decided", async () => (await again.lenses()).length === 0);
  await again.close();
}

export async function changedFilesAreListedAboveThePromptAndRemovedLinesInTheEditor(rig) {
  const folder = rig.folder("changed files", {
    files: { "a.txt": TEN, "src/b.txt": "one\ntwo\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [edit("a.txt", ...EDITS), edit("src/b.txt", ["two", "zwei"]), say("Done."), say("Noted.")],
    },
  });
  const window = await rig.window(folder);
  await window.open("a.txt");
  await window.send("go");
  const list = window.view.getByRole("region", { name: "Changed Files" });
  await list.getByText("2 files changed").waitFor({ timeout: LONG });
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  await album(window, folder, "changed-folded");
  await list.getByRole("button", { name: /2 files changed/ }).press("Enter");
  assert.deepEqual(
    (await list.locator("li").allInnerTexts()).map((each) => each.replaceAll(/\s+/g, " ").trim()),
    ["a.txt +2 −2", "b.txt src +1 −1"],
  );
  await album(window, folder, "changed-open", [
    "Default Dark Modern",
    "Default Light Modern",
    "Default High Contrast",
  ]);

  // Removed lines are shown in the editor, and the position in the status bar.
  const ghosts = () =>
    window.editor.evaluate((element) =>
      [...element.querySelectorAll(".view-line span")]
        .map((each) => getComputedStyle(each, "::after").content)
        .filter((each) => ['"2"', '"5"'].includes(each)),
    );
  await until("the removed lines are shown", async () => (await ghosts()).length === 2);
  await window.toLine("1");
  await window.status("3 hunks").waitFor({ timeout: LONG });
  await list.getByRole("button", { name: "Next Change" }).click();
  await window.status("Hunk 1 of 3").waitFor({ timeout: LONG });
  await window.page
    .locator(".editor-actions")
    .getByRole("button", { name: /Next Hunk/ })
    .click({ timeout: LONG });
  await window.status("Hunk 2 of 3").waitFor({ timeout: LONG });
  await window.shot("hunk-bar");
  await list.getByRole("button", { name: "Keep a.txt" }).click();
  await list.getByText("1 file changed").waitFor({ timeout: LONG });
  await until("nothing is left to show there", async () => (await ghosts()).length === 0);
  // After the last hunk of a file comes the next file.
  await list.getByRole("button", { name: "Next Change" }).click();
  await window.page.locator(".tab.active", { hasText: "b.txt" }).waitFor({ timeout: LONG });
  await list.getByRole("button", { name: "Undo All" }).click();
  await until("it is undone", () => folder.read("src/b.txt") === "one\ntwo\n");
  await list.waitFor({ state: "hidden", timeout: LONG });
}
