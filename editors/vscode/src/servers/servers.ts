/** The session's servers of the Model Context Protocol, in words. Pure. */
import type { McpServerState, McpUpdateParams } from "pintle-client";
import { plural, t } from "../words.ts";

/** A server in a list. */
export interface ServerLine {
  label: string;
  description: string;
  detail: string;
}

export function describeServer(server: McpServerState): ServerLine {
  const count = server.tools?.length ?? 0;
  const description =
    server.status === "ready"
      ? plural(count, "ready, {0} tool", "ready, {0} tools")
      : (STATES[server.status]?.() ?? server.status);
  return {
    label: server.name,
    description,
    detail: server.message ?? [server.target, server.about].filter(Boolean).join(" — "),
  };
}

/** States in words; one of a newer engine is said as it is. */
const STATES: Record<string, () => string> = {
  idle: () => t("idle"),
  starting: () => t("starting"),
  failed: () => t("failed"),
  off: () => t("off"),
};

/** What can be done with a server. */
export type ServerAction =
  | { kind: "update"; label: string; said: string; update: McpUpdateParams }
  | { kind: "login"; label: string }
  | { kind: "logout"; label: string };

/** What can be done with a server, the likeliest first. */
export function actionsOf(server: McpServerState): ServerAction[] {
  const logIn: ServerAction = { kind: "login", label: t("Log in, in the browser") };
  const logOut: ServerAction = { kind: "logout", label: t("Log out") };
  if (server.login === "wanted") return [logIn, change(server)];
  return server.login === undefined ? [change(server)] : [change(server), logIn, logOut];
}

function change({ name, status }: McpServerState): ServerAction {
  const kind = "update";
  if (status === "off")
    return {
      kind,
      label: t("Enable it"),
      said: t("The MCP server {0} is enabled.", name),
      update: { server: name, enabled: true },
    };
  if (status === "failed") {
    const update = { server: name, restart: true };
    return {
      kind,
      label: t("Restart it"),
      said: t("The MCP server {0} is restarting.", name),
      update,
    };
  }
  const update = { server: name, enabled: false };
  return {
    kind,
    label: t("Disable it for this session"),
    said: t("The MCP server {0} is disabled.", name),
    update,
  };
}
