// VS Code in another language: what the extension says is in that language too.
import assert from "node:assert/strict";
import { LONG, call, say, until } from "./support.mjs";

export async function inGermanAllIsGerman(_, own) {
  const rig = await own({ language: "de" });
  const folder = rig.folder("german", {
    files: { "a.md": "# A\n" },
    script: { replies: [call("write", { path: "b.md", content: "b\n" }), say("Done.")] },
  });
  const window = await rig.window(folder, { isShown: false });
  await window.status("Pintle").waitFor({ timeout: LONG });
  await window.command("Pintle: Öffnen");
  await window.box.waitFor({ timeout: LONG });
  // The page: before anything happened, and of a call with its question.
  await window.sees("Was ist zu tun?");
  assert.equal(await window.view.locator("html").getAttribute("lang"), "de");
  await window.send("Schreib b.md", "Senden");
  await window.view.locator(".approval", { hasText: "neue Datei" }).waitFor({ timeout: LONG });
  // The extension host: VS Code's own status bar, and the manifest's names.
  await window.status("Pintle: 1 Frage wartet").waitFor({ timeout: LONG });
  await window.shot("german-question");
  await window.button("Allow").click();
  await window.sees("b.md geschrieben");
  await until("the turn's end is German", async () =>
    /^Fertig · \d+,\d s/.test(await window.view.locator(".end").innerText()),
  );
  await window.command("Pintle: Alle Hunks behalten");
  await window.shot("german");
  // The walkthrough: alternative text for a picture, and a Markdown page.
  await window.command("Pintle: Erste Schritte");
  await window.page.getByText("Ein Modell und sein Schlüssel").first().waitFor({ timeout: LONG });
  await window.page.getByText("Es gibt keine Telemetrie.").first().waitFor({ timeout: LONG });
  await window.page
    .getByAltText(/^Die Ansicht Pintle fragt/)
    .first()
    .waitFor({ state: "attached", timeout: LONG });
  await window.page.getByText("Die Engine", { exact: true }).first().click();
  await until("the Markdown page is German", async () => {
    const found = window.page.frames().map((frame) => frame.getByText("Speicherort der Engine").count());
    return (await Promise.allSettled(found)).some(({ value }) => value > 0);
  });
}
