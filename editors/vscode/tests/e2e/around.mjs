// Around the editor: problems, notes, search, export, delete, checkpoints, stops with receipts, sub-agents, the plan.
import assert from "node:assert/strict";
import { LONG, call, edit, gate, isThere, say, until } from "./support.mjs";

const input = (window) => window.page.locator(".quick-input-widget input");

export async function aProblemIsFixedFromItsPlace(rig) {
  const folder = rig.folder("fix", {
    files: { "a.json": '{\n  "a": 1\n' },
    script: { replies: [say("Fixed."), say("It is JSON.")] },
  });
  const window = await rig.window(folder);
  await window.open("a.json");
  await window.page.keyboard.press("Control+End");
  await window.page.locator(".squiggly-error").first().waitFor({ timeout: LONG });
  await window.page.keyboard.press("F8");
  await window.page.locator(".marker-widget").first().waitFor({ timeout: LONG });
  // The key is lost while the editor moves to the problem.
  const fix = window.page.getByText("Fix with Pintle");
  await until("the fixes are listed", async () => {
    await window.page.keyboard.press("Control+.");
    return isThere(fix, 10_000);
  });
  await fix.click({ timeout: LONG });
  await window.sees("Fix this problem.");
  await window.sees("1 problem");
  await window.answers("Fixed.");
  // A selection is added to what stands in the prompt box.
  await window.intoEditor();
  await window.page.keyboard.press("Control+a");
  await window.page.keyboard.press("Control+k");
  await window.page.keyboard.press("Alt+p");
  const chips = window.view.locator(".prompt .chip:not(.editorChip)");
  await chips.filter({ hasText: "a.json:" }).waitFor({ timeout: LONG });
  await window.shot("92-fix");
}

export async function notesAreGatheredAndSentTogether(rig) {
  const folder = rig.folder("notes", {
    files: { "a.txt": "one\ntwo\nthree\n" },
    script: { replies: [say("Noted.")] },
  });
  const window = await rig.window(folder);
  await window.open("a.txt");
  for (const [line, text] of [
    ["one", "Why one?"],
    ["three", "Say four."],
  ]) {
    await window.toLine(line);
    await window.command("Add Comment on Current Selection");
    const editor = window.page.locator(".review-widget").last().locator(".monaco-editor.focused");
    await editor.waitFor({ timeout: LONG });
    await window.page.keyboard.type(text);
    await window.page
      .locator(".review-widget")
      .last()
      .getByRole("button", { name: "Add Note" })
      .click({ timeout: LONG });
    await window.page.locator(".review-widget .comment-body", { hasText: text }).waitFor({ timeout: LONG });
  }
  await window.shot("93-notes");
  await window.command("Pintle: Send All Notes");
  await window.sees("My notes:");
  await window.sees("a.txt:3: Say four.");
  await window.answers("Noted.");
  assert.equal(await window.view.locator(".user").count(), 1, "one message");
  await window.page.locator(".review-widget").first().waitFor({ state: "detached", timeout: LONG });
}

export async function sessionsAreSearchedExportedAndDeleted(rig) {
  const folder = rig.folder("sessions list", {
    script: { replies: [say("The zebra is striped."), say("Nothing of it.")] },
  });
  const window = await rig.window(folder);
  await window.send("Tell me about animals");
  await window.sees("The zebra is striped.");
  await window.command("Pintle: New Session");
  await window.sees("What should be done?");
  await window.send("Another thing");
  await window.sees("Nothing of it.");
  await window.command("Pintle: Search Sessions");
  await input(window).fill("zebra");
  await window.page
    .locator(".quick-input-list .monaco-list-row", { hasText: "»zebra«" })
    .first()
    .click({ timeout: LONG });
  await window.sees("The zebra is striped.");

  await window.command("Pintle: Export Session");
  await window.pick("Markdown");
  await until("the file is offered", async () => (await input(window).inputValue()).endsWith(".md"));
  await window.page.keyboard.press("Enter");
  await until("it is written", () => folder.has("Tell me about animals.md"));
  assert.match(folder.read("Tell me about animals.md"), /The zebra is striped\./);

  await window.command("Pintle: Delete Session");
  await window.page.getByRole("button", { name: "Delete", exact: true }).click({ timeout: LONG });
  await window.command("View: Show Pintle");
  const row = (text) =>
    window.page.locator('.pane:has([aria-label="Sessions Section"]) .monaco-list-row', { hasText: text });
  await row("Another thing").waitFor({ timeout: LONG });
  await row("Tell me about animals").waitFor({ state: "detached", timeout: LONG });
  await window.shot("94-sessions");
}

export async function checkpointsAreListedAndGoneBackTo(rig) {
  const folder = rig.folder("checkpoints", {
    files: { "a.txt": "one\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        edit("a.txt", ["one", "two"]),
        say("Done."),
        edit("a.txt", ["two", "three"]),
        say("Done again."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("First");
  await window.answers("Done.");
  await window.send("Second");
  await window.sees("Done again.");
  const point = async () => {
    await window.command("Pintle: Checkpoints");
    await window.page
      .locator(".quick-input-list .monaco-list-row", { hasText: "After a turn: 1 file changed" })
      .nth(1)
      .click({ timeout: LONG });
  };
  await point();
  await window.pick("Show What Changed Since");
  await window.page.locator(".view-line", { hasText: "+three" }).waitFor({ timeout: LONG });
  await point();
  await window.pick("Restore the Files");
  await window.pick("Rewind");
  await until("the file is as it was", () => folder.read("a.txt") === "two\n");
}

export async function stopsHaveReceipts(rig) {
  const folder = rig.folder("stops", {
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [call("bash", { command: "touch job; sleep 1000", background: true }), gate("turn")],
    },
  });
  const window = await rig.window(folder);
  await window.send("Go");
  await until("a job and a call run", () => folder.has("job") && folder.has("at-turn"));
  await window.button("Stop").click();
  await window.notification("1 background job continues").waitFor({ timeout: LONG });
  await window.view.locator(".end.interrupted").waitFor({ timeout: LONG });
  await window.command("Pintle: Stop Session");
  await window.notification("The session is closed: 1 background job.").waitFor({ timeout: LONG });
  await window.shot("95-receipts");
}

export async function aCallOfASubAgentIsStoppedInItsCard(rig) {
  const folder = rig.folder("nested-stop", {
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        {
          blocks: [
            { tool: "spawn_agent", arguments: { task: "Wait a while" } },
            { tool: "wait", arguments: {} },
          ],
        },
        call("bash", { command: "while [ ! -e never ]; do sleep 0.05; done" }),
        say("It was stopped."),
        say("The sub-agent has answered."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("Wait");
  const agent = window.view.locator(".tool", { hasText: "Sub-agent is working on" }).first();
  await agent.locator(".row").first().click({ timeout: LONG });
  const command = window.view.locator(".nested .tool", { hasText: "while" });
  await command.getByRole("button", { name: "Stop This" }).click({ timeout: LONG });
  await window.sees("The sub-agent has answered.");
  await window.view.locator(".nested", { hasText: "It was stopped." }).waitFor({ timeout: LONG });
}

export async function aSubAgentsTranscriptStandsInItsCard(rig) {
  const folder = rig.folder("nested", {
    files: { "a.txt": "a\n" },
    settings: { "pintle.permissionMode": "full" },
    script: {
      replies: [
        {
          blocks: [
            {
              tool: "todo_write",
              arguments: {
                items: [
                  { content: "Look", status: "completed" },
                  { content: "Tell", status: "in_progress" },
                ],
              },
            },
            { tool: "spawn_agent", arguments: { task: "Look at a.txt" } },
            // The replies that follow are the sub-agent's: nobody else asks for one meanwhile.
            { tool: "wait", arguments: {} },
          ],
        },
        call("read", { path: "a.txt" }),
        say("It holds an a."),
        say("The sub-agent has looked."),
      ],
    },
  });
  const window = await rig.window(folder);
  await window.send("Look");
  await window.view.locator(".plan", { hasText: "Plan: 1 of 2 done" }).waitFor({ timeout: LONG });
  await window.sees("The sub-agent has looked.");
  const nested = window.view.locator(".tool", { hasText: "Sub-agent finished" });
  await nested.locator(".row").first().click();
  await nested.locator(".nested .tool", { hasText: "Read a.txt" }).waitFor({ timeout: LONG });
  await window.shot("96-nested");
}
