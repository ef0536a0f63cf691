/** The extension's settings, read once into plain values. */
import type { PermissionMode, SessionConfig } from "pintle-client";

const MODES: PermissionMode[] = ["readOnly", "ask", "autoEdit", "full"];

export interface Settings {
  /** The engine's program; empty to look for it. */
  path: string;
  /** More arguments for `pintle serve`, or `pintle attach`. */
  arguments: string[];
  /** The engine is the one that other editors use too. */
  shared: boolean;
  model: string;
  permissionMode: PermissionMode | "";
}

/** Reads settings; what has the wrong shape counts as not set. */
export function readSettings(get: (name: string) => unknown): Settings {
  const list = get("arguments");
  const mode = get("permissionMode");
  return {
    path: text(get("path")),
    arguments: Array.isArray(list) ? list.filter((each): each is string => typeof each === "string") : [],
    shared: get("shared") === true,
    model: text(get("model")),
    permissionMode: permissionModeOf(mode) ?? "",
  };
}

/** The permission mode with this name. */
export function permissionModeOf(name: unknown): PermissionMode | undefined {
  return MODES.find((each) => each === name);
}

/** What a new session is told. */
export function sessionConfig(settings: Settings): SessionConfig {
  const config: SessionConfig = {};
  if (settings.model !== "") config.model = settings.model;
  if (settings.permissionMode !== "") config.permissionMode = settings.permissionMode;
  return config;
}

/** The engine's command line behind its program. The editor starts no engine before its person trusts the workspace. */
export function commandLine({ shared, arguments: more }: Settings): string[] {
  return [shared ? "attach" : "serve", "--trust", ...more];
}

/** Whether a running engine must be started anew for the new settings to hold. */
export function needsRestart(before: Settings, after: Settings): boolean {
  return before.path !== after.path || commandLine(before).join("\0") !== commandLine(after).join("\0");
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}
