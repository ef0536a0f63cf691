// Completion of the engine's settings in VS Code, which has no language for TOML by itself.
import { LONG } from "./support.mjs";

export async function theEnginesSettingsAreCompletedAndExplained(rig) {
  const files = { "pintle/config.toml": "permission_mode = \n" };
  const window = await rig.window(rig.folder("config", { files, script: { replies: [] } }));
  await window.quickOpen("config.toml");
  await window.intoEditor();
  await window.toLine("permission_mode =");
  await window.page.keyboard.press("Control+Space");
  const row = window.page.locator(".suggest-widget.visible .monaco-list-row", { hasText: '"auto-edit"' });
  await row.waitFor({ timeout: LONG });
  await window.shot("61-config");
  await window.page.keyboard.press("Escape");
  await window.editor.locator(".view-line").getByText("permission_mode").first().hover();
  const told = window.page.locator(".monaco-hover", { hasText: "the widest mode that clients can set" });
  await told.first().waitFor({ timeout: LONG });
  await window.close();
}
