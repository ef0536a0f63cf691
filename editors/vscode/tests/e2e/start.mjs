// Activation takes little time, and the walkthrough sees what is ready.
import assert from "node:assert/strict";
import { LONG, until } from "./support.mjs";

export async function activationTakesLessThanFiftyMilliseconds(rig) {
  const folder = rig.folder("activation", { script: { replies: [] } });
  const window = await rig.window(folder);
  await window.command("Developer: Show Running Extensions");
  const row = window.page
    .locator(".runtime-extensions-editor .extension", { hasText: "pintle.pintle" })
    .first();
  await row.waitFor({ timeout: LONG });
  const text = await until("the time is shown", async () =>
    /Activation: (\d+)ms|Startup Activation: (\d+)ms/.exec(await row.innerText()),
  );
  const milliseconds = Number(text[1] ?? text[2]);
  console.log(`activation: ${milliseconds} ms`);
  assert.ok(milliseconds < 50, `${milliseconds} ms`);
}

export async function theWalkthroughTicksWhatIsReady(rig) {
  const folder = rig.folder("ticks", { script: { replies: [] } });
  const window = await rig.window(folder);
  await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
  await window.command("Pintle: Get Started");
  for (const title of ["A coding agent that you steer", "The engine"]) {
    const step = window.page.locator(".getting-started-step", { hasText: title }).first();
    await step.waitFor({ timeout: LONG });
    await until(
      `it is ticked: ${title}`,
      async () =>
        (await step.locator(".codicon-getting-started-step-checked, .codicon-star-full, .complete").count()) >
        0,
    );
  }
  await window.shot("97-walkthrough");
}
