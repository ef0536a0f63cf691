/** Calls of tools, jobs, sub-agents and compactions as cards: what they do in words, what went in and what came out. Pure. */
import type {
  Compaction,
  Content,
  Item,
  Job,
  Streamed,
  Subagent,
  ToolCall,
  ToolDetails,
} from "pintle-client";
import type { ViewTool } from "../chat/messages.ts";
import { numberText, t } from "../words.ts";
import { streamedInput } from "./entries.ts";
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
};

const LANGUAGES: Record<string, string> = { execute: "shellscript" };

const EMPTY = {
  language: "",
  output: "",
  isTerminal: false,
  isError: false,
  exitCode: undefined,
  changes: [],
  fullBytes: undefined,
  stop: undefined,
  agentSession: undefined,
} satisfies Partial<ViewTool>;

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
  const isTerminal = item.kind === "execute";
  const rest = withoutName(item.title, toolName);
  const details = output?.details;
  return {
    ...EMPTY,
    sentence: toolSentence(kind, status, isError),
    subject: subjectOf(kind, toolName, rest),
    isCode: isTerminal,
    icon: ICONS[kind],
    status,
    input: inputText(item.changedInput ?? item.input, streamedInput(streamed.inputs)),
    language: LANGUAGES[item.kind] ?? (streamed.inputs.size === 0 ? "json" : ""),
    output: output === undefined ? streamed.output : textOf(output.content),
    isTerminal,
    isError,
    durationMs: item.durationMs,
    exitCode: details?.exitCode,
    changes: (details?.changes ?? []).map(({ op, path, added, removed, diff }) => ({
      op,
      path,
      added,
      removed,
      diff,
    })),
    fullBytes: details?.fullOutput?.bytes,
    stop: status === "running" && item.byProvider !== true ? { kind: "tool" } : undefined,
  };
}

function jobCard(item: Item & Job, streamed: Streamed): ViewTool {
  return {
    ...EMPTY,
    sentence: toolSentence("job", item.status, item.status === "failed"),
    subject: item.title.replace(/^[\w-]+: /, ""),
    isCode: true,
    icon: "server-process",
    status: item.status,
    input: item.command,
    language: "shellscript",
    output: item.output ?? streamed.output,
    isTerminal: true,
    isError: item.status === "failed",
    durationMs: item.durationMs,
    exitCode: item.details?.exitCode,
    fullBytes: item.details?.fullOutput?.bytes,
    stop: item.status === "running" ? { kind: "job", jobId: item.jobId } : undefined,
  };
}

function agentCard(item: Item & Subagent): ViewTool {
  const status = item.state === "working" ? "running" : item.status === "running" ? "completed" : item.status;
  const isError = item.state === "failed";
  return {
    ...EMPTY,
    sentence: toolSentence("agent", status, isError),
    subject: item.task.split("\n", 1)[0] ?? "",
    isCode: false,
    icon: "agent",
    status,
    input: item.task,
    output: item.result ?? "",
    isError,
    durationMs: item.durationMs,
    agentSession: item.sessionId,
  };
}

function compactionCard(item: Item & Compaction): ViewTool {
  const { tokensBefore, tokensAfter, error, summary } = item;
  const before = numberText(tokensBefore);
  const isRunning = item.status === "running" || item.status === "pending";
  return {
    ...EMPTY,
    sentence: isRunning ? t("Summarizing the conversation: {0}") : t("Summarized the conversation: {0}"),
    subject:
      tokensAfter === undefined
        ? t("{0} tokens", before)
        : t("{0} tokens to {1}", before, numberText(tokensAfter)),
    isCode: false,
    icon: "fold",
    status: item.status,
    input: "",
    output: summary ?? error ?? "",
    isError: error !== undefined,
    durationMs: item.durationMs,
  };
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

/** The command or the arguments as a person reads them. */
function inputText(input: unknown, streamed: string): string {
  if (input === undefined) return streamed;
  return commandOf(input) ?? JSON.stringify(input, undefined, 2);
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
