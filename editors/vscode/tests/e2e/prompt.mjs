// The prompt box and what stands around it.
import assert from "node:assert/strict";
import { LONG, gate, say, until } from "./support.mjs";
import { album, widen } from "./tools.mjs";

export async function modelEffortAndModeArePickedInThePrompt(rig) {
  const folder = rig.folder("prompt pickers", {
    script: { replies: [say("The first answer."), say("The second answer.")] },
  });
  const window = await rig.window(folder);
  const picker = (name) => window.view.locator(".pickers").getByRole("button", { name });
  const item = (name) => window.view.getByRole("menuitemradio", { name: new RegExp(`^${name}`) });
  const choose = async (button, name) => {
    await picker(button).click();
    await item(name).click({ timeout: LONG });
  };
  await window.send("go");
  await window.sees("The first answer.");
  await picker("Model: script/script").waitFor({ timeout: LONG });
  await choose("Effort", "high");
  await picker("Effort: high").waitFor({ timeout: LONG });

  // Keyboard: the menu opens at its button, typing finds an item, Escape returns to the button.
  await picker("Mode: Ask").press("Enter");
  const focused = () =>
    window.box.evaluate((box) => box.ownerDocument.activeElement.querySelector(".label")?.textContent);
  await until("the mode that holds has the keyboard", async () => (await focused()) === "Ask");
  await window.shot("prompt-mode");
  const [menu, button] = await Promise.all([
    window.view.locator(".popup").boundingBox(),
    picker("Mode: Ask").boundingBox(),
  ]);
  assert.ok(
    menu.y + menu.height <= button.y && button.y - menu.y - menu.height < 12,
    "it opens at its button",
  );
  await window.page.keyboard.type("pl");
  assert.equal(await focused(), "Plan First");
  await window.page.keyboard.press("Escape");
  assert.equal(await picker("Mode: Ask").evaluate((each) => each.ownerDocument.activeElement === each), true);
  await choose("Mode: Ask", "Edit Freely");
  await picker("Mode: Edit freely").waitFor({ timeout: LONG });
  await choose("Mode: Edit freely", "Plan First");
  await picker("Mode: Plan first").waitFor({ timeout: LONG });
  await picker("Model: script/script").click();
  await window.view.getByRole("menuitem", { name: "More…" }).click();
  await window.page.getByText("Model of This Session").waitFor({ timeout: LONG });
  await window.page.keyboard.press("Escape");
}

/** Measures the prompt's row. */
const rowOf = (window) =>
  window.view.locator(".prompt .bar").evaluate((bar) => {
    const shown = [...bar.querySelectorAll("button")].filter((each) => each.checkVisibility());
    const own = bar.getBoundingClientRect();
    return {
      height: Math.round(own.height),
      isInside: shown.every((each) => {
        const { left, right } = each.getBoundingClientRect();
        return left >= own.left - 1 && right <= own.right + 1;
      }),
      names: shown.map((each) => each.getAttribute("aria-label")),
    };
  });

export async function thePromptsRowFitsANarrowBar(rig) {
  const folder = rig.folder("prompt row", {
    files: { "src/parser.ts": "one\ntwo\nthree\n" },
    script: {
      replies: [gate("open"), say("The first answer."), say("The summary."), say("The second answer.")],
    },
    settings: { "pintle.permissionMode": "full" },
  });
  const window = await rig.window(folder);
  await window.quickOpen("parser.ts");
  await window.intoEditor();
  await window.page.keyboard.press("Control+a");
  const chip = window.view.getByRole("button", { name: /^Attach selection of .*parser.ts/ });
  await chip.waitFor({ timeout: LONG });
  assert.equal(await chip.getAttribute("aria-pressed"), "true", "a selection goes along");
  assert.equal((await chip.innerText()).trim(), "parser.ts:1-3");
  await window.send("go");
  await until("the gate is there", () => folder.has("at-open"));
  await window.view.locator(".user .chip", { hasText: "parser.ts:1-3" }).waitFor({ timeout: LONG });
  await until(
    "what went does not go again",
    async () => (await chip.getAttribute("aria-pressed")) === "false",
  );
  await window.box.fill("steer it");
  for (const width of [280, 360, 460]) {
    await widen(window, width);
    const row = await rowOf(window);
    assert.deepEqual([row.height <= 26, row.isInside], [true, true], JSON.stringify(row));
  }
  await album(window, folder, "prompt-running");
  await window.box.fill("");
  folder.write("open", "");
  await window.sees("The first answer.");
  await window.view.locator("body[data-activity=idle]").waitFor({ timeout: LONG });

  // The context overview, and /compact.
  await window.view.getByRole("button", { name: /^Context/ }).click();
  const panel = window.view.getByRole("dialog", { name: "Context" });
  await panel.getByText("System prompt").waitFor({ timeout: LONG });
  await panel.getByText("Your messages").waitFor({ timeout: LONG });
  await album(window, folder, "prompt-context", [
    "Default Dark Modern",
    "Default Light Modern",
    "Default High Contrast",
  ]);
  await window.view.getByRole("button", { name: /^Context/ }).click();
  await panel.waitFor({ state: "hidden", timeout: LONG });
  await window.box.click();
  await window.box.pressSequentially("/comp");
  await window.view.getByRole("option", { name: "/compact" }).waitFor({ timeout: LONG });
  await window.shot("prompt-slash");
  await window.box.press("Enter");
  await window.sees("Summarized the conversation");
  assert.equal(await window.box.inputValue(), "", "the command is not left in the box");

  // The menu attaches what is selected in the editor.
  await window.button("Attach…").click();
  await window.view.getByRole("menuitem", { name: "Selection" }).click();
  const attached = window.view.locator(".prompt .chip:not(.editorChip)");
  await attached.filter({ hasText: "parser.ts:1-3" }).waitFor({ timeout: LONG });
  await attached.getByRole("button", { name: "Remove parser.ts:1-3" }).click();
  await attached.waitFor({ state: "detached", timeout: LONG });

  // A command can also be typed and sent.
  await window.box.fill("/mode");
  await window.button("Send").click();
  await window.view.getByRole("menu", { name: "Mode: Full" }).waitFor({ timeout: LONG });
  await window.page.keyboard.press("Escape");
  await window.box.fill("/review the plan");
  await window.button("Send").click();
  await window.sees("The second answer.");
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
  const chips = window.view.locator(".prompt .attachments .chip:not(.editorChip)");
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
  await chips.filter({ hasText: "image" }).locator("canvas[width='48']").waitFor({ timeout: LONG });
  await paste("application/pdf");
  await window.notification("Only images can be attached").waitFor({ timeout: LONG });
  await window.shot("prompt-attached");
  await window.button("Send").click();
  await window.sees("The first answer.");
  const sent = await window.view.locator(".user").last().innerText();
  assert.match(sent, /look at @src\/parser\.ts and the notes\s+my notes\.md\s+image, 1 KB/);
  assert.equal(await chips.count(), 0);

  // What is selected in the editor goes with the message.
  await window.intoEditor();
  await window.page.keyboard.press("Control+a");
  await window.box.click();
  await type("@sel");
  await row("selection").waitFor({ timeout: LONG });
  await window.box.press("Enter");
  await chips.filter({ hasText: "my notes.md:1" }).waitFor({ timeout: LONG });
  await window.button("Send").click();
  await window.sees("The second answer.");
  const last = window.view.locator(".user").last().locator(".chip");
  assert.equal(await last.count(), 1, "it goes along once");
  assert.match(await last.getAttribute("title"), /selection of .*my notes\.md, lines? 1/);

  // Prompts of the project.
  await type("/ti");
  await row("/tidy").waitFor({ timeout: LONG });
  assert.match(await row("/tidy").innerText(), /Tidies a file/);
  await row("/tidy").click();
  assert.equal(await window.box.inputValue(), "/tidy ");
}
