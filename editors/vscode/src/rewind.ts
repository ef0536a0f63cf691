/** Going back in a session's history, in words: the places to go to, what would happen, what happened. Pure. */
import type {
  Checkpoint,
  FileFate,
  HistoryPoint,
  ItemId,
  RewindScope,
  SessionRewindResult,
  SessionTreeResult,
} from "./protocol.ts";

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

/** The places of a tree, newest first; behind them the ends of ways that were left. */
export function placesOf(tree: SessionTreeResult): PlaceChoice[] {
  const [places, left]: [PlaceChoice[], PlaceChoice[]] = [[], []];
  for (const { seq, itemId, turnId, text, tsMs, label, isCurrent } of tree.nodes.toReversed()) {
    const name = label === undefined ? "" : ` [${label}]`;
    const choice = { label: `${text.replace(/\s*\n[^]*/, " …")}${name}`, tsMs };
    if (isCurrent) {
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
    const what = seq === 0 ? "The beginning" : turnId === undefined ? "Before a turn" : "After a turn";
    const files = changed.length === 0 ? "no file changed" : `${count(changed.length, "file")} changed`;
    const [some, rest] = [changed.slice(0, 5).map(label), changed.length - 5];
    const detail = [...some, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
    return { label: `${name ?? what}: ${files}`, detail, seq, tsMs };
  });
}

export const SCOPES: { label: string; description?: string; scope: RewindScope; summarize?: true }[] = [
  { label: "Conversation and files", scope: "both" },
  {
    label: "Conversation and files, with a summary",
    description: "the model is told in short what is left",
    scope: "both",
    summarize: true,
  },
  { label: "Only the conversation", scope: "conversation" },
  { label: "Only the files", scope: "files" },
];

const OWNERS: [owner: string, title: string][] = [
  ["agent", "the agent's"],
  ["other", "yours"],
  ["conflict", "conflict: yours and the agent's"],
];

const ACTIONS: Record<string, string> = {
  restore: "put back",
  remove: "removed",
  leave: "left as it is",
  lost: "cannot be brought back, left as it is",
  failed: "could not be written",
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
  const known = restored.length > 0 ? `, and knows ${restored.length} again` : "";
  const files = result.files ?? [];
  const named = OWNERS.map(([owner]) => owner);
  const groups = [...OWNERS, ["", "others"] as const].map(([owner, title]) => ({
    title,
    files: files
      .filter((file) => (owner === "" ? !named.includes(file.owner) : file.owner === owner))
      .map((file) => ({ path: file.path, action: actionOf(file) })),
  }));
  return {
    conversation: scope === "files" ? "" : `The model forgets ${count(dropped.length, "item")}${known}.`,
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
    parts.push(`${count(result.dropped.length, "item")} forgotten, ${result.restored.length} known again`);
  }
  const counts = new Map<string, number>();
  for (const file of result.files ?? []) {
    const action = actionOf(file);
    counts.set(action, (counts.get(action) ?? 0) + 1);
  }
  for (const [action, number] of counts) parts.push(`${count(number, "file")} ${action}`);
  const isWhole = (result.files ?? []).every((file) => ["restore", "remove"].includes(file.action));
  return { text: parts.length === 0 ? "nothing was to be done" : parts.join(", "), isWhole };
}

function actionOf(file: FileFate): string {
  return ACTIONS[file.action] ?? file.action;
}

function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`;
}
