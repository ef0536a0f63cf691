// The prompt box and what stands around it.
import assert from "node:assert/strict";
import { LONG, gate, say, until } from "./support.mjs";

export async function modelEffortAndModeArePickedInThePrompt(rig) {
  const folder = rig.folder("prompt pickers", { script: { replies: [say("one"), say("two")] } });
  const window = await rig.window(folder);
  const picker = (name) => window.view.locator(".pickers").getByRole("button", { name });
  await window.send("go");
  await window.sees("one");
  await picker("Model: script/script").waitFor({ timeout: LONG });
  await picker("Effort").click();
  await window.pick("high");
  await picker("Effort: high").waitFor({ timeout: LONG });
  await picker("Mode: Ask").click();
  await window.page.getByText("Plan First").waitFor({ timeout: LONG });
  await window.shot("prompt-mode");
  await window.pick("Edit Freely");
  await picker("Mode: Edit freely").waitFor({ timeout: LONG });
  await picker("Mode: Edit freely").click();
  await window.pick("Plan First");
  await picker("Mode: Plan first").waitFor({ timeout: LONG });
  await picker("Model: script/script").click();
  await window.page.getByText("Model of This Session").waitFor({ timeout: LONG });
  await window.page.keyboard.press("Escape");
}

export async function waitingMessagesAreEditedMovedAndRemovedAndEscapeStops(rig) {
  const folder = rig.folder("prompt queue", {
    script: { replies: [gate("open"), say("first over"), say("second"), say("third")] },
    settings: { "pintle.permissionMode": "full" },
  });
  const window = await rig.window(folder);
  await window.send("go");
  await until("the gate is there", () => folder.has("at-open"));
  for (const text of ["alpha", "beta", "gamma"]) await window.send(text, "Queue");
  const rows = () => window.view.locator(".queue li .text").allInnerTexts();
  const row = (text) => window.view.locator(".queue li", { hasText: text });
  const verb = (text, name) => row(text).getByRole("button", { name: new RegExp(`^${name}`) });
  await until("all wait", async () => (await rows()).length === 3);
  await verb("beta", "Move Up").click();
  await until("it is moved", async () => (await rows()).join() === "beta,alpha,gamma");
  await verb("alpha", "Edit").click();
  const box = window.view.getByRole("textbox", { name: "Waiting message" });
  await box.fill("alpha, but better");
  await window.shot("prompt-queue");
  await box.press("Enter");
  await until("it is edited", async () => (await rows()).join() === "beta,alpha, but better,gamma");
  await verb("gamma", "Remove").click();
  await until("it is removed", async () => (await rows()).join() === "beta,alpha, but better");
  await verb("beta", "Put into the Running Turn").click();
  await row("beta").getByText("steer").waitFor({ timeout: LONG });

  // The box grows with its text, up to a limit.
  const height = () => window.box.evaluate((element) => element.clientHeight);
  const small = await height();
  await window.box.fill("line\n".repeat(8));
  const large = await height();
  assert.ok(large > small * 2, `${small} to ${large}`);
  await window.box.fill("line\n".repeat(200));
  assert.ok((await height()) < 400);

  await window.box.fill("a draft");
  await window.box.press("Escape");
  await window.view.locator(".end.interrupted").waitFor({ timeout: LONG });
  await until("what was not read is back", async () => (await window.box.inputValue()).includes("beta"));
  assert.match(await window.box.inputValue(), /alpha, but better[\s\S]*a draft/);
}
