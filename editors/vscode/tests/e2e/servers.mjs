// Servers of the Model Context Protocol in VS Code.
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
