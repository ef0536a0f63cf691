/** The files that a session's turns changed, and what they were before and after each turn. */
import { textOfInput } from "./input.ts";
import { reverse } from "./patch.ts";
import type { FileChange, FileOp, TurnId } from "./protocol.ts";
import type { State } from "./reducer.ts";

/** One file's changes in one turn. */
export interface ChangedFile {
  turnId: TurnId;
  path: string;
  op: FileOp;
  added: number;
  removed: number;
  changes: FileChange[];
}

/** One turn that changed files. */
export interface ChangedTurn {
  turnId: TurnId;
  /** The beginning of its prompt. */
  title: string;
  files: ChangedFile[];
}

/** The turns that changed files, oldest first. */
export function changedTurns(state: State): ChangedTurn[] {
  const turns = new Map<TurnId, ChangedTurn>();
  const prompts = new Map<TurnId, string>();
  for (const entry of state.entries) {
    if (entry.kind !== "item") continue;
    const item = entry.item;
    const turnId = item.turnId ?? "";
    if (item.type === "userMessage" && !prompts.has(turnId)) {
      prompts.set(turnId, textOfInput(item.content));
    }
    if (item.type !== "toolCall") continue;
    for (const change of item.output?.details?.changes ?? []) {
      const title = (prompts.get(turnId) ?? "").trim().split("\n")[0] ?? "";
      const turn = turns.get(turnId) ?? { turnId, title, files: [] };
      turns.set(turnId, turn);
      add(turn, change);
    }
  }
  return [...turns.values()];
}

function add(turn: ChangedTurn, change: FileChange): void {
  const file = turn.files.find((each) => each.path === (change.oldPath ?? change.path));
  if (file === undefined) {
    const { path, op, added, removed } = change;
    turn.files.push({ turnId: turn.turnId, path, op, added, removed, changes: [change] });
    return;
  }
  file.path = change.path;
  file.added += change.added;
  file.removed += change.removed;
  file.changes.push(change);
  if (change.op === "delete" || file.op === "modify") file.op = change.op === "add" ? "modify" : change.op;
}

export type Side = "before" | "after";

/**
 * A file's text before or after a turn, from its text now (undefined when there is no file) by taking back, newest
 * first, the changes since. Undefined when the file changed too much since.
 */
export function textAt(
  turns: ChangedTurn[],
  turnId: TurnId,
  path: string,
  side: Side,
  now: string | undefined,
): string | undefined {
  const from = turns.findIndex((turn) => turn.turnId === turnId);
  if (from < 0) return undefined;
  const first = side === "before" ? from : from + 1;
  const changes = turns
    .slice(first)
    .flatMap((turn) => turn.files)
    .filter((file) => file.path === path)
    .flatMap((file) => file.changes);
  let text: string | undefined = now ?? "";
  for (const change of changes.toReversed()) {
    if (change.op === "add") text = "";
    else if (text !== undefined) text = change.diff === "" ? undefined : reverse(text, change.diff);
  }
  return text;
}

/** Whether a later turn changed the file again, so that the file itself is not what this turn left. */
export function isChangedLater(turns: ChangedTurn[], turnId: TurnId, path: string): boolean {
  const at = turns.findIndex((turn) => turn.turnId === turnId);
  return turns.slice(at + 1).some((turn) => turn.files.some((file) => file.path === path));
}
