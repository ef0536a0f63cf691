/** The texts of a permission question: its title, the programs of a command, and whether its reason is a warning. Pure. */
import type { Approval, Question } from "pintle-client";
import { plural, t } from "../words.ts";
import { visible } from "./visible.ts";

export type Asked = { kind: "approval"; approval: Approval } | { kind: "question"; question: Question };

/** Characters of a command or an address in a list of questions. */
const MOST_SUBJECT = 60;

/** The question that a card asks. The card shows the command, the file or the arguments below it. */
export function titleOfApproval(approval: Approval): string {
  const { kind, toolName, changes = [], details = [] } = approval;
  const [only, ...more] = changes;
  if (only !== undefined) return more.length === 0 ? titleOfChange(only) : titleOfChanges(changes);
  const path = details.find((each) => each.kind === "path")?.text;
  if (details.some((each) => each.kind === "command")) {
    return isOutside(approval) ? t("Run this command outside the sandbox?") : t("Run this command?");
  }
  if (details.some((each) => each.kind === "address")) return t("Allow access to this address?");
  const name = path === undefined ? undefined : visible(nameOf(path));
  if (name !== undefined && kind === "read") return t("Allow reading {0}?", name);
  if (name !== undefined && kind === "search") return t("Allow searching {0}?", name);
  if (name !== undefined) return t("Allow edit of {0}?", name);
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  if (server !== undefined && tool !== undefined) {
    return t("Run {0} of the MCP server {1}?", visible(tool), visible(server));
  }
  return t("Run the tool {0}?", visible(toolName));
}

/** The title for lists and notifications, which includes the command. */
export function titleOf(asked: Asked): string {
  if (asked.kind === "question") return visible(asked.question.text);
  const { approval } = asked;
  const kinds = ["command", "address"];
  const text = approval.details?.find(({ kind }) => kinds.includes(kind))?.text;
  if (text === undefined) return titleOfApproval(approval);
  const [first = "", ...more] = visible(text).split("\n");
  const line = first.length > MOST_SUBJECT ? `${first.slice(0, MOST_SUBJECT)}…` : first;
  const subject = more.length > 0 && !line.endsWith("…") ? `${line} …` : line;
  if (approval.details?.some(({ kind }) => kind === "command") !== true)
    return t("Allow access to {0}?", subject);
  return isOutside(approval) ? t("Run {0} outside the sandbox?", subject) : t("Run {0}?", subject);
}

function titleOfChange({ op, path, oldPath }: NonNullable<Approval["changes"]>[number]): string {
  const name = visible(nameOf(path));
  switch (op) {
    case "add":
      return t("Allow new file {0}?", name);
    case "delete":
      return t("Allow deleting {0}?", name);
    case "move":
      return t("Allow moving {0} to {1}?", visible(nameOf(oldPath ?? path)), name);
    default:
      return t("Allow edit of {0}?", name);
  }
}

function titleOfChanges(changes: NonNullable<Approval["changes"]>): string {
  const all = (op: string): boolean => changes.every((each) => each.op === op);
  const count = changes.length;
  if (all("add")) return plural(count, "Allow {0} new file?", "Allow {0} new files?");
  if (all("delete")) return plural(count, "Allow deleting {0} file?", "Allow deleting {0} files?");
  return plural(count, "Allow {0} edit?", "Allow {0} edits?");
}

/** Reasons that add nothing to the title; all others are warnings. */
const PLAIN = [
  /^runs a command$/,
  /^changes files$/,
  /^calls a client tool$/,
  /^calls a tool of (the|an) (MCP )?server\b/,
  /^it fetches \S+ from the network$/,
];

/** The reason if it is a warning: outside the workspace or the sandbox, a protected file, a rule. */
export function warningOf({ reason, decidedBy = "" }: Approval): string | undefined {
  const isModes = decidedBy === "" || / mode$/.test(decidedBy);
  return reason === "" || (isModes && PLAIN.some((each) => each.test(reason))) ? undefined : visible(reason);
}

/** Why a call asks, in a sentence for a tooltip. */
export function reasonOf({ reason, decidedBy = "" }: Approval): string {
  return decidedBy === ""
    ? t("Reason: {0}", visible(reason))
    : t("Reason: {0} ({1})", visible(reason), visible(decidedBy));
}

/** The program in a proposed rule such as `allow `npm test **``. */
const PROGRAM = /^allow `([^`]+?)(?: \*\*)?`/;

/** The programs in a command, from the rules that the engine proposes; empty if it proposes none. */
export function programsOf({ details = [], options }: Approval): string[] {
  if (!details.some(({ kind }) => kind === "command")) return [];
  const rules = options.find(({ rules = [] }) => rules.length > 0)?.rules ?? [];
  const programs = rules.map((rule) => PROGRAM.exec(rule)?.[1]);
  return programs.some((each) => each === undefined) ? [] : programs.map((each) => visible(each ?? ""));
}

/** The command failed in the sandbox, and is to run again outside it. */
function isOutside({ reason }: Approval): boolean {
  return reason.includes("sandbox; retry without");
}

function nameOf(path: string): string {
  return (
    path
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? path
  );
}
