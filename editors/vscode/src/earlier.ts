/** Puts a page of events before those that a state holds, as if they had been there from the beginning. Pure. */
import { joined, onTheWay } from "./history.ts";
import type { EventRecord } from "pintle-client";
import { apply } from "./reducer.ts";
import { State } from "./state.ts";

/** Begins a state at a page of events that is not the first one. */
export function beginAt(state: State, events: EventRecord[]): void {
  const first = events[0]?.seq ?? 1;
  state.first = first;
  state.seq = first - 1;
  for (const record of events) apply(state, record);
}

/**
 * Takes the events before `state.first`. What is shown of them comes before the entries, which keep their numbers. An item that ended in
 * the later events stays where it stands there.
 */
export function prepend(state: State, events: EventRecord[]): void {
  const page = new State(state.id, state.clientId);
  page.cameAt = state.cameAt;
  beginAt(page, events);
  state.first = page.first;
  state.prepend(page);
  state.history = joined(page.history, state.history);
  state.verdicts = [...page.verdicts.filter((seq) => !state.undone.has(seq)), ...state.verdicts];
  for (const seq of page.undone) state.undone.add(seq);
  for (const [id, name] of page.senders) {
    if (!state.senders.has(id)) state.senders.set(id, name);
    const entry = state.all.get(id);
    if (entry?.kind === "item") entry.from = name;
  }
  const earlier = [...page.all].filter(([key]) => !state.all.has(key));
  state.all = new Map([...earlier, ...state.all]);
  const shown = onTheWay(
    state.history,
    (key) => state.isHidden(key),
    earlier.map(([, entry]) => entry),
  );
  state.start -= shown.length;
  for (const [at, entry] of shown.entries()) state.indexes.set(entry.key, state.start + at);
  state.entries = [...shown, ...state.entries];
}
