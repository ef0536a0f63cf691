/** What came of a person's decisions about hunks, in words. Pure. */
import type { ReviewDecideResult, DecisionPart } from "pintle-client";
import { plural, t } from "../words.ts";

/** It is decided, and done once the call that runs has ended. */
const WAITS = "queued";

/** The sentence for so many hunks, by the engine's word for the effect. */
const DONE: Record<string, (count: number) => string> = {
  keep: (count) => plural(count, "{0} hunk kept", "{0} hunks kept"),
  undo: (count) => plural(count, "{0} hunk undone", "{0} hunks undone"),
  reopen: (count) => plural(count, "{0} hunk reopened", "{0} hunks reopened"),
  comment: (count) => plural(count, "{0} hunk commented", "{0} hunks commented"),
  withdraw: (count) => plural(count, "{0} comment removed", "{0} comments removed"),
  [WAITS]: (count) =>
    plural(
      count,
      "{0} hunk waiting for the running call to end",
      "{0} hunks waiting for the running call to end",
    ),
};

export interface Said {
  /** What was done; empty when nothing was. */
  text: string;
  /** What was not done, each file once. */
  conflicts: DecisionPart[];
}

/** Of decisions that were made one after the other. */
export function wordsOf(results: ReviewDecideResult[]): Said {
  const counts = new Map<string, number>();
  const conflicts = new Map<string, DecisionPart>();
  for (const { decision, queued } of results) {
    for (const part of decision.parts) {
      if (part.outcome === "conflict") {
        if (!conflicts.has(part.path)) conflicts.set(part.path, part);
        continue;
      }
      const done = part.outcome === "applied" ? part.effect : part.outcome;
      const word = queued === true && part.outcome === "applied" ? WAITS : done;
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  // A word of a newer engine is said as it is.
  const said = [...counts].map(
    ([word, count]) => DONE[word]?.(count) ?? plural(count, "{0} hunk {1}", "{0} hunks {1}", word),
  );
  return { text: said.join(", "), conflicts: [...conflicts.values()] };
}

/** What a conflict in a file is about. */
export function conflictText(label: string, part: DecisionPart): string {
  if (part.cause !== undefined)
    return t(
      "{0} was kept, since the author of the change is unknown ({1}). If it is not yours, undo the file or the hunk.",
      label,
      part.cause,
    );
  return part.effect === "undo"
    ? t("Conflict in {0}, not changed: it contains your own lines.", label)
    : t("Conflict in {0}, not changed: it has different lines now.", label);
}
