/** The things in a transcript: put where they belong, and shown where they lie on the way that counts. */
import type { Item, ItemDelta } from "pintle-client";
import { onTheWay } from "./history.ts";
import type { Change, Entry, Kind, State } from "./state.ts";

/** Puts an entry, or another value of it, also where it is not shown. */
export function put(state: State, key: string, kind: Kind): Change {
  const before = state.all.get(key);
  const entry: Entry = { key, seq: before?.seq ?? state.seq, tsMs: before?.tsMs ?? state.nowMs, ...kind };
  state.all.set(key, entry);
  const index = state.indexes.get(key);
  if (index !== undefined) state.entries[index - state.start] = entry;
  else if (before === undefined) {
    state.indexes.set(key, state.start + state.entries.length);
    state.entries.push(entry);
  }
  return { type: "entry", key };
}

export function putItem(state: State, item: Item): Change[] {
  // A note that its author wants nobody to see.
  if (item.type === "engineMessage" && item.note?.hidden === true) return [];
  const before = state.all.get(item.id);
  let known = state.item(item.id) ?? item;
  // A person has read what streamed before the item was cut off: it stays, also where less of it was saved.
  if (isCut(known) && before?.kind === "item" && "text" in before.item && "text" in known) {
    if (before.item.text.length > known.text.length) known = { ...known, text: before.item.text };
  }
  const streamed = state.streamed(item.id) ?? { inputs: new Map<string, string>(), output: "" };
  const from = state.senders.get(item.id);
  return [put(state, item.id, { kind: "item", item: known, streamed, from })];
}

/** Takes a piece of text for the end of an item. */
export function grow(state: State, delta: ItemDelta): Change[] {
  const growth = state.grow(delta);
  if (growth === undefined || !state.all.has(growth.itemId)) return [];
  const { itemId: key, field, path, isWhole } = growth;
  const inputs = state.streamed(key)?.inputs ?? new Map<string, string>();
  // Only what comes at the end of what is drawn is appended.
  if (isWhole || (path !== undefined && path !== [...inputs.keys()].at(-1))) return [{ type: "entry", key }];
  let { text } = growth;
  if (path !== undefined && inputs.get(path) === text) {
    text = `${inputs.size > 1 ? "\n" : ""}${streamedInput(new Map([[path, text]]))}`;
  }
  return [{ type: "append", key, field, text }];
}

/** The texts of a call's arguments while the model writes them, each under its name. */
export function streamedInput(inputs: Map<string, string>): string {
  return [...inputs].map(([path, text]) => `${path.slice(1)}:\n${text}`).join("\n");
}

/** The session goes on from another place: what lies on the way to it is shown, and nothing else. */
export function showTheWay(state: State): Change {
  state.entries = onTheWay(state.history, (key) => state.isHidden(key), [...state.all.values()]);
  state.start = 0;
  state.indexes = new Map(state.entries.map((entry, index) => [entry.key, index]));
  return { type: "reset" };
}

/** Whether an item ended before its end. */
export function isCut(item: Item): boolean {
  return item.status === "failed" || item.status === "cancelled";
}

/** The text of a session's first message. */
export function firstPrompt(state: State): string | undefined {
  const entry = state.entries.find((each) => each.kind === "item" && each.item.type === "userMessage");
  if (entry?.kind !== "item" || entry.item.type !== "userMessage") return undefined;
  const text = entry.item.content.find((each) => each.type === "text");
  return text?.type === "text" ? text.text : undefined;
}
