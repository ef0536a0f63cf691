import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpServerState } from "pintle-client";
import { actionsOf, describeServer } from "../../src/servers/servers.ts";

const server = (more: Partial<McpServerState>): McpServerState => ({
  name: "time",
  target: "uvx mcp-server-time",
  origin: "your settings",
  status: "idle",
  ...more,
});

test("a server is described by its state, and switched or started again", () => {
  const tools = [{ name: "now", description: "The time" }];
  for (const [given, description, detail, label] of [
    [{}, "idle", "uvx mcp-server-time", "Switch it off for this session"],
    [
      { status: "ready", about: "mcp-time 1", tools },
      "ready, 1 tool",
      "uvx mcp-server-time — mcp-time 1",
      "Switch it off for this session",
    ],
    [{ status: "failed", message: "it ended" }, "failed", "it ended", "Start it again"],
    [{ status: "off" }, "off", "uvx mcp-server-time", "Switch it on"],
    [
      { login: "possible" },
      "idle",
      "uvx mcp-server-time",
      "Switch it off for this session, Log in, in the browser, Log out",
    ],
    [
      { status: "failed", message: "it requires a login", login: "wanted" },
      "failed",
      "it requires a login",
      "Log in, in the browser, Start it again",
    ],
  ] as [Partial<McpServerState>, string, string, string][]) {
    const of = server(given);
    assert.deepEqual(describeServer(of), { label: "time", description, detail });
    const actions = actionsOf(of);
    assert.equal(actions.map((action) => action.label).join(", "), label);
    for (const action of actions) if (action.kind === "update") assert.equal(action.update.server, "time");
  }
});
