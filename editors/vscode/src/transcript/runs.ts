/** Runs of calls that only look, as one row each: which entries belong together, and what is said of them. Pure. */
import { plural, t } from "../words.ts";

export type Group = "read" | "list" | "search";

/** An entry as far as folding looks at it. `between` may stand inside a run, and neither begins nor ends one. */
export type Member = { kind: "call"; group: Group } | { kind: "between" } | { kind: "other" };

/** Calls from which on a run is folded. */
const LEAST = 2;

/** The runs among entries, each as its first and its last place. */
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

/** Such as `Read 2 files, searched 3 times`, in the order in which the kinds came. */
export function runText(groups: Group[]): string {
  const kinds = [...new Set(groups)];
  return kinds
    .map((kind, at) => WORDS[kind][at === 0 ? 0 : 1](groups.filter((each) => each === kind).length))
    .join(", ");
}
