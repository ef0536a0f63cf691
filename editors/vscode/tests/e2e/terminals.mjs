// A running job's terminal in VS Code's panel.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { LONG, call, say, until } from "./support.mjs";

const ASKS = "echo Hello; read -s -p 'Password: ' p; echo; echo \"${#p} letters\"; cat";

export async function aPasswordIsTypedIntoTheTerminalOfAJob(rig) {
  const folder = rig.folder("terminals", {
    settings: { "pintle.permissionMode": "full", "terminal.integrated.gpuAcceleration": "off" },
    script: { replies: [call("bash", { command: ASKS, tty: true }), say("It asks for a password.")] },
  });
  const window = await rig.window(folder);
  await window.send("go");
  await window.answers("It asks for a password.");
  const card = window.view.locator("article.tool", { hasText: "Hello" }).last();
  await card.getByRole("button", { name: "Open Terminal" }).click({ timeout: LONG });

  const rows = window.page.locator(".terminal-wrapper.active .xterm-rows");
  const shows = (text) =>
    until(`the terminal shows ${text}`, async () =>
      (await rows.allInnerTexts()).join("\n").replaceAll("\u00a0", " ").includes(text),
    );
  await shows("Hello");
  await shows("Password:");
  await window.page.locator(".terminal-wrapper.active .xterm-helper-textarea").focus();
  await window.page.keyboard.type("planted");
  await window.page.keyboard.press("Enter");
  await shows("7 letters");
  await window.page.keyboard.type("back");
  await window.page.keyboard.press("Enter");
  await shows("back\nback");
  await window.shot("job-terminal");
  await window.page.keyboard.press("Control+d");
  await shows("The command has ended. Press a key to close this terminal.");
  await card.getByRole("button", { name: "Open Terminal" }).waitFor({ state: "hidden", timeout: LONG });
  await window.page.keyboard.press("Enter");
  await window.page.locator(".terminal-wrapper.active").waitFor({ state: "hidden", timeout: LONG });

  const sessions = path.join(rig.base, "home");
  const files = fs.readdirSync(sessions, { recursive: true }).map((name) => path.join(sessions, name));
  const holds = (file) => fs.lstatSync(file).isFile() && fs.readFileSync(file).includes("planted");
  assert.deepEqual(files.filter(holds), [], "the password is stored");
}
