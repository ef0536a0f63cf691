/**
 * Which of a session's entries lie on the way that counts: events stand in a line, and going back makes a tree of it. Pure.
 *
 * Invariant: each event comes after the one before it, except `history.rewound`, which comes after the event that it names.
 */
import type { HistoryRewound, RewindScope } from "pintle-client";

/** The way back from a rewind that nothing came after. */
export interface Step {
  /** The event to go to. */
  from: number;
  last: number;
  scope: RewindScope;
}

export interface History {
  /** Where the line goes on from another event than the one before. */
  ways: { first: number; after: number }[];
  step: Step | undefined;
  /** The model has worked on since what is known begins: no rewind before that can be undone. */
  hasGoneOn: boolean;
}

export function emptyHistory(): History {
  return {
    ways: [{ first: 1, after: 0 }],
    step: undefined,
    hasGoneOn: false,
  };
}

/** Files were put back, perhaps with the conversation that follows. */
export function filesRewound(history: History, seq: number): void {
  history.step = { from: seq - 1, last: seq, scope: "files" };
}

/** The session goes on from another place. */
export function rewound(history: History, seq: number, event: HistoryRewound): void {
  if (event.toSeq < seq) history.ways.push({ first: seq, after: event.toSeq });
  const { step } = history;
  history.step = together(step, { from: seq - 1, last: seq, scope: "conversation" });
}

/** The model works on: there is nothing to go forward to any more. */
export function goesOn(history: History): void {
  history.step = undefined;
  history.hasGoneOn = true;
}

/** A rewind of the conversation that follows one of the files is one step with it. */
function together(before: Step | undefined, step: Step): Step {
  const isBoth = step.scope === "conversation" && before?.scope === "files" && before.last === step.from;
  return isBoth ? { from: before.from, last: step.last, scope: "both" } : step;
}

/** The history of events that come before those of `later`, put before it. */
export function joined(before: History, later: History): History {
  const earlier = later.hasGoneOn ? undefined : before.step;
  return {
    ways: [...before.ways, ...later.ways.slice(1)],
    step: later.step === undefined ? earlier : together(earlier, later.step),
    hasGoneOn: before.hasGoneOn || later.hasGoneOn,
  };
}

/** Tells which events lie on the way to the last one. */
export function way(history: History): (seq: number) => boolean {
  const ranges: { first: number; last: number }[] = [];
  let last = Infinity;
  for (const { first, after } of history.ways.toReversed()) {
    if (first > last) continue;
    ranges.push({ first, last });
    last = after;
  }
  return (seq) => {
    const range = ranges.find((each) => seq >= each.first);
    return range === undefined ? seq === 0 : seq <= range.last;
  };
}

/** The entries that lie on the way, in their order. Items that the model does not know any more are hidden. */
export function onTheWay<E extends { key: string; seq: number }>(
  history: History,
  isHidden: (key: string) => boolean,
  entries: E[],
): E[] {
  const isOnWay = way(history);
  return entries.filter((each) => !isHidden(each.key) && isOnWay(each.seq));
}
