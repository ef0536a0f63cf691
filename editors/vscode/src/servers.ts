/** The session's servers of the Model Context Protocol, in words. Pure. */
import type { McpServerState, McpUpdateParams } from "./protocol.ts";

/** A server in a list. */
export interface ServerLine {
  label: string;
  description: string;
  detail: string;
}

export function describeServer(server: McpServerState): ServerLine {
  const count = server.tools?.length ?? 0;
  const description = server.status === "ready" ? `ready, ${count} tools` : server.status;
  return {
    label: server.name,
    description,
    detail: server.message ?? [server.target, server.about].filter(Boolean).join(" — "),
  };
}

/** What can be done with a server. */
export interface ServerAction {
  label: string;
  said: string;
  update: McpUpdateParams;
}

export function actionOf(server: McpServerState): ServerAction {
  const { name, status } = server;
  if (status === "off")
    return { label: "Switch it on", said: "is on", update: { server: name, enabled: true } };
  if (status === "failed") {
    return { label: "Start it again", said: "is started again", update: { server: name, restart: true } };
  }
  return {
    label: "Switch it off for this session",
    said: "is off",
    update: { server: name, enabled: false },
  };
}
