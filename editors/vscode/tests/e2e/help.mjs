// The engine's guides in VS Code.
import { LONG, until } from "./support.mjs";

export async function aGuideIsShownInThePreview(rig) {
  const folder = rig.folder("help", { files: { "a.txt": "one\n" }, script: { replies: [] } });
  const window = await rig.window(folder);
  await window.command("Pintle: Help…");
  await window.pick("permissions");
  await window.page.locator(".tab", { hasText: "Preview permissions.md" }).waitFor({ timeout: LONG });
  const isDrawn = async (frame) =>
    (await frame
      .locator("h2", { hasText: "Protected and secret files" })
      .count()
      .catch(() => 0)) > 0;
  await until("the page is drawn", async () => {
    for (const frame of window.page.frames()) if (await isDrawn(frame)) return true;
    return false;
  });
  await window.shot("60-help");
  await window.close();
}
