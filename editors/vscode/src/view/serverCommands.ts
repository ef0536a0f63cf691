/** The session's servers of the Model Context Protocol: their state and tools, and a switch for each. */
import * as vscode from "vscode";
import { problemOf } from "../problem.ts";
import { actionOf, describeServer } from "../servers.ts";
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
    const servers = await session.servers();
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
  const action = actionOf(server);
  const tools = (server.tools ?? []).map((tool) => ({ label: tool.name, detail: tool.description }));
  const said = (server.stderr ?? []).map((line) => ({ label: line, description: "stderr" }));
  const picked = await vscode.window.showQuickPick([{ label: action.label }, ...tools, ...said], {
    title: vscode.l10n.t("MCP Server {0}", server.name),
    matchOnDetail: true,
  });
  if (picked?.label !== action.label) return;
  await session.updateServer(action.update);
  void vscode.window.showInformationMessage(
    vscode.l10n.t("The MCP server {0} {1}.", server.name, action.said),
  );
}
