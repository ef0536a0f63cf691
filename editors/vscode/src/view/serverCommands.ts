/** The session's servers of the Model Context Protocol: their state and tools, a switch for each, and logins. */
import * as vscode from "vscode";
import { problemOf } from "../problem.ts";
import { actionsOf, describeServer, type ServerAction } from "../servers.ts";
import type { McpServerState } from "../protocol.ts";
import type { Session } from "../session.ts";
import type { ReviewOwner } from "./reviewCommands.ts";

export async function showServers(owner: ReviewOwner): Promise<void> {
  const session = owner.chat?.session;
  if (session === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t("There is no session yet: send a prompt first."));
    return;
  }
  try {
    const servers = (await session.ofServers("mcp/list", {}))?.servers ?? [];
    if (servers.length === 0) {
      const words = "The session has no MCP servers. Pintle: Help…, servers, says where they come from.";
      void vscode.window.showInformationMessage(words);
      return;
    }
    const picked = await vscode.window.showQuickPick(
      servers.map((server) => ({ ...describeServer(server), server })),
      {
        title: vscode.l10n.t("MCP Servers"),
        placeHolder: vscode.l10n.t("A server, to see its tools or to switch it"),
      },
    );
    if (picked !== undefined) await open(session, picked.server);
  } catch (error) {
    const { text, hint } = problemOf(error);
    void vscode.window.showErrorMessage(
      vscode.l10n.t("The MCP servers cannot be asked: {0} {1}", text, hint).trim(),
    );
  }
}

/** Shows the tools of a server and its error output, and does what is chosen. */
async function open(session: Session, server: McpServerState): Promise<void> {
  const actions = actionsOf(server).map((action) => ({ label: action.label, action }));
  const tools = (server.tools ?? []).map((tool) => ({ label: tool.name, detail: tool.description }));
  const said = (server.stderr ?? []).map((line) => ({ label: line, description: "stderr" }));
  const choices: (vscode.QuickPickItem & { action?: ServerAction })[] = [...actions, ...tools, ...said];
  const picked = await vscode.window.showQuickPick(choices, {
    title: vscode.l10n.t("MCP Server {0}", server.name),
    matchOnDetail: true,
  });
  const words = picked?.action && (await act(session, server.name, picked.action));
  if (words) void vscode.window.showInformationMessage(words);
}

/** Does it, and returns what to say of it. */
async function act(session: Session, server: string, action: ServerAction): Promise<string> {
  if (action.kind === "login") {
    await logIn(session, server);
    return vscode.l10n.t("You are logged in to the MCP server {0}.", server);
  }
  if (action.kind === "logout") {
    const done = await session.ofServers("mcp/logout", { server });
    return done?.removed === true
      ? vscode.l10n.t("You are logged out of the MCP server {0}.", server)
      : vscode.l10n.t("You were not logged in to the MCP server {0}.", server);
  }
  await session.ofServers("mcp/update", action.update);
  return vscode.l10n.t("The MCP server {0} {1}.", server, action.said);
}

/** Waits for the person who logs in on the page, who may cancel here. */
async function logIn(session: Session, server: string): Promise<void> {
  const title = vscode.l10n.t("Finish the login to the MCP server {0} in your browser", server);
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    return session.ofServers("mcp/login", { server }, stop.signal);
  });
}
