/** The session's servers of the Model Context Protocol: their state and tools, a switch for each, and logins. */
import * as vscode from "vscode";
import { problemOf } from "../problem.ts";
import { actionsOf, describeServer, type ServerAction } from "../servers.ts";
import type { McpServerState } from "../protocol.ts";
import type { Session } from "../session.ts";
import type { ReviewOwner } from "./reviewCommands.ts";

export function serverCommands(owner: ReviewOwner): Record<string, () => unknown> {
  const logins = new Set<AbortController>();
  return {
    "pintle.mcpServers": () => showServers(owner, logins),
    "pintle.cancelLogin": () => cancelLogin(logins),
  };
}

function cancelLogin(logins: Set<AbortController>): void {
  if (logins.size === 0) void vscode.window.showInformationMessage(vscode.l10n.t("No login waits."));
  for (const login of logins) login.abort();
}

async function showServers(owner: ReviewOwner, logins: Set<AbortController>): Promise<void> {
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
    if (picked !== undefined) await open(session, picked.server, logins);
  } catch (error) {
    const { text, hint } = problemOf(error);
    void vscode.window.showErrorMessage(
      vscode.l10n.t("The MCP servers cannot be asked: {0} {1}", text, hint).trim(),
    );
  }
}

/** Shows the tools of a server and its error output, and does what is chosen. */
async function open(session: Session, server: McpServerState, logins: Set<AbortController>): Promise<void> {
  const actions = actionsOf(server).map((action) => ({ label: action.label, action }));
  const tools = (server.tools ?? []).map((tool) => ({ label: tool.name, detail: tool.description }));
  const said = (server.stderr ?? []).map((line) => ({ label: line, description: "stderr" }));
  const choices: (vscode.QuickPickItem & { action?: ServerAction })[] = [...actions, ...tools, ...said];
  const picked = await vscode.window.showQuickPick(choices, {
    title: vscode.l10n.t("MCP Server {0}", server.name),
    matchOnDetail: true,
  });
  const words = picked?.action && (await act(session, server.name, picked.action, logins));
  if (words) void vscode.window.showInformationMessage(words);
}

/** Does it, and returns what to say of it. */
async function act(
  session: Session,
  server: string,
  action: ServerAction,
  logins: Set<AbortController>,
): Promise<string> {
  if (action.kind === "login") {
    return (await logIn(session, server, logins))
      ? vscode.l10n.t("You are logged in to the MCP server {0}.", server)
      : vscode.l10n.t("The login to the MCP server {0} was cancelled.", server);
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

/** Waits for the person who logs in on the page, and who may cancel here. Returns whether it was finished. */
async function logIn(session: Session, server: string, logins: Set<AbortController>): Promise<boolean> {
  const title = vscode.l10n.t("Finish the login to the MCP server {0} in your browser", server);
  const location = vscode.ProgressLocation.Notification;
  const login = new AbortController();
  logins.add(login);
  setWaiting(logins);
  try {
    await vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => {
      token.onCancellationRequested(() => login.abort());
      return session.ofServers("mcp/login", { server }, login.signal);
    });
    return true;
  } catch (error) {
    if (login.signal.aborted) return false;
    throw error;
  } finally {
    logins.delete(login);
    setWaiting(logins);
  }
}

function setWaiting(logins: Set<AbortController>): void {
  void vscode.commands.executeCommand("setContext", "pintle.isLoggingIn", logins.size > 0);
}
