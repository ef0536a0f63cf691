/** Jobs, sub-agents and compactions as cards. Pure. */
import type { Compaction, Item, Job, Streamed, Subagent } from "pintle-client";
import type { ViewTool } from "../chat/messages.ts";
import { numberText, t } from "../words.ts";
import { toolSentence } from "./toolWords.ts";

/** Defaults of a card. */
export const EMPTY = {
  file: undefined,
  args: [],
  language: "",
  output: "",
  format: "text",
  base: "",
  outputLanguage: "",
  firstLine: 1,
  note: "",
  found: "",
  group: undefined,
  isError: false,
  exitCode: undefined,
  changes: [],
  fullBytes: undefined,
  stop: undefined,
  terminal: undefined,
  agentSession: undefined,
} satisfies Partial<ViewTool>;

export function jobCard(item: Item & Job, streamed: Streamed): ViewTool {
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
    format: "terminal",
    isError: item.status === "failed",
    durationMs: item.durationMs,
    exitCode: item.details?.exitCode,
    fullBytes: item.details?.fullOutput?.bytes,
    stop: item.status === "running" ? { kind: "job", jobId: item.jobId } : undefined,
    terminal: item.status === "running" && item.inTerminal === true ? item.jobId : undefined,
  };
}

export function agentCard(item: Item & Subagent): ViewTool {
  const status = item.state === "working" ? "running" : item.status === "running" ? "completed" : item.status;
  const isError = item.state === "failed";
  return {
    ...EMPTY,
    sentence: toolSentence("agent", status, isError),
    subject: item.task.split("\n", 1)[0] ?? "",
    isCode: false,
    icon: "agent",
    status,
    // A one-line task is already in the row.
    input: item.task.trim().includes("\n") ? item.task : "",
    output: item.result ?? "",
    format: isError ? "text" : "markdown",
    isError,
    durationMs: item.durationMs,
    agentSession: item.sessionId,
  };
}

export function compactionCard(item: Item & Compaction): ViewTool {
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
    format: error === undefined ? "markdown" : "text",
    isError: error !== undefined,
    durationMs: item.durationMs,
  };
}
