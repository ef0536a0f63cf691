// The engine's guides in VS Code.
import { LONG } from "./support.mjs";

export async function aGuideIsShownInThePreview(rig) {
  const folder = rig.folder("help", { files: { "a.txt": "one\n" }, script: { replies: [] } });
  const window = await rig.window(folder);
  await window.command("Pintle: Help…");
  await window.pick("permissions");
  await window.page.locator(".tab", { hasText: "Preview permissions.md" }).waitFor({ timeout: LONG });
  await window.shot("60-help");
  await window.page.context().close();
}
