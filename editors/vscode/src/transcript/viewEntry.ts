/** Turns the state into what the page draws; long outputs are cut here, so that they never reach it. */
import { hasEnded } from "pintle-client";
import { chipOf, textOfInput } from "../chat/input.ts";
import type { Append, ViewEntry } from "../chat/messages.ts";
import { t } from "../words.ts";
import { isCut } from "./entries.ts";
import type { Change, Entry, State } from "./state.ts";
import { ANSWERED } from "./reducer.ts";
import { toldOf } from "./told.ts";
import { viewTool } from "./toolCards.ts";

/** Characters of a tool's output or arguments that are drawn. */
const MOST_DRAWN = 16_000;
/** Characters of a message that are drawn. */
const MOST_TEXT = 400_000;

/** Entries drawn at first, and added when a person goes back. */
export const WINDOW = 100;
/** Entries behind the place where a page stood before; the others come when a person goes on. */
const MOST_AROUND = 200;

/** The entries from a number up to another one. */
export function between(state: State, first: number, last: number): ViewEntry[] {
  return state.entries.slice(first - state.start, last - state.start).map(viewEntry);
}

/** The entries that a page begins with: the last ones, or those around the entry `key`, where it stood. */
export function around(
  state: State,
  key: string | undefined,
): { first: number; entries: ViewEntry[]; isEnd: boolean } {
  const end = state.start + state.entries.length;
  const place = key === undefined ? undefined : state.indexes.get(key);
  const first = Math.max(state.start, Math.min(end - WINDOW, (place ?? end) - WINDOW / 2));
  const last = place === undefined ? end : Math.min(end, place + MOST_AROUND);
  return { first, entries: between(state, first, last), isEnd: last === end };
}

export function viewEntry(entry: Entry): ViewEntry {
  const { key, tsMs: atMs } = entry;
  if (entry.kind === "notice" && entry.notice.code === ANSWERED) {
    return { kind: "told", key, atMs, line: entry.notice.message, text: "" };
  }
  if (entry.kind === "notice") return { kind: "notice", key, atMs, notice: entry.notice };
  if (entry.kind === "turnEnd") return { kind: "turnEnd", key, atMs, end: entry.end };
  const { item, streamed } = entry;
  switch (item.type) {
    case "userMessage":
      return {
        kind: "user",
        key,
        atMs,
        text: textOfInput(item.content.filter(({ type }) => type === "text")),
        chips: item.content.filter(({ type }) => type !== "text").map(chipOf),
        from: entry.from,
      };
    case "agentMessage":
    case "reasoning":
      return {
        kind: item.type === "reasoning" ? "reasoning" : "agent",
        key,
        atMs,
        text: cut(item.text, MOST_TEXT),
        isOver: hasEnded(item),
        isCut: isCut(item),
      };
    case "toolCall":
    case "job":
    case "subagent":
    case "compaction": {
      const tool = viewTool(item, streamed);
      return {
        kind: "tool",
        key,
        atMs,
        tool: {
          ...tool,
          input: cut(tool.input, MOST_DRAWN),
          args: tool.args.map(({ name, value }) => ({ name, value: cut(value, MOST_DRAWN) })),
          output: cut(tool.output, MOST_DRAWN),
          changes: tool.changes.map((change) => ({ ...change, diff: cut(change.diff, MOST_DRAWN) })),
        },
      };
    }
    case "engineMessage":
      return { kind: "told", key, atMs, ...toldOf(item) };
    default:
      // An item of a type that is newer than this extension.
      return {
        kind: "notice",
        key,
        atMs,
        notice: { level: "info", code: "unknownItem", message: t("An item of an unknown kind.") },
      };
  }
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = most / 2;
  const left = text.length - most;
  return `${text.slice(0, half)}\n${t("… {0} characters not shown …", left)}\n${text.slice(-half)}`;
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
      const entry = index === undefined ? undefined : state.entries[index - state.start];
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
