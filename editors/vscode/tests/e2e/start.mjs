// What happens when VS Code starts: the walkthrough's ticks, and how little the extension takes.
import assert from "node:assert/strict";
import { LONG, until } from "./support.mjs";

export async function theWalkthroughTicksWhatIsReady(_, own) {
  // Ticks are kept with the profile: a new one has none.
  const rig = await own();
  const folder = rig.folder("ticks", { script: { replies: [] } });
  const window = await rig.window(folder, { isShown: false });
  const isTicked = (step) =>
    window.page
      .locator(`[data-done-step-id="pintle.pintle#start#${step}"][role=checkbox]`)
      .first()
      .getAttribute("aria-checked", { timeout: LONG });
  await window.show();
  await window.view.locator("body[data-engine=ready]").waitFor({ timeout: LONG });
  await window.command("Pintle: Get Started");
  for (const step of ["what", "engine"])
    await until(`the step is ticked: ${step}`, async () => (await isTicked(step)) === "true");
  // What nobody has done yet is not.
  assert.equal(await isTicked("prompt"), "false");
  await window.shot("97-walkthrough");
}
