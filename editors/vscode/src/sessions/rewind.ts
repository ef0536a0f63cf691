/** Going back in a session's history, in words: the places to go to, what would happen, what happened. Pure. */
import type {
  Checkpoint,
  HistoryPoint,
  ItemId,
  RewindScope,
  SessionRewindResult,
  SessionTreeResult,
} from "pintle-client";
import type { State } from "../transcript/state.ts";
import { plural, t } from "../words.ts";

export interface PlaceChoice {
  label: string;
  /** When it was; absent for where the session stands. */
  tsMs?: number;
  /** Absent: where the session stands. */
  at?: HistoryPoint;
  /** The message that it is before. */
  itemId: ItemId | undefined;
  /** It lies on a way that was left: going there goes to its end. */
  isLeft: boolean;
}

/** Returns the last user message before an answer. */
export function messageBefore({ entries, indexes, start }: State, itemId: ItemId): ItemId | undefined {
  const at = indexes.get(itemId);
  if (at === undefined) return undefined;
  const message = entries
    .slice(0, at - start)
    .findLast((each) => each.kind === "item" && each.item.type === "userMessage");
  return message?.key;
}

/** The places of a tree, newest first; behind them the ends of ways that were left. */
export function placesOf(tree: SessionTreeResult): PlaceChoice[] {
  const [places, left]: [PlaceChoice[], PlaceChoice[]] = [[], []];
  for (const { seq, itemId, turnId, text, tsMs, label, current } of tree.nodes.toReversed()) {
    const name = label === undefined ? "" : ` [${label}]`;
    const choice = { label: `${text.replace(/\s*\n[^]*/, " …")}${name}`, tsMs };
    if (current) {
      const at = itemId === undefined ? { seq } : { itemId };
      places.push({ ...choice, at, itemId, isLeft: false });
    } else if (turnId !== undefined)
      left.push({ ...choice, at: { turnId }, itemId: undefined, isLeft: true });
  }
  return [...places, ...left];
}

/** The checkpoints of a session as rows to pick from, newest first. */
export function checkpointRows(
  checkpoints: Checkpoint[],
  label: (path: string) => string,
): { label: string; detail: string; seq: number; tsMs: number }[] {
  return checkpoints.toReversed().map(({ seq, tsMs, changed, label: name, turnId }) => {
    const what = seq === 0 ? t("The start") : turnId === undefined ? t("Before a turn") : t("After a turn");
    const files =
      changed.length === 0
        ? t("no files changed")
        : plural(changed.length, "{0} file changed", "{0} files changed");
    const [some, rest] = [changed.slice(0, 5).map(label), changed.length - 5];
    const detail = [...some, ...(rest > 0 ? [t("{0} more", rest)] : [])].join(", ");
    return { label: `${name ?? what}: ${files}`, detail, seq, tsMs };
  });
}

export interface ScopeRow {
  label: string;
  description?: string;
  scope: RewindScope;
  summarize?: true;
}

/** The scopes of a rewind, as rows to pick from. */
export function scopeRows(): ScopeRow[] {
  return [
    { label: t("Conversation and files"), scope: "both" },
    {
      label: t("Conversation and files, with a summary"),
      description: t("the model gets a summary of the abandoned branch"),
      scope: "both",
      summarize: true,
    },
    { label: t("Only the conversation"), scope: "conversation" },
    { label: t("Only the files"), scope: "files" },
  ];
}

function owners(): [owner: string, title: string][] {
  return [
    ["agent", t("the agent's")],
    ["other", t("yours")],
    ["conflict", t("conflict: yours and the agent's")],
  ];
}

/** The fate of a file, and of so many files, by the engine's word for it. */
const ACTIONS: Record<string, { one: () => string; several: (count: number) => string }> = {
  restore: {
    one: () => t("restored"),
    several: (count) => plural(count, "{0} file restored", "{0} files restored"),
  },
  remove: {
    one: () => t("removed"),
    several: (count) => plural(count, "{0} file removed", "{0} files removed"),
  },
  leave: {
    one: () => t("left unchanged"),
    several: (count) => plural(count, "{0} file left unchanged", "{0} files left unchanged"),
  },
  lost: {
    one: () => t("cannot be restored, left unchanged"),
    several: (count) =>
      plural(
        count,
        "{0} file cannot be restored, left unchanged",
        "{0} files cannot be restored, left unchanged",
      ),
  },
  failed: {
    one: () => t("could not be written"),
    several: (count) => plural(count, "{0} file could not be written", "{0} files could not be written"),
  },
};

/** What going back does: to the conversation in a line, and to files, sorted by whose work they are. */
export interface Preview {
  conversation: string;
  groups: { title: string; files: { path: string; action: string }[] }[];
  /** What is in conflict and stays unless it is named. */
  conflicts: string[];
}

export function previewOf(scope: RewindScope, result: SessionRewindResult): Preview {
  const { dropped, restored } = result;
  const files = result.files ?? [];
  const all = owners();
  const named = all.map(([owner]) => owner);
  const groups = [...all, ["", t("others")] as const].map(([owner, title]) => ({
    title,
    files: files
      .filter((file) => (owner === "" ? !named.includes(file.owner) : file.owner === owner))
      .map((file) => ({ path: file.path, action: ACTIONS[file.action]?.one() ?? file.action })),
  }));
  return {
    conversation: scope === "files" ? "" : forgets(dropped.length, restored.length),
    groups: groups.filter((group) => group.files.length > 0),
    conflicts: files
      .filter((file) => file.owner === "conflict" && file.action === "leave")
      .map((file) => file.path),
  };
}

/** What became of it, and whether all of it was done. */
export function saidOf(scope: RewindScope, result: SessionRewindResult): { text: string; isWhole: boolean } {
  const parts: string[] = [];
  if (scope !== "files") {
    const [dropped, restored] = [result.dropped.length, result.restored.length];
    if (dropped > 0) parts.push(plural(dropped, "{0} item removed", "{0} items removed"));
    if (restored > 0) parts.push(plural(restored, "{0} item restored", "{0} items restored"));
  }
  const counts = new Map<string, number>();
  for (const file of result.files ?? []) {
    counts.set(file.action, (counts.get(file.action) ?? 0) + 1);
  }
  for (const [action, number] of counts) {
    const words = ACTIONS[action]?.several(number);
    parts.push(words ?? plural(number, "{0} file: {1}", "{0} files: {1}", action));
  }
  const isWhole = (result.files ?? []).every((file) => ["restore", "remove"].includes(file.action));
  return { text: parts.length === 0 ? t("nothing to do") : parts.join(", "), isWhole };
}

function forgets(dropped: number, restored: number): string {
  if (restored === 0) return plural(dropped, "The model forgets {0} item.", "The model forgets {0} items.");
  return plural(
    dropped,
    "The model forgets {0} item and recalls {1}.",
    "The model forgets {0} items and recalls {1}.",
    restored,
  );
}
