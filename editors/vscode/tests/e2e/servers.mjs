// Servers of the Model Context Protocol in VS Code.
import * as path from "node:path";
import { LONG, call, say } from "./support.mjs";

export async function aServersToolsAreShownAndItIsSwitchedOff(rig) {
  const server = path.join(import.meta.dirname, "../../../../tests/fixtures/mcp/server.py");
  const servers = { mcpServers: { notes: { command: "python3", args: [server] } } };
  const folder = rig.folder("servers", {
    files: { ".mcp.json": JSON.stringify(servers) },
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
  await window.pick("Switch it off for this session");
  await window.notification("The MCP server notes is off.").waitFor({ timeout: LONG });
  await window.page.context().close();
}
