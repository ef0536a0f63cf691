// Servers of the Model Context Protocol in VS Code.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { LONG, call, say } from "./support.mjs";

export async function aServersToolsAreShownAndItIsSwitchedOff(rig) {
  const fixture = path.join(import.meta.dirname, "../../../../tests/fixtures/mcp/server.py");
  // In the project: the sandbox has a temporary folder of its own, which hides a clone below it.
  const servers = { mcpServers: { notes: { command: "python3", args: ["server.py"] } } };
  const folder = rig.folder("servers", {
    files: { ".mcp.json": JSON.stringify(servers), "server.py": fs.readFileSync(fixture, "utf8") },
    script: { replies: [call("mcp__notes__echo", { text: "heard" }), say("It spoke.")] },
    flags: ["--permission", "full"],
  });
  const window = await rig.window(folder);
  await window.send("go");
  await window.sees("It spoke.");
  await window.command("Pintle: MCP Servers…");
  await window.page.locator(".quick-input-list", { hasText: "ready, 17 tools" }).waitFor({ timeout: LONG });
  await window.pick("notes");
  await window.page.locator(".quick-input-list", { hasText: "Says it again" }).waitFor({ timeout: LONG });
  await window.shot("65-servers");
  await window.pick("Disable it for this session");
  await window.notification("The MCP server notes is disabled.").waitFor({ timeout: LONG });
  await window.close();
}

export async function aServerIsAddedAndUsedInTheSameSession(rig) {
  const fixture = path.join(import.meta.dirname, "../../../../tests/fixtures/mcp/server.py");
  const folder = rig.folder("add-server", {
    files: { "notes.py": fs.readFileSync(fixture, "utf8") },
    script: { replies: [say("Hello."), call("mcp__notes__echo", { text: "heard" }), say("It spoke.")] },
    flags: ["--permission", "full"],
  });
  const window = await rig.window(folder);
  await window.send("go");
  await window.answers("Hello.");
  const input = window.page.locator(".quick-input-widget input");
  await window.command("Pintle: MCP Servers…");
  const none = window.notification("The session has no MCP servers.");
  await none.getByRole("button", { name: "Add One…" }).click({ timeout: LONG });
  await window.page
    .locator(".quick-input-title", { hasText: "Add MCP Server (1/2)" })
    .waitFor({ timeout: LONG });
  await input.fill("python3 'notes.py");
  await window.page
    .locator(".quick-input-message", { hasText: "A closing ' is missing." })
    .waitFor({ timeout: LONG });
  await input.fill("python3 'notes.py'");
  await input.press("Enter");
  await window.page
    .locator(".quick-input-title", { hasText: "Add MCP Server (2/2)" })
    .waitFor({ timeout: LONG });
  await window.shot("66-add-server");
  await input.press("Enter");
  // The file is shown, and not saved yet.
  await window.editor.locator(".view-line", { hasText: "mcpServers" }).waitFor({ timeout: LONG });
  const told = window.notification("The MCP server notes is in .mcp.json.");
  await told.waitFor({ timeout: LONG });
  await window.shot("66-add-server-file");
  const file = path.join(folder.path, ".mcp.json");
  assert.equal(fs.existsSync(file), false);
  await told.getByRole("button", { name: "Save and Review" }).click({ timeout: LONG });
  await window.choose(".mcp.json");
  await window.notification("The files take effect with the next turn.").waitFor({ timeout: LONG });
  const { mcpServers } = JSON.parse(fs.readFileSync(file, "utf8"));
  assert.deepEqual(mcpServers, { notes: { command: "python3", args: ["notes.py"] } });
  await window.send("speak");
  await window.answers("It spoke.");
  await window.sees("heard");
  await window.close();
}

export async function aPersonLogsInToAServerInTheBrowserAndOutOfIt(rig) {
  const fixture = path.join(import.meta.dirname, "../../../../tests/fixtures/mcp/login.py");
  const server = spawn("python3", [fixture], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [url] = await once(createInterface({ input: server.stdout }), "line");
    const folder = rig.folder("login", {
      files: { ".mcp.json": JSON.stringify({ mcpServers: { guarded: { url } } }) },
      script: { replies: [say("It wants a login.")] },
    });
    const window = await rig.window(folder);
    await window.send("go");
    await window.sees("It wants a login.");
    await window.command("Pintle: MCP Servers…");
    await window.page
      .locator(".quick-input-list", { hasText: "it requires a login" })
      .waitFor({ timeout: LONG });
    await window.pick("guarded");
    await window.shot("66-login");
    // A login that nobody finishes is cancelled: by the command, and by the notification.
    const browser = window.page.context();
    await browser.route("**/authorize*", (route) => route.abort());
    const waits = window.notification("Complete the login to the MCP server guarded in your browser");
    for (const way of ["command", "button"]) {
      await window.pick("Log in, in the browser");
      await waits.waitFor({ timeout: LONG });
      if (way === "command") await window.command("Pintle: Cancel the Login");
      else await waits.getByRole("button", { name: "Cancel" }).click({ timeout: LONG });
      const said = window.notification("The login to the MCP server guarded was cancelled.");
      await said.waitFor({ timeout: LONG });
      await waits.waitFor({ state: "detached", timeout: LONG });
      await window.command("Notifications: Clear All Notifications");
      await said.waitFor({ state: "detached", timeout: LONG });
      await window.command("Pintle: MCP Servers…");
      await window.pick("guarded");
    }
    await browser.unroute("**/authorize*");
    // The page opens in the browser, which agrees and leads back to the engine.
    await window.pick("Log in, in the browser");
    await window.notification("You are logged in to the MCP server guarded.").waitFor({ timeout: LONG });
    await window.command("Pintle: MCP Servers…");
    await window.page.locator(".quick-input-list", { hasText: "ready, 1 tool" }).waitFor({ timeout: LONG });
    await window.pick("guarded");
    await window.pick("Log out");
    await window.notification("You are logged out of the MCP server guarded.").waitFor({ timeout: LONG });
    await window.close();
  } finally {
    server.kill();
  }
}
