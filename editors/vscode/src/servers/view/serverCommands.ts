/** The session's servers of the Model Context Protocol: their state and tools, a switch for each, and logins. */
import type { McpServerState } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { ReviewOwner } from "../../review/view/reviewCommands.ts";
import type { Session } from "../../sessions/session.ts";
import type { Logins } from "../../settings/view/logins.ts";
import { t } from "../../words.ts";
import type { ServerAction } from "../servers.ts";
import { actionsOf, describeServer } from "../servers.ts";
import { addServer } from "./addServer.ts";

export function serverCommands(owner: ReviewOwner, logins: Logins): Record<string, () => unknown> {
  return {
    "pintle.mcpServers": () => showServers(owner, logins),
    "pintle.addMcpServer": () => addServer(owner),
  };
}

async function showServers(owner: ReviewOwner, logins: Logins): Promise<void> {
  const session = owner.chat?.session;
  if (session === undefined) {
    void vscode.window.showInformationMessage(t("There is no session yet: send a prompt first."));
    return;
  }
  try {
    const servers = (await session.ofServers("mcp/list", {}))?.servers ?? [];
    if (servers.length === 0) {
      const add = t("Add One…");
      const chosen = await vscode.window.showInformationMessage(t("The session has no MCP servers."), add);
      if (chosen === add) await addServer(owner);
      return;
    }
    const picked = await vscode.window.showQuickPick(
      servers.map((server) => ({ ...describeServer(server), server })),
      {
        title: t("MCP Servers"),
        placeHolder: t("Choose a server to see its tools or change it"),
      },
    );
    if (picked !== undefined) await open(session, picked.server, logins);
  } catch (error) {
    void vscode.window.showErrorMessage(t("Could not list the MCP servers: {0}", lineOf(problemOf(error))));
  }
}

/** Shows the tools of a server and its error output, and does what is chosen. */
async function open(session: Session, server: McpServerState, logins: Logins): Promise<void> {
  const actions = actionsOf(server).map((action) => ({ label: action.label, action }));
  const tools = (server.tools ?? []).map((tool) => ({ label: tool.name, detail: tool.description }));
  const said = (server.stderr ?? []).map((line) => ({ label: line, description: "stderr" }));
  const problems = (server.problems ?? []).map((label) => ({ label: `$(warning) ${label}` }));
  const choices: (vscode.QuickPickItem & { action?: ServerAction })[] = [
    ...actions,
    ...tools,
    ...problems,
    ...said,
  ];
  const picked = await vscode.window.showQuickPick(choices, {
    title: t("MCP Server {0}", server.name),
    matchOnDetail: true,
  });
  const words = picked?.action && (await act(session, server.name, picked.action, logins));
  if (words) void vscode.window.showInformationMessage(words);
}

/** Does it, and returns what to say of it. */
async function act(session: Session, server: string, action: ServerAction, logins: Logins): Promise<string> {
  if (action.kind === "login") {
    const title = t("Complete the login to the MCP server {0} in your browser", server);
    const logIn = (signal: AbortSignal) => session.ofServers("mcp/login", { server }, signal);
    return (await logins.run(title, logIn))
      ? t("You are logged in to the MCP server {0}.", server)
      : t("The login to the MCP server {0} was cancelled.", server);
  }
  if (action.kind === "logout") {
    const done = await session.ofServers("mcp/logout", { server });
    return done?.removed === true
      ? t("You are logged out of the MCP server {0}.", server)
      : t("You were not logged in to the MCP server {0}.", server);
  }
  await session.ofServers("mcp/update", action.update);
  return action.said;
}
