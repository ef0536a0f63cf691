// The prompt box and what stands around it.
import assert from "node:assert/strict";
import { LONG, gate, say, until } from "./support.mjs";

export async function modelEffortAndModeArePickedInThePrompt(rig) {
  const folder = rig.folder("prompt pickers", {
    script: { replies: [say("The first answer."), say("The second answer.")] },
  });
  const window = await rig.window(folder);
  const picker = (name) => window.view.locator(".pickers").getByRole("button", { name });
  await window.send("go");
  await window.sees("The first answer.");
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
  await verb("beta", "Add to the Running Turn").click();
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

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export async function thePromptCompletesAndTakesPictures(rig) {
  const folder = rig.folder("prompt complete", {
    files: {
      "src/parser.ts": "export const a = 1;\n",
      "my notes.md": "notes\n",
      ".pintle/prompts/tidy.md": "---\ndescription: Tidies a file\n---\nTidy up.\n",
    },
    script: { replies: [say("The first answer."), say("The second answer.")] },
  });
  const window = await rig.window(folder);
  await window.open("my notes.md");
  const row = (text) => window.view.getByRole("option", { name: text });
  const chips = window.view.locator(".attachments li");
  const type = (text) => window.box.pressSequentially(text);

  await window.box.fill("");
  await type("look at @pars");
  await row("src/parser.ts").waitFor({ timeout: LONG });
  await window.shot("prompt-mention");
  await window.box.press("Tab");
  assert.equal(await window.box.inputValue(), "look at @src/parser.ts ");
  await type("and @notes");
  await row("my notes.md").waitFor({ timeout: LONG });
  await window.box.press("Enter");
  await chips.filter({ hasText: "my notes.md" }).waitFor({ timeout: LONG });
  assert.equal(await window.box.inputValue(), "look at @src/parser.ts and ");

  // Escape closes the list, and stops nothing; what is left out of it is typed on.
  await type("@pars");
  await row("src/parser.ts").waitFor({ timeout: LONG });
  await window.box.press("Escape");
  await row("src/parser.ts").waitFor({ state: "hidden", timeout: LONG });
  await window.box.fill("look at @src/parser.ts and the notes");

  const paste = (mimeType) =>
    window.box.evaluate(
      (element, { data, type }) => {
        const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([bytes], "shot", { type }));
        element.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData, cancelable: true, bubbles: true }),
        );
      },
      { data: PIXEL, type: mimeType },
    );
  await paste("image/png");
  await chips.filter({ hasText: "image" }).waitFor({ timeout: LONG });
  await paste("application/pdf");
  await window.notification("Only images can be attached").waitFor({ timeout: LONG });
  await window.shot("prompt-attached");
  await window.button("Send").click();
  await window.sees("The first answer.");
  const sent = await window.view.locator(".user").last().innerText();
  assert.match(sent, /look at @src\/parser\.ts and the notes\n\[my notes\.md\]\n\[image\]/);
  assert.equal(await chips.count(), 0);

  // What is selected in the editor goes with the message.
  await window.intoEditor();
  await window.page.keyboard.press("Control+a");
  await window.box.click();
  await type("@sel");
  await row("selection").waitFor({ timeout: LONG });
  await window.box.press("Enter");
  await chips.filter({ hasText: "selection of" }).waitFor({ timeout: LONG });
  await window.button("Send").click();
  await window.sees("The second answer.");
  assert.match(
    await window.view.locator(".user").last().innerText(),
    /\[selection of .*my notes\.md, lines? 1/,
  );

  // Prompts of the project.
  await type("/ti");
  await row("/tidy").waitFor({ timeout: LONG });
  assert.match(await row("/tidy").innerText(), /Tidies a file/);
  await row("/tidy").click();
  assert.equal(await window.box.inputValue(), "/tidy ");
}
