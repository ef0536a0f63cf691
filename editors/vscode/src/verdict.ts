/** What came of a person's decisions about hunks, in words. Pure. */
import type { ReviewDecideResult, VerdictPart } from "./protocol.ts";

const DONE: Record<string, string> = {
  keep: "kept",
  undo: "undone",
  reopen: "open again",
  comment: "commented",
  withdraw: "without the comment",
};

const WAITS = "waiting for the running call to end";

export interface Said {
  /** What was done; empty when nothing was. */
  text: string;
  /** What was not done, each file once. */
  conflicts: VerdictPart[];
}

/** Of decisions that were made one after the other. */
export function wordsOf(results: ReviewDecideResult[]): Said {
  const counts = new Map<string, number>();
  const conflicts = new Map<string, VerdictPart>();
  for (const { verdict, isQueued } of results) {
    for (const part of verdict.parts) {
      if (part.outcome === "conflict") {
        if (!conflicts.has(part.path)) conflicts.set(part.path, part);
        continue;
      }
      // A word of a newer engine is said as it is.
      const done = part.outcome === "applied" ? (DONE[part.effect] ?? part.effect) : part.outcome;
      const word = isQueued === true && part.outcome === "applied" ? WAITS : done;
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const said = [...counts].map(([word, count]) => `${count} ${count === 1 ? "hunk" : "hunks"} ${word}`);
  return { text: said.join(", "), conflicts: [...conflicts.values()] };
}

/** What a conflict in a file is about. */
export function conflictText(label: string, part: VerdictPart): string {
  const why = part.effect === "undo" ? "Lines of your own stand in it." : "Other lines stand there now.";
  return `Conflict in ${label}, nothing was done there. ${why}`;
}
