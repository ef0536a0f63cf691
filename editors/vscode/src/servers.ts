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
export type ServerAction =
  | { kind: "update"; label: string; said: string; update: McpUpdateParams }
  | { kind: "login"; label: string }
  | { kind: "logout"; label: string };

/** What can be done with a server, the likeliest first. */
export function actionsOf(server: McpServerState): ServerAction[] {
  const logIn: ServerAction = { kind: "login", label: "Log in, in the browser" };
  const logOut: ServerAction = { kind: "logout", label: "Log out" };
  if (server.login === "wanted") return [logIn, change(server)];
  return server.login === undefined ? [change(server)] : [change(server), logIn, logOut];
}

function change({ name, status }: McpServerState): ServerAction {
  const kind = "update";
  if (status === "off")
    return { kind, label: "Switch it on", said: "is on", update: { server: name, enabled: true } };
  if (status === "failed") {
    const update = { server: name, restart: true };
    return { kind, label: "Start it again", said: "is started again", update };
  }
  const update = { server: name, enabled: false };
  return { kind, label: "Switch it off for this session", said: "is off", update };
}
