/** The things in a transcript: put where they belong, and shown where they lie on the way that counts. */
import { onTheWay } from "./history.ts";
import type { Item } from "./protocol.ts";
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
  if (item.type === "engineMessage" && item.note?.isHidden === true) return [];
  const changes: Change[] = [];
  if (item.type === "userMessage") {
    const waiting = state.queue.length;
    state.queue = state.queue.filter((each) => each.itemId !== item.id);
    if (state.queue.length !== waiting) changes.push({ type: "head" });
  }
  const before = state.all.get(item.id);
  const streamed = before?.kind === "item" ? before.streamed : { input: "", field: undefined, output: "" };
  if (isOver(item)) {
    // A person has read what streamed before the item was cut off: it stays, also where less of it was saved.
    if (isCut(item) && before?.kind === "item" && "text" in before.item && "text" in item) {
      if (before.item.text.length > item.text.length) item = { ...item, text: before.item.text };
    }
    streamed.input = "";
    streamed.field = undefined;
    streamed.output = "";
    for (const field of ["text", "input", "output"]) state.pieces.delete(`${item.id} ${field}`);
  } else if (before?.kind === "item" && "text" in before.item && "text" in item) {
    // The value of an item that still streams may be behind its deltas.
    if (before.item.text.length > item.text.length) item = { ...item, text: before.item.text };
  }
  changes.push(put(state, item.id, { kind: "item", item, streamed, from: state.senders.get(item.id) }));
  return changes;
}

/** The session goes on from another place: what lies on the way to it is shown, and nothing else. */
export function showTheWay(state: State): Change {
  state.entries = onTheWay(state.history, [...state.all.values()]);
  state.start = 0;
  state.indexes = new Map(state.entries.map((entry, index) => [entry.key, index]));
  return { type: "reset" };
}

/** Whether an item ended before its end. */
export function isCut(item: Item): boolean {
  return item.status === "failed" || item.status === "cancelled";
}

/** Whether an item has ended. A status that is not known counts as still running. */
export function isOver(item: Item): boolean {
  return ["completed", "failed", "declined", "cancelled"].includes(item.status);
}
