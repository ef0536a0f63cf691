// The race: the agent edits a file while it is typed into. Nothing that was typed is lost, and no edit is.
import assert from "node:assert/strict";
import { LONG, call, edit, gate, say, until } from "./support.mjs";

const TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/** A window with `a.txt` in its editor. */
async function racing(rig, name, replies, { content = TEN, delayMs = 0, mode = "full", settings = {} } = {}) {
  const folder = rig.folder(name, {
    files: { "a.txt": content },
    settings: { "pintle.permissionMode": mode, ...settings },
    script: { delayMs, replies: [...replies, say("Done.")] },
  });
  const window = await rig.window(folder);
  await window.open("a.txt");
  const reads = (text) =>
    until(`the editor reads ${JSON.stringify(text)}`, async () => (await window.text()) === text);
  return { folder, window, reads };
}

export async function typedBeforeBetweenAndAfterTheEditsOfATurn(rig) {
  const { folder, window, reads } = await racing(rig, "race", [
    gate("one"),
    edit("a.txt", ["2\n", "two\n"]),
    gate("two"),
    edit("a.txt", ["8\n", "eight\nand more\n"]),
    gate("three"),
  ]);
  await window.send("go");
  await until("the model waits", () => folder.has("at-one"));
  await window.toLine("5");
  await window.page.keyboard.type("a");
  await reads(TEN.replace("5", "5a"));
  folder.write("one", "");
  await until("the model waits again", () => folder.has("at-two"));
  await reads(TEN.replace("5", "5a").replace("2", "two"));
  await window.page.keyboard.type("b");
  await reads(TEN.replace("5", "5ab").replace("2", "two"));
  folder.write("two", "");
  await until("the model waits a third time", () => folder.has("at-three"));
  await window.page.keyboard.type("c");
  const all = TEN.replace("5", "5abc").replace("2", "two").replace("8", "eight\nand more");
  await reads(all);
  folder.write("three", "");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  await window.shot("30-race");
  await window.page.locator(".tab.dirty", { hasText: "a.txt" }).waitFor();
  assert.equal(folder.read("a.txt"), TEN, "nothing was written");
  // Step by step back: each key and each edit has its own.
  for (const text of [
    all.replace("5abc", "5ab"),
    TEN.replace("5", "5ab").replace("2", "two"),
    TEN.replace("5", "5a").replace("2", "two"),
    TEN.replace("5", "5a"),
    TEN,
  ]) {
    await window.page.keyboard.press("Control+z");
    await reads(text);
  }
  for (let n = 0; n < 5; n++) await window.page.keyboard.press("Control+Shift+z");
  await reads(all);
  await window.close();
}

// A person types and saves while a command of the agent runs, which then changes another line. Undoing all leaves what was saved.
export async function textSavedWhileACommandRunsIsThePersons(rig) {
  for (const [name, settings] of [
    ["race save", {}],
    ["race autosave", { "files.autoSave": "afterDelay", "files.autoSaveDelay": 100 }],
  ]) {
    const wait = "touch at-one; while [ ! -e one ]; do sleep 0.01; done";
    const command = `${wait}; sed -i 's/^2$/two/' a.txt`;
    const { folder, window, reads } = await racing(rig, name, [call("bash", { command })], {
      settings,
      mode: "autoEdit",
    });
    await window.send("go");
    await until("the command waits", () => folder.has("at-one"));
    await window.toLine("8");
    await window.page.keyboard.type("mine");
    const mine = TEN.replace("8", "8mine");
    await reads(mine);
    if (settings["files.autoSave"] === undefined) await window.page.keyboard.press("Control+s");
    await until("it is saved", () => folder.read("a.txt") === mine);
    folder.write("one", "");
    await window.view.locator(".end.completed").waitFor({ timeout: LONG });
    assert.equal(folder.read("a.txt"), mine.replace("2", "two"));
    await window.command("Pintle: Undo All Hunks");
    await until("the agent's line is undone", () => folder.read("a.txt") === mine);
    await reads(mine);
    await window.close();
  }
}

// Keys come here many times faster than from a person, so that an edit may find no moment between two of them: then none of it is
// made, and the model is told.
export async function keysAllTheWhileAsFastAsTheyCome(rig) {
  const numbers = [1, 2, 3, 4, 6, 7, 8, 9];
  const replies = numbers.map((n) => edit("a.txt", [`\n${n}\n`, `\nnumber ${n}\nand more\n`]));
  const content = `0\n${TEN}`;
  const { folder, window } = await racing(rig, "race fast", [gate("one"), ...replies], {
    content,
    delayMs: 20,
  });
  await window.send("go");
  await until("the model waits", () => folder.has("at-one"));
  await window.toLine("5");
  let typed = "z";
  await window.page.keyboard.type(typed);
  await window.page.locator(".tab.dirty", { hasText: "a.txt" }).waitFor();
  folder.write("one", "");
  const isOver = () => window.view.locator(".end").count();
  do {
    const letters = "abcdefghij".slice(typed.length % 10, (typed.length % 10) + 3);
    await window.page.keyboard.type(letters);
    typed += letters;
  } while ((await isOver()) === 0);
  const failed = await window.view.locator('.tool[data-status="failed"]').count();
  await until("all keys are there", async () => (await window.text()).includes(`5${typed}\n`));
  const text = await window.text();
  const made = numbers.filter((n) => text.includes(`\nnumber ${n}\nand more\n`));
  const want = [...Array(11).keys()].map((n) => {
    if (n === 5) return `5${typed}`;
    return made.includes(n) ? `number ${n}\nand more` : `${n}`;
  });
  assert.equal(text, `${want.join("\n")}\n`);
  assert.equal(made.length + failed, numbers.length, "each edit is made, or the model is told");
  await window.page.locator(".tab.dirty", { hasText: "a.txt" }).waitFor();
  console.log(`${typed.length} letters, ${made.length} of ${numbers.length} edits between them`);
  assert.equal(folder.read("a.txt"), content, "nothing was written");
  await window.close();
}

// The agent has read the line and wants to change it; while its question waits, the person types in that line.
export async function theVeryLineThatIsTypedInIsAConflictToldToTheModel(rig) {
  const { folder, window, reads } = await racing(
    rig,
    "race conflict",
    [call("read", { path: "a.txt" }), edit("a.txt", ["5\n", "five\n"]), edit("a.txt", ["2\n", "two\n"])],
    { mode: "ask" },
  );
  await window.send("go");
  const allow = window.view.locator(".approval", { hasText: "a.txt" }).getByText("Allow", { exact: true });
  await allow.waitFor({ timeout: LONG });
  await window.toLine("5");
  await window.page.keyboard.type("mine");
  const typed = TEN.replace("5", "5mine");
  await reads(typed);
  await allow.click();
  await window.view.locator('.tool[data-status="failed"]').waitFor({ timeout: LONG });
  await reads(typed);
  await allow.click();
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  await reads(typed.replace("2", "two"));
  assert.equal(await window.view.locator('.tool[data-status="failed"]').count(), 1);
  assert.equal(folder.read("a.txt"), TEN);
  await window.shot("31-race-conflict");
  await window.close();
}

export async function aCleanDocumentIsChangedAndWritten(rig) {
  const { folder, window, reads } = await racing(rig, "race clean", [
    edit("a.txt", ["2\n", "two\n"]),
    edit("a.txt", ["8\n", "eight\n"]),
  ]);
  await window.send("go");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  const all = TEN.replace("2", "two").replace("8", "eight");
  await reads(all);
  assert.equal(folder.read("a.txt"), all);
  assert.equal(await window.page.locator(".tab.dirty").count(), 0);
  await window.intoEditor();
  await window.page.keyboard.press("Control+z");
  await reads(TEN.replace("2", "two"));
  await window.page.keyboard.press("Control+Shift+z");
  await reads(all);
  assert.equal(await window.page.locator(".notification-toast").count(), 0);
  // The whole turn goes in one step, and comes back in one.
  await window.page.locator(".tab.dirty").waitFor({ state: "detached", timeout: LONG });
  await window.command("Pintle: Undo All Hunks of the Last Turn");
  await reads(TEN);
  await until("it is written", () => folder.read("a.txt") === TEN);
  await window.intoEditor();
  await window.page.keyboard.press("Control+z");
  await reads(all);
  await window.close();
}

export async function anEngineThatWasKilledKnowsAgainWhatIsNotSaved(rig) {
  const { folder, window } = await racing(rig, "race killed", [
    call("read", { path: "a.txt" }),
    say("Read."),
    call("read", { path: "a.txt" }),
  ]);
  await window.toLine("5");
  await window.page.keyboard.type("typed");
  await window.send("read it");
  await window.view.locator(".tool", { hasText: "read" }).first().locator(".row").first().click();
  await window.sees("5typed");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  const [engine] = folder.engines();
  process.kill(engine.pid, "SIGKILL");
  await until("another engine runs", () => folder.engines().some((each) => each.pid !== engine.pid));
  await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
  await window.toLine("5typed");
  await window.page.keyboard.type(" more");
  await window.send("again");
  await until("it has read again", async () => (await window.view.locator(".tool").count()) >= 2);
  await window.view.locator(".tool").nth(1).locator(".row").first().click();
  await window.sees("5typed more");
  await window.close();
}

export async function lineEndsAndTheMarkOfAFileStay(rig) {
  const dos = (text) => text.replaceAll("\n", "\r\n");
  const { folder, window, reads } = await racing(
    rig,
    "race dos",
    [gate("one"), edit("a.txt", ["2", "two\nand more"])],
    { content: `\uFEFF${dos(TEN)}` },
  );
  await window.send("go");
  await until("the model waits", () => folder.has("at-one"));
  await window.toLine("5");
  await window.page.keyboard.type("é界");
  await window.page.keyboard.press("Enter");
  const typed = TEN.replace("5", "5é界\n");
  await reads(typed);
  folder.write("one", "");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  await reads(typed.replace("2", "two\nand more"));
  await window.page.keyboard.press("Control+s");
  const saved = `\uFEFF${dos(typed.replace("2", "two\nand more"))}`;
  await until("it is saved as it was", () => folder.read("a.txt") === saved);
  await window.close();
}

export async function severalDocumentsAreChangedTogether(rig) {
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.txt",
    "@@",
    "-2",
    "+two",
    "*** Update File: b.txt",
    "@@",
    "-8",
    "+eight",
    "*** End Patch",
  ].join("\n");
  const folder = rig.folder("race two", {
    files: { "a.txt": TEN, "b.txt": TEN },
    settings: { "pintle.permissionMode": "full" },
    flags: ["--profile", "openai"],
    script: { replies: [call("apply_patch", { patch }), say("Done.")] },
  });
  const window = await rig.window(folder);
  for (const name of ["a.txt", "b.txt"]) {
    await window.open(name);
    await window.toLine("5");
    await window.page.keyboard.type(`typed in ${name}`);
    await window.page.locator(".tab.dirty", { hasText: name }).waitFor();
  }
  await window.send("go");
  await window.view.locator(".end.completed").waitFor({ timeout: LONG });
  const reads = (text) => until(`the editor reads ${text}`, async () => (await window.text()) === text);
  const [a, b] = ["a.txt", "b.txt"].map((name) => TEN.replace("5", `5typed in ${name}`));
  await reads(b.replace("8", "eight"));
  await window.open("a.txt");
  await reads(a.replace("2", "two"));
  assert.deepEqual([folder.read("a.txt"), folder.read("b.txt")], [TEN, TEN]);
  // One step back takes the patch out of both.
  await window.page.keyboard.press("Control+z");
  await reads(a);
  await window.open("b.txt");
  await reads(b);
  await window.close();
}
