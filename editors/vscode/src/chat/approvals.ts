/** What is asked, as lists to pick from and as a document, and the rules that an answer adds. Pure. */
import type { ApprovalOption, Scope } from "pintle-client";
import { plural, t } from "../words.ts";
import type { Asked } from "./consent.ts";
import { visible } from "./visible.ts";

/** What is picked of one question. */
export type Pick =
  /** Stays where it is; it comes first, so that one key answers nothing. */
  | { type: "leave" }
  | { type: "chat" }
  | { type: "allow"; option: ApprovalOption }
  | { type: "say"; optionId: string }
  | { type: "words" };

export interface Row {
  label: string;
  detail: string;
  pick: Pick;
}

export function rowsOf(asked: Asked): Row[] {
  const first: Row[] = [
    {
      label: `$(circle-slash) ${t("Leave It Open")}`,
      detail: t("The agent keeps waiting."),
      pick: { type: "leave" },
    },
    { label: `$(comment-discussion) ${t("Show It in the Chat")}`, detail: "", pick: { type: "chat" } },
  ];
  if (asked.kind === "approval") {
    const answers = asked.approval.options.map((option) => ({
      label: `${option.decision === "allow" ? "$(check)" : "$(x)"} ${option.label}`,
      detail: consequence(option),
      pick: { type: "allow" as const, option },
    }));
    return [...first, ...answers];
  }
  const options = (asked.question.options ?? []).map(({ optionId, label }) => ({
    label: visible(label),
    detail: "",
    pick: { type: "say" as const, optionId },
  }));
  // Several at once are chosen on the card.
  const answers = asked.question.multiple === true ? [] : options;
  return [
    ...first,
    ...answers,
    { label: `$(edit) ${t("Answer in Your Own Words…")}`, detail: "", pick: { type: "words" } },
  ];
}

/** All that a call would do that its changes do not show: a text for a document, or empty where there is nothing more. */
export function textOfAsked(asked: Asked): string {
  if (asked.kind === "question") return asked.question.plan ?? "";
  const details = asked.approval.details ?? [];
  const hasChanges = (asked.approval.changes ?? []).some(({ diff }) => diff !== "");
  const parts = details.filter(({ kind }) => !hasChanges || !["diff", "content", "path"].includes(kind));
  const [only, ...more] = parts;
  if (only === undefined) return "";
  return more.length === 0 ? only.text : parts.map(({ kind, text }) => `# ${kind}\n${text}`).join("\n\n");
}

/** The sentence for the rules that an answer adds, by its scope: until when they hold, or where they stand. */
const ADDS = {
  once: (count, rules) => plural(count, "Adds the rule {1}.", "Adds the rules {1}.", rules),
  turn: (count, rules) =>
    plural(count, "Adds the rule {1} until the turn ends.", "Adds the rules {1} until the turn ends.", rules),
  session: (count, rules) =>
    plural(
      count,
      "Adds the rule {1} until the session is closed.",
      "Adds the rules {1} until the session is closed.",
      rules,
    ),
  project: (count, rules) =>
    plural(
      count,
      "Adds the rule {1} to the rules of this project.",
      "Adds the rules {1} to the rules of this project.",
      rules,
    ),
  user: (count, rules) =>
    plural(
      count,
      "Adds the rule {1} to your own rules, for all projects.",
      "Adds the rules {1} to your own rules, for all projects.",
      rules,
    ),
} satisfies Record<Scope, (count: number, rules: string) => string>;

/** The rules that an answer adds, and for how long; a scope of a newer engine is named as it is. */
export function consequence({ decision, scope, rules = [] }: ApprovalOption): string {
  if (decision === "abort") return t("The turn ends.");
  if (rules.length === 0) return "";
  const [count, words] = [rules.length, rules.map(visible).join(", ")];
  return Object.hasOwn(ADDS, scope)
    ? ADDS[scope](count, words)
    : plural(count, "Adds the rule {1} ({2}).", "Adds the rules {1} ({2}).", words, scope);
}
