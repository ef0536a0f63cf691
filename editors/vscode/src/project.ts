/** Turns the state into what the page draws; long outputs are cut here, so that they never reach it. */
import * as path from "node:path";
import { textOfInput } from "./input.ts";
import type { Append, ViewEntry } from "./messages.ts";
import type { Content } from "./protocol.ts";
import type { Entry } from "./state.ts";
import { isOver } from "./entries.ts";
import type { Change, State } from "./state.ts";

/** Characters of a tool's output or arguments that are drawn. */
const MOST_DRAWN = 16_000;
/** Characters of a message that are drawn. */
const MOST_TEXT = 400_000;

/** Entries drawn at first, and added when a person goes back. */
export const WINDOW = 100;

export function viewEntry(entry: Entry): ViewEntry {
  const { key } = entry;
  if (entry.kind === "notice") return { kind: "notice", key, notice: entry.notice };
  if (entry.kind === "turnEnd") return { kind: "turnEnd", key, end: entry.end };
  const { item, streamed } = entry;
  switch (item.type) {
    case "userMessage":
      return { kind: "user", key, text: textOfInput(item.content), from: entry.from };
    case "agentMessage":
      return { kind: "agent", key, text: cut(item.text, MOST_TEXT), isOver: isOver(item) };
    case "reasoning":
      return { kind: "reasoning", key, text: cut(item.text, MOST_TEXT), isOver: isOver(item) };
    case "toolCall": {
      const output = item.output === undefined ? streamed.output : textOf(item.output.content);
      return {
        kind: "tool",
        key,
        tool: {
          name: item.toolName,
          title: item.title,
          toolKind: item.kind,
          status: item.status,
          input: cut(inputText(item.input, streamed.input), MOST_DRAWN),
          output: cut(output, MOST_DRAWN),
          isError: item.output?.isError === true,
          durationMs: item.durationMs,
          exitCode: item.output?.details?.exitCode,
          changes: (item.output?.details?.changes ?? []).map(({ op, path, added, removed, diff }) => ({
            op,
            path,
            added,
            removed,
            diff: cut(diff, MOST_DRAWN),
          })),
        },
      };
    }
    case "job":
      return {
        kind: "tool",
        key,
        tool: {
          name: "job",
          title: `${item.jobId}: ${item.title}`,
          toolKind: "execute",
          status: item.status,
          input: cut(item.command, MOST_DRAWN),
          output: cut(item.output ?? streamed.output, MOST_DRAWN),
          isError: item.status === "failed",
          durationMs: item.durationMs,
          exitCode: item.details?.exitCode,
          changes: [],
        },
      };
    case "subagent":
      return {
        kind: "tool",
        key,
        tool: {
          name: "subagent",
          title: `${item.agentId}: ${item.task.split("\n", 1)[0] ?? ""}`,
          toolKind: "think",
          status: item.state === "working" ? "running" : item.status,
          input: cut(item.task, MOST_DRAWN),
          output: cut(item.result ?? "", MOST_DRAWN),
          isError: item.state === "failed",
          durationMs: item.durationMs,
          exitCode: undefined,
          changes: [],
        },
      };
    case "compaction":
      return {
        kind: "tool",
        key,
        tool: {
          name: "compaction",
          title: compactionTitle(item.tokensBefore, item.tokensAfter),
          toolKind: "think",
          status: item.status,
          input: "",
          output: cut(item.summary ?? item.error ?? "", MOST_DRAWN),
          isError: item.error !== undefined,
          durationMs: item.durationMs,
          exitCode: undefined,
          changes: [],
        },
      };
    case "engineMessage":
      return { kind: "notice", key, notice: { level: "info", code: "engineMessage", message: item.text } };
    default:
      // An item of a type that is newer than this extension.
      return {
        kind: "notice",
        key,
        notice: { level: "info", code: "unknownItem", message: "An item of an unknown kind." },
      };
  }
}

function compactionTitle(before: number, after: number | undefined): string {
  const tokens = after === undefined ? `${before} tokens` : `${before} to ${after} tokens`;
  return `Summing up the conversation: ${tokens}`;
}

/** The command or the arguments as a person reads them. */
function inputText(input: unknown, streamed: string): string {
  if (input === undefined) return streamed;
  if (
    typeof input === "object" &&
    input !== null &&
    "command" in input &&
    typeof input.command === "string"
  ) {
    return input.command;
  }
  return JSON.stringify(input, undefined, 2);
}

function textOf(content: Content[]): string {
  return content.map((each) => (each.type === "text" ? each.text : imageLine(each))).join("\n");
}

/** What stands for a picture: its kind and how large its file is. */
function imageLine(image: { mimeType: string; data: string }): string {
  const bytes = Math.floor((image.data.length * 3) / 4);
  return `[image ${image.mimeType}, ${Math.max(1, Math.round(bytes / 1024))} KB]`;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = most / 2;
  const left = text.length - most;
  return `${text.slice(0, half)}\n… ${left} characters are not shown …\n${text.slice(-half)}`;
}

/** Collects changes between two redraws, so that the page is told once. */
export class Pending {
  readonly #whole = new Set<string>();
  #appends = new Map<string, Append>();
  #head = false;

  get isEmpty(): boolean {
    return this.#whole.size === 0 && this.#appends.size === 0 && !this.#head;
  }

  add(changes: Change[]): void {
    for (const change of changes) {
      if (change.type === "head") this.#head = true;
      else if (change.type === "entry") {
        this.#whole.add(change.key);
        for (const field of ["text", "input", "output"]) this.#appends.delete(`${change.key} ${field}`);
      } else if (change.type === "append" && !this.#whole.has(change.key)) {
        const place = `${change.key} ${change.field}`;
        const before = this.#appends.get(place);
        if (before === undefined) {
          this.#appends.set(place, { key: change.key, field: change.field, text: change.text });
        } else before.text += change.text;
      }
    }
  }

  /** What is to be drawn, in the state as it is now. */
  take(state: State): { entries: { index: number; entry: ViewEntry }[]; appends: Append[]; head: boolean } {
    const entries: { index: number; entry: ViewEntry }[] = [];
    for (const key of this.#whole) {
      const index = state.indexes.get(key);
      const entry = index === undefined ? undefined : state.entries[index];
      if (index !== undefined && entry !== undefined) entries.push({ index, entry: viewEntry(entry) });
    }
    entries.sort((a, b) => a.index - b.index);
    const taken = { entries, appends: [...this.#appends.values()], head: this.#head };
    this.clear();
    return taken;
  }

  clear(): void {
    this.#whole.clear();
    this.#appends = new Map();
    this.#head = false;
  }
}

/** A path as a person reads it: relative inside the folder, whole outside. */
export function labelOf(folder: string, file: string): string {
  const relative = path.relative(folder, file);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}
