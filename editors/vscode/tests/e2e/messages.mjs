// Message buttons, and the activity line.
import assert from "node:assert/strict";
import { LONG, call, gate, say, until } from "./support.mjs";

export async function aMessageIsEditedAndAnAnswerAskedForAgain(rig) {
  const folder = rig.folder("message actions", {
    script: { replies: [say("The first try."), say("The second try."), say("The third try.")] },
  });
  const window = await rig.window(folder);
  const { view } = window;
  await window.send("Question one");
  await view.locator(".end.completed").waitFor({ timeout: LONG });
  const answer = view.locator(".agent");
  await answer.hover();
  await answer.getByRole("button", { name: "Retry Answer" }).click();
  await window.sees("The second try.");
  await view.locator(".end.completed").waitFor({ timeout: LONG });
  assert.deepEqual(await view.locator(".user, .agent").allInnerTexts(), ["Question one", "The second try."]);

  // Reachable by keyboard.
  const restore = view.locator(".user").getByRole("button", { name: "Edit and Restore…" });
  await restore.focus();
  const toolbar = view.locator(".user .messageActions");
  assert.equal(await toolbar.evaluate((each) => getComputedStyle(each).opacity), "1");
  await window.shot("message-actions");
  await restore.press("Enter");
  await window.pick("Only the conversation");
  await window.page
    .locator(".quick-input-list .monaco-list-row")
    .getByText("Rewind", { exact: true })
    .click({ timeout: LONG });
  await until("the message is in the box", async () => (await window.box.inputValue()) === "Question one");
  await until("it is not in the transcript", async () => (await view.locator(".user").count()) === 0);
  await window.send("Question one, but better");
  await window.sees("The third try.");
}

export async function theViewSaysWhatATurnDoes(rig) {
  const folder = rig.folder("working", {
    script: { replies: [gate("open"), call("bash", { command: "touch more" }), say("Over.")] },
  });
  const window = await rig.window(folder);
  const line = window.view.locator(".working");
  assert.equal(await line.isVisible(), false);
  await window.send("go");
  await line.getByText("Waiting for your answer").waitFor({ timeout: LONG });
  await window.shot("working-waits");
  await window.button("Allow").click();
  await line.getByText("Running touch at-open").waitFor({ timeout: LONG });
  // The page counts by itself.
  const seconds = async () => Number(/(\d+) s/.exec(await line.innerText())?.[1]);
  const before = await seconds();
  await until("the seconds are counted", async () => (await seconds()) > before);
  assert.equal(
    await line.evaluate((each) => each.closest("[aria-live]")),
    null,
    "no screen reader reads each second",
  );
  await window.shot("working-runs");
  folder.write("open", "");
  await window.view.locator(".approval", { hasText: "touch more" }).waitFor({ timeout: LONG });
  await window.button("Allow").click();
  await window.answers("Over.");
  await line.waitFor({ state: "hidden", timeout: LONG });
}
