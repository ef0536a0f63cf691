// Going back, forward again, and on from another place.
import assert from "node:assert/strict";
import { LONG, edit, say, until } from "./support.mjs";

/** A window with two turns, each of which has changed the file. */
async function twice(rig, name) {
  const folder = rig.folder(name, {
    files: { "a.txt": "one\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        edit("a.txt", ["one", "two"]),
        say("First done."),
        edit("a.txt", ["two", "three"]),
        say("Second done."),
        say("Third done."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("make it two");
  await window.sees("First done.");
  await window.view.locator("body[data-activity=idle]").waitFor({ timeout: LONG });
  await window.send("make it three");
  await window.sees("Second done.");
  await window.view.locator("body[data-activity=idle]").waitFor({ timeout: LONG });
  const disk = (text) => until(`the disk holds ${text}`, () => folder.read("a.txt") === text);
  const box = (text) => until(`the box holds ${text}`, async () => (await window.box.inputValue()) === text);
  return { folder, window, disk, box };
}

async function goBack(window, message, scope, choice) {
  await window.command("Pintle: Rewind");
  await window.pick(message);
  await window.pick(scope);
  if (choice !== undefined) await window.pick(choice);
}

export async function backWithConversationAndFilesForwardAgainAndOn(rig) {
  const { window, disk, box } = await twice(rig, "rewind");
  const whole = await window.transcript();
  await goBack(window, "make it three", "Conversation and files");
  const rows = window.page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "a.txt" }).filter({ hasText: "restored" }).waitFor({ timeout: LONG });
  await window.shot("50-rewind-preview");
  assert.match(await window.page.locator(".quick-input-list").innerText(), /the agent's/);
  await window.pick("Rewind");
  await disk("two\n");
  await box("make it three");
  await window.sees("removed from the conversation");
  const back = await window.transcript();
  assert.match(back, /First done\./);
  assert.doesNotMatch(back, /Second done\.|make it three/);
  await window.shot("51-rewound");

  await window.command("Pintle: Redo the Last Rewind");
  await disk("three\n");
  await box("");
  await window.sees("Second done.");
  assert.ok((await window.transcript()).startsWith(whole.trimEnd()), "the transcript is the same again");

  // Back once more, and on from there: then there is no forward.
  await goBack(window, "make it two", "Only the conversation", "Rewind");
  await box("make it two");
  await window.box.fill("");
  await window.send("something else");
  await window.sees("Third done.");
  assert.doesNotMatch(await window.transcript(), /First done\./);
  await disk("three\n");
  await window.command("Pintle: Redo the Last Rewind");
  await window.notification("There is no rewind to redo").waitFor({ timeout: LONG });
  await window.close();
}

export async function aPersonsChangeStaysUnlessToldOtherwise(rig) {
  const { folder, window, disk } = await twice(rig, "rewind conflict");
  folder.write("a.txt", "mine\n");
  await goBack(window, "make it three", "Only the files");
  const rows = window.page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "a.txt" }).filter({ hasText: "left unchanged" }).waitFor({ timeout: LONG });
  await window.shot("52-rewind-conflict");
  await window.pick("Do Nothing");
  assert.equal(folder.read("a.txt"), "mine\n");
  await goBack(window, "make it three", "Only the files", "Rewind, and Discard Your Changes");
  await disk("two\n");
  await window.command("Pintle: Redo the Last Rewind");
  await disk("mine\n");
  await window.close();
}

export async function goingBackTakesTheAgentsWorkOutOfUnsavedText(rig) {
  const folder = rig.folder("rewind unsaved", {
    files: { "a.txt": "1\n2\n3\n" },
    settings: { "pintle.permissionMode": "full" },
    script: { replies: [edit("a.txt", ["2\n", "two\n"]), say("Done.")] },
  });
  const window = await rig.window(folder);
  await window.open("a.txt");
  await window.toLine("3");
  await window.page.keyboard.type("typed");
  await window.send("go");
  await window.answers("Done.");
  const reads = (text) => until(`the editor reads ${text}`, async () => (await window.text()) === text);
  await reads("1\ntwo\n3typed\n");
  await goBack(window, "go", "Conversation and files", "Rewind");
  await reads("1\n2\n3typed\n");
  await window.command("Pintle: Redo the Last Rewind");
  await reads("1\ntwo\n3typed\n");
  assert.equal(folder.read("a.txt"), "1\n2\n3\n");
  await window.close();
}

export async function aForkGoesOnAndLeavesTheOtherAlone(rig) {
  const { window, box } = await twice(rig, "fork");
  await window.command("Pintle: Fork");
  await window.pick("make it three");
  await box("make it three");
  await until("the fork is shown", async () => {
    const transcript = await window.transcript();
    return transcript.includes("First done.") && !transcript.includes("Second done.");
  });
  await window.shot("53-fork");
  await window.box.fill("");
  await window.send("another way");
  await window.view.locator(".user", { hasText: "another way" }).waitFor({ timeout: LONG });
  await window.view.locator("body[data-activity=idle]").waitFor({ timeout: LONG });
  await window.command("Pintle: Open Session");
  const rows = window.page.locator(".quick-input-list .monaco-list-row");
  await until("both are listed", async () => (await rows.count()) === 2);
  assert.match(await rows.nth(0).innerText(), /fork/);
  assert.doesNotMatch(await rows.nth(1).innerText(), /fork/);
  await rows.nth(1).click();
  await window.sees("Second done.");
  assert.doesNotMatch(await window.transcript(), /another way/);
  await window.close();
}

export async function whatWasAttachedComesBackWithItsMessage(rig) {
  const folder = rig.folder("rewind-attached", {
    files: { "a.txt": "one\n" },
    script: { replies: [say("Seen."), say("Seen again.")] },
  });
  const window = await rig.window(folder);
  await window.open("a.txt");
  await window.command("Pintle: Add to the Prompt");
  const chips = window.view.locator(".prompt .chip:not(.editorChip)");
  await chips.first().waitFor({ timeout: LONG });
  await window.send("look");
  await window.answers("Seen.");
  await window.view.locator("body[data-activity=idle]").waitFor({ timeout: LONG });
  await goBack(window, "look", "Only the conversation", "Rewind");
  await until("the text is back alone", async () => (await window.box.inputValue()) === "look");
  assert.equal(await chips.count(), 1);
  await window.command("Pintle: Redo the Last Rewind");
  await until("all is taken away again", async () => (await chips.count()) === 0);
  assert.equal(await window.box.inputValue(), "");
  await window.close();
}
