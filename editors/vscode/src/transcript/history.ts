/**
 * Which of a session's entries lie on the way that counts: events stand in a line, and going back makes a tree of it. Pure.
 *
 * Invariant: each event comes after the one before it, except `history.rewound`, which comes after the event that it names.
 */
import type { HistoryRewound, RewindScope } from "pintle-client";

/** A move in the history, back or forward. */
export interface Move {
  /** The event that the session was at. */
  from: number;
  /** The event that it went to; undefined where an older engine did not note it. */
  to: number | undefined;
  /** The last event of the move. */
  last: number;
  scope: RewindScope;
}

export interface History {
  /** Where the line goes on from another event than the one before. */
  ways: { first: number; after: number }[];
  /** The moves since the model worked last, oldest first. */
  moves: Move[];
  /** The model has worked on since what is known begins: no rewind before that can be undone. */
  hasGoneOn: boolean;
}

export function emptyHistory(): History {
  return {
    ways: [{ first: 1, after: 0 }],
    moves: [],
    hasGoneOn: false,
  };
}

/** Files were put back, perhaps with the conversation that follows. */
export function filesRewound(history: History, seq: number, to: number | undefined): void {
  history.moves.push({ from: seq - 1, to, last: seq, scope: "files" });
}

/** The session goes on from another place. */
export function rewound(history: History, seq: number, event: HistoryRewound): void {
  if (event.toSeq < seq) history.ways.push({ first: seq, after: event.toSeq });
  history.moves.push({ from: seq - 1, to: event.toSeq, last: seq, scope: "conversation" });
}

/** The model works on: there is nothing to go forward to any more. */
export function goesOn(history: History): void {
  history.moves = [];
  history.hasGoneOn = true;
}

/** The rewind that a redo undoes: the last one that none has undone. A redo goes to where a rewind came from. */
export function undoable({ moves }: History): Move | undefined {
  const open: Move[] = [];
  for (const move of together(moves)) {
    const last = open.at(-1);
    if (last !== undefined && move.to === last.from && move.scope === last.scope) open.pop();
    else open.push(move);
  }
  return open.at(-1);
}

/** The moves, with those of the conversation that follow one of the files as one move with it. */
function together(moves: Move[]): Move[] {
  const joined: Move[] = [];
  for (const move of moves) {
    const before = joined.at(-1);
    const isBoth = move.scope === "conversation" && before?.scope === "files" && before.last === move.from;
    if (isBoth) joined.splice(-1, 1, { ...move, from: before.from, scope: "both" });
    else joined.push(move);
  }
  return joined;
}

/** The history of events that come before those of `later`, put before it. */
export function joined(before: History, later: History): History {
  return {
    ways: [...before.ways, ...later.ways.slice(1)],
    moves: [...(later.hasGoneOn ? [] : before.moves), ...later.moves],
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
