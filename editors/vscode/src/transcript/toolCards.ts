/** Calls of tools, jobs, sub-agents and compactions as cards: what they do in words, what went in and what came out. Pure. */
import type { Content, Item, Streamed, ToolCall, ToolDetails } from "pintle-client";
import type { ViewTool } from "../chat/messages.ts";
import { plural, t } from "../words.ts";
import { streamedInput } from "./entries.ts";
import { agentCard, compactionCard, EMPTY, jobCard } from "./otherCards.ts";
import { argumentsOf, fileText, foundText, languageOf, nameOf } from "./toolParts.ts";
import type { ToolKind } from "./toolWords.ts";
import { isToolKind, toolSentence } from "./toolWords.ts";

type Of<T extends Item["type"]> = Extract<Item, { type: T }>;

const ICONS: Record<ToolKind, string> = {
  read: "file",
  list: "folder-opened",
  edit: "edit",
  write: "new-file",
  delete: "trash",
  move: "arrow-right",
  search: "search",
  execute: "terminal",
  fetch: "globe",
  plan: "checklist",
  spawn: "run-all",
  agent: "agent",
  wait: "watch",
  job: "server-process",
  use: "tools",
};

/** Tools whose names say more than their kind does. A model's family has names of its own: case and separators do not count. */
const NAMES: Record<string, ToolKind> = {
  ls: "list",
  list: "list",
  listdir: "list",
  listdirectory: "list",
  write: "write",
  writefile: "write",
  todo: "plan",
  todolist: "plan",
  todowrite: "plan",
  writetodos: "plan",
  updateplan: "plan",
  agent: "spawn",
  invokeagent: "spawn",
  runagent: "spawn",
  spawnagent: "spawn",
  subagent: "spawn",
  task: "spawn",
  wait: "wait",
  waitagent: "wait",
  waitagents: "wait",
  job: "use",
  writestdin: "use",
};

const LANGUAGES: Record<string, string> = { execute: "shellscript" };

export function viewTool(
  item: Of<"toolCall"> | Of<"job"> | Of<"subagent"> | Of<"compaction">,
  streamed: Streamed,
): ViewTool {
  switch (item.type) {
    case "toolCall":
      return callCard(item, streamed);
    case "job":
      return jobCard(item, streamed);
    case "subagent":
      return agentCard(item);
    case "compaction":
      return compactionCard(item);
  }
}

function callCard(item: Item & ToolCall, streamed: Streamed): ViewTool {
  const { toolName, output, status } = item;
  const kind = NAMES[plain(toolName)] ?? (isToolKind(item.kind) ? item.kind : "use");
  const isError = output?.failed === true;
  const named = withoutName(item.title, toolName);
  // The default directory is not worth mentioning.
  const rest = kind === "search" ? named.replace(/ in \.$/, "") : named;
  const details = output?.details;
  const input = item.changedInput ?? item.input;
  const changes = (details?.changes ?? []).map(({ op, path, added, removed, diff }) => ({
    op,
    path,
    added,
    removed,
    diff,
  }));
  const isCommand = item.kind === "execute";
  const command = isCommand ? commandOf(input) : undefined;
  const isChanged = changes.length > 0 && !isError;
  const shown = outputOf(kind, item, isChanged, streamed);
  return {
    ...EMPTY,
    ...shown,
    sentence: toolSentence(kind, status, isError),
    subject:
      changes.length > 1 ? plural(changes.length, "{0} file", "{0} files") : subjectOf(kind, toolName, rest),
    isCode: isCommand,
    icon: ICONS[kind],
    status,
    file: fileOf(kind, item, changes, rest),
    args: isChanged || command !== undefined || shown.format === "file" ? [] : argumentsOf(input),
    input: command ?? (input === undefined ? streamedInput(streamed.inputs) : ""),
    language: LANGUAGES[item.kind] ?? "",
    isError,
    durationMs: item.durationMs,
    exitCode: details?.exitCode,
    changes,
    fullBytes: details?.fullOutput?.bytes,
    stop: status === "running" && item.byProvider !== true ? { kind: "tool" } : undefined,
    group: groupOf(kind, item),
  };
}

/** Returns the file of a call that concerns exactly one. */
function fileOf(
  kind: ToolKind,
  { locations = [] }: Item & ToolCall,
  changes: ViewTool["changes"],
  said: string,
): ViewTool["file"] {
  const [change, ...more] = changes;
  if (change !== undefined) {
    return more.length > 0 ? undefined : { path: change.path, line: undefined, name: nameOf(change.path) };
  }
  const [place, ...others] = locations;
  if (place === undefined || others.length > 0 || !["read", "edit", "write"].includes(kind)) return undefined;
  return { path: place.path, line: place.line, name: nameOf(said) };
}

/** Returns the output and its format. After an edit, the diffs are shown instead of the text for the model. */
function outputOf(
  kind: ToolKind,
  item: Item & ToolCall,
  isChanged: boolean,
  streamed: Streamed,
): Pick<ViewTool, "output" | "format" | "base" | "outputLanguage" | "firstLine" | "note" | "found"> {
  const { output, locations = [] } = item;
  const text = output === undefined ? streamed.output : textOf(output.content);
  const plainly = { ...EMPTY, output: isChanged ? "" : text };
  if (item.kind === "execute") return { ...plainly, output: text, format: "terminal" };
  if (output === undefined || output.failed === true) return plainly;
  const isText = output.content.every((each) => each.type === "text");
  if (kind === "read" && locations.length === 1 && isText) {
    const [place] = locations;
    const { text: body, firstLine, note } = fileText(text, place?.line ?? 1);
    return {
      ...plainly,
      output: body,
      format: "file",
      outputLanguage: languageOf(place?.path ?? ""),
      firstLine,
      note,
    };
  }
  if (kind === "search" && item.byProvider !== true && plain(item.toolName) !== "websearch") {
    return { ...plainly, ...hitsOf(item), found: foundText(text) };
  }
  if (kind === "list") return { ...plainly, ...hitsOf(item) };
  return plainly;
}

/** Places in the output are links if the call concerned one directory or file. */
function hitsOf({ locations = [] }: ToolCall): Pick<ViewTool, "format" | "base"> {
  const [place, ...others] = locations;
  const isOne = place !== undefined && others.length === 0;
  return isOne ? { format: "hits", base: place.path } : { format: "text", base: "" };
}

const GROUPS: Partial<Record<ToolKind, ViewTool["group"]>> = { read: "read", list: "list", search: "search" };

/** Read-only calls are folded unless they failed. */
function groupOf(kind: ToolKind, { status, output }: Item & ToolCall): ViewTool["group"] {
  const isWell = status === "pending" || status === "running" || status === "completed";
  return isWell && output?.failed !== true ? GROUPS[kind] : undefined;
}

/** What it is done to. A server's tool is named by both, any other that says nothing of itself by its name in words. */
function subjectOf(kind: ToolKind, toolName: string, rest: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  const said = rest === toolName ? "" : rest;
  if (server !== undefined && tool !== undefined)
    return [t("{0} of {1}", words(tool), server), said].filter(Boolean).join(": ");
  if (kind !== "use") return said === "" ? words(toolName) : said;
  return [words(toolName), said].filter(Boolean).join(": ");
}

/** What a title says beside the tool's name, with which most begin. */
function withoutName(title: string, toolName: string): string {
  const begin = `${toolName}: `;
  return title.toLowerCase().startsWith(begin.toLowerCase()) ? title.slice(begin.length) : title;
}

/** A tool's name as `NAMES` has it. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}

function words(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
}

/** The command among the arguments, whose name is another one for some models: a line, or its words. */
function commandOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { command, cmd } = input as { command?: unknown; cmd?: unknown };
  const given = command ?? cmd;
  if (Array.isArray(given)) return given.join(" ");
  return typeof given === "string" ? given : undefined;
}

function textOf(content: Content[]): string {
  return content.map((each) => (each.type === "image" ? imageLine(each) : each.text)).join("\n");
}

/** What stands for a picture: its kind and how large its file is. */
function imageLine(image: { mimeType: string; data: string }): string {
  const bytes = Math.floor((image.data.length * 3) / 4);
  return t("[image {0}, {1} KB]", image.mimeType, Math.max(1, Math.round(bytes / 1024)));
}

/** The details of an item's output, where it has some. */
export function detailsOf(item: Item): ToolDetails | undefined {
  if (item.type === "toolCall") return item.output?.details;
  return item.type === "job" ? item.details : undefined;
}
