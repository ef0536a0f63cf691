// What happens when VS Code starts: the walkthrough's ticks, and how little the extension takes.
import assert from "node:assert/strict";
import { LONG, say, until } from "./support.mjs";

export async function theWalkthroughTicksWhatIsReady(_, own) {
  // Ticks are kept with the profile: a new one has none.
  const rig = await own();
  const folder = rig.folder("ticks", { script: { replies: [say("An answer.")] } });
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
  // Other steps are not ticked, even after their command was cancelled.
  await window.command("Pintle: Set Up Provider…");
  const list = window.page.locator(".quick-input-widget", { hasText: "Set Up Provider" });
  await list.locator(".monaco-list-row", { hasText: "Anthropic" }).waitFor({ timeout: LONG });
  await list.locator("input").first().press("Escape");
  await list.waitFor({ state: "hidden", timeout: LONG });
  for (const step of ["model", "prompt"]) assert.equal(await isTicked(step), "false", step);
  // The steps show pictures of the product, of the theme's kind.
  // A narrow page leaves them out.
  await window.command("View: Close Primary Side Bar");
  const picture = window.page.locator(".getting-started-media img").first();
  await picture.waitFor({ timeout: LONG });
  for (const [theme, kind] of [
    ["Default Light Modern", "light"],
    ["Default Dark Modern", "dark"],
  ]) {
    const settings = JSON.parse(folder.read(".vscode/settings.json"));
    folder.write(".vscode/settings.json", JSON.stringify({ ...settings, "workbench.colorTheme": theme }));
    await until(`the picture is ${kind}`, () =>
      picture.evaluate(
        (image, kind) => image.currentSrc.includes(`what-${kind}.png`) && image.naturalWidth > 0,
        kind,
      ),
    );
    await window.shot(`97-walkthrough-${kind}`);
  }
  assert.match(await picture.getAttribute("alt"), /^The Pintle view asks/);

  // A prompt that was answered shows that the model works.
  await window.view.locator("textarea").fill("Answer me");
  await window.button("Send").click();
  await window.sees("An answer.");
  // VS Code may leave a walkthrough whose steps are all ticked.
  await window.command("Pintle: Get Started");
  for (const step of ["model", "prompt"])
    await until(`the step is ticked: ${step}`, async () => (await isTicked(step)) === "true");
}
