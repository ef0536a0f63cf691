/** Runs of read-only calls, each folded into one row: which entries belong to a run, and its text. Pure. */
import { plural, t } from "../words.ts";

export type Group = "read" | "list" | "search";

/** The part of an entry that folding needs. `between` can be inside a run, but neither starts nor ends one. */
export type Member = { kind: "call"; group: Group } | { kind: "between" } | { kind: "other" };

/** The minimum number of calls in a run. */
const LEAST = 2;

/** Returns the first and last index of each run. */
export function runsOf(members: Member[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  let [first, last, calls] = [-1, -1, 0];
  const end = (): void => {
    if (calls >= LEAST) runs.push([first, last]);
    [first, last, calls] = [-1, -1, 0];
  };
  for (const [at, member] of members.entries()) {
    if (member.kind === "other") end();
    else if (member.kind === "call") {
      if (first < 0) first = at;
      last = at;
      calls += 1;
    }
  }
  end();
  return runs;
}

const WORDS: Record<Group, [first: (count: number) => string, later: (count: number) => string]> = {
  read: [
    (count) => plural(count, "Read {0} file", "Read {0} files"),
    (count) => plural(count, "read {0} file", "read {0} files"),
  ],
  list: [
    (count) => plural(count, "Listed {0} directory", "Listed {0} directories"),
    (count) => plural(count, "listed {0} directory", "listed {0} directories"),
  ],
  search: [
    (count) => (count === 1 ? t("Searched once") : t("Searched {0} times", count)),
    (count) => (count === 1 ? t("searched once") : t("searched {0} times", count)),
  ],
};

/** Describes a run, such as `Read 2 files, searched 3 times`, in order of first appearance. */
export function runText(groups: Group[]): string {
  const kinds = [...new Set(groups)];
  return kinds
    .map((kind, at) => WORDS[kind][at === 0 ? 0 : 1](groups.filter((each) => each === kind).length))
    .join(", ");
}
