// Chats as editor tabs: several at once, each with its session.
import assert from "node:assert/strict";
import { LONG, call, say, until } from "./support.mjs";

const tab = (window, text) => window.page.locator(".tab", { hasText: text });

/** The page of a chat whose prompt or transcript holds a text; there may be several, in tabs and in the view. */
async function pageWith(window, text) {
  return until(`a page says ${text}`, async () => {
    for (const frame of window.page.frames()) {
      const isIt = await frame
        .evaluate(
          (text) =>
            document.querySelector("main.transcript") !== null && document.body.innerText.includes(text),
          text,
        )
        .catch(() => false);
      if (isIt) return frame;
    }
    return undefined;
  });
}

/** The page that has the keyboard in its prompt. */
async function focused(window) {
  return until("a chat has the keyboard", async () => {
    for (const frame of window.page.frames()) {
      const has = await frame
        .evaluate(() => document.hasFocus() && document.activeElement?.tagName === "TEXTAREA")
        .catch(() => false);
      if (has) return frame;
    }
    return undefined;
  });
}

/** The chat in the tab that a command opens, with the keyboard in it. */
async function newTab(window, command = "Pintle: New Chat in Editor") {
  const before = new Set(window.page.frames());
  await window.command(command);
  return until("the new tab has the keyboard", async () => {
    const frame = await focused(window);
    return before.has(frame) ? undefined : frame;
  });
}

const send = async (frame, text) => {
  const box = frame.locator("textarea");
  // What is typed goes to another page if VS Code hands the keyboard over late.
  await until("the text is in the box", async () => {
    await box.fill(text);
    return (await box.inputValue()) === text;
  });
  await frame.getByRole("button", { name: "Send", exact: true }).click();
};

export async function chatsInTabsWorkAtTheSameTime(rig) {
  const words = (name, length = 600) => Array.from({ length }, (_, n) => `${name}${n}`).join(" ");
  const folder = rig.folder("chat tabs", {
    files: { "a.txt": "one\n" },
    settings: { "pintle.permissionMode": "ask", "workbench.colorTheme": "Default Dark Modern" },
    script: {
      delayMs: 5,
      replies: [
        call("bash", { command: "echo asked > asked.txt" }),
        say(words("word")),
        say("The first is done."),
        // Longer than any wait below, since it is stopped.
        say(words("left", 20_000)),
        say(words("right")),
      ],
    },
  });
  const window = await rig.window(folder);
  await newTab(window);
  const two = await newTab(window);
  await window.command("View: Move Editor into Right Group");
  await until("both tabs are in sight", () => two.isDetached() || two.evaluate(() => true));
  const right = await focused(window);
  await window.command("View: Focus First Editor Group");
  const left = await until("the left tab has the keyboard", async () => {
    const frame = await focused(window);
    return frame === right ? undefined : frame;
  });

  // One asks, the other streams.
  await send(left, "Ask me first");
  const allow = left.getByRole("button", { name: "Allow", exact: true });
  await allow.waitFor({ timeout: LONG });
  await tab(window, "● Ask me first").waitFor({ timeout: LONG });
  await send(right, "Tell me much");
  await right.getByText("word30 ").waitFor({ timeout: LONG });
  assert.equal(await allow.count(), 1, "the other tab still asks");
  assert.equal(await right.getByRole("button", { name: "Allow", exact: true }).count(), 0);
  await window.shot("95-two-chat-tabs");
  await right.getByText("word599").waitFor({ timeout: LONG });
  assert.equal(await right.getByText("Ask me first").count(), 0, "each tab has its own session");
  assert.equal(await window.view.locator("main").getByText("Tell me much").count(), 0);

  // The question is reached and answered from anywhere, and the mark goes with it.
  await window.command("Pintle: Go to the Question");
  await until("the card has the keyboard", () =>
    left.evaluate(() => document.hasFocus() && document.activeElement?.matches(".approval") === true),
  );
  await allow.click();
  await left.getByText("The first is done.").waitFor({ timeout: LONG });
  assert.equal(folder.read("asked.txt"), "asked\n");
  await until("the mark is gone", async () => (await tab(window, "●").count()) === 0);

  // Commands go to the chat that has the focus.
  await send(left, "Write on the left");
  await left.getByText("left3 ").waitFor({ timeout: LONG });
  await send(right, "Write on the right");
  await right.getByText("right3 ").waitFor({ timeout: LONG });
  // VS Code looks which page has the focus a few times a second.
  const active = window.page.locator(".editor-group-container.active .tab.active");
  await active.filter({ hasText: "Tell me much" }).waitFor({ timeout: LONG });
  await left.locator("textarea").click();
  await active.filter({ hasText: "Ask me first" }).waitFor({ timeout: LONG });
  await window.command("Pintle: Stop the Turn");
  await left.getByText("Stopped").first().waitFor({ timeout: LONG });
  await right.getByText("right599").waitFor({ timeout: LONG });
  assert.equal(await right.getByText("Stopped").count(), 0);

  // A reload brings both back, each with its session and its draft.
  await left.locator("textarea").fill("a draft of the left");
  await right.locator("textarea").fill("a draft of the right");
  await right.locator("textarea").blur();
  await window.reloadInOrder();
  const leftAgain = await pageWith(window, "The first is done.");
  const rightAgain = await pageWith(window, "right599");
  await until("the drafts are there", async () => {
    const drafts = await Promise.all(
      [leftAgain, rightAgain].map((each) => each.locator("textarea").inputValue()),
    );
    return drafts.join() === "a draft of the left,a draft of the right";
  });
  await window.shot("96-chat-tabs-after-a-reload");

  // A session is shown in one tab alone.
  await window.command("View: Show Pintle");
  const row = window.page.locator('.pane:has([aria-label="Sessions Section"]) .monaco-list-row');
  await row.filter({ hasText: "Ask me first" }).click();
  await until("its tab has the keyboard", async () => (await focused(window)) === leftAgain);
  assert.equal(await tab(window, "Ask me first").count(), 1);

  // The view and a tab show the same session, and agree. The script begins again with the engine.
  const view = await pageWith(window, "What should be done?");
  await send(view, "Ask in the view");
  await view.getByRole("button", { name: "Allow", exact: true }).waitFor({ timeout: LONG });
  // The command is about the chat with the focus.
  await view.locator("textarea").click();
  await until("the view has the keyboard", async () => (await focused(window)) === view);
  const both = await newTab(window, "Pintle: Open Chat in Editor");
  await both.getByRole("button", { name: "Allow", exact: true }).click();
  for (const each of [view, both]) await each.getByText("word599").waitFor({ timeout: LONG });
  assert.equal(await view.getByRole("button", { name: "Allow", exact: true }).count(), 0);
  await window.shot("97-a-chat-in-the-view-and-a-tab");

  // A closed tab keeps its session.
  await window.command("View: Close Editor");
  await tab(window, "Ask in the view").waitFor({ state: "detached", timeout: LONG });
  await view.getByText("word599").waitFor({ timeout: LONG });
  await row.filter({ hasText: "Ask in the view" }).waitFor({ timeout: LONG });
}
