/** Pieces of text for the ends of items, and of what belongs to them. */
import type { ItemDelta } from "./protocol.ts";
import type { Entry } from "./state.ts";
import { isOver } from "./entries.ts";
import type { Change, State } from "./state.ts";

/**
 * Adds a piece of text. One that was seen is skipped; where some are missing, the gap is shown as `…`. A first piece replaces what streamed
 * before: after a new subscription the engine sends all of it as one.
 */
export function append(state: State, delta: ItemDelta): Change[] {
  const entry = state.all.get(delta.itemId);
  if (entry?.kind !== "item" || isOver(entry.item)) return [];
  const place = `${delta.itemId} ${delta.field}`;
  const expected = state.pieces.get(place) ?? 0;
  const next = (delta.to ?? delta.n) + 1;
  if (next <= expected || (delta.n < expected && delta.n > 0)) return [];
  const text = delta.n > expected ? `…${delta.text}` : delta.text;
  state.pieces.set(place, next);
  if (delta.n === 0 && expected > 0) return replace(entry, delta);
  if (delta.field === "text") {
    if (!("text" in entry.item)) return [];
    entry.item.text += text;
  } else if (delta.field === "input") return grow(entry, delta, text);
  else if (delta.field === "output") entry.streamed.output = shortened(entry.streamed.output + text);
  else return [];
  return [{ type: "append", key: delta.itemId, field: delta.field, text }];
}

/** Characters of a running call's output that are kept: its end. The whole of it is the engine's. */
const MOST_OUTPUT = 128 * 1024;

function shortened(output: string): string {
  if (output.length <= 2 * MOST_OUTPUT) return output;
  return `…\n${output.slice(output.indexOf("\n", output.length - MOST_OUTPUT) + 1)}`;
}

/** Puts the text of a field in the place of what streamed of it. */
function replace(entry: Entry & { kind: "item" }, delta: ItemDelta): Change[] {
  if (delta.field === "text" && "text" in entry.item) entry.item.text = delta.text;
  else if (delta.field === "output") entry.streamed.output = delta.text;
  else if (delta.field === "input") {
    entry.streamed.field = undefined;
    entry.streamed.input = "";
    grow(entry, delta, delta.text);
  }
  return [{ type: "entry", key: delta.itemId }];
}

/** A text of a call's arguments while the model writes it, each under its name. */
function grow(entry: Entry & { kind: "item" }, delta: ItemDelta, text: string): Change[] {
  const name = (delta.path ?? "").slice(1);
  const isNew = entry.streamed.field !== name;
  const title = isNew ? `${entry.streamed.input === "" ? "" : "\n"}${name}:\n` : "";
  entry.streamed.field = name;
  entry.streamed.input += title + text;
  return [{ type: "append", key: delta.itemId, field: "input", text: title + text }];
}
