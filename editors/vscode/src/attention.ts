/** What is asked, as lists to pick from: the questions, and the answers of one. Pure. */
import type { Approval, ApprovalOption, Question } from "pintle-client";
import { consequence } from "./rules.ts";
import { visible } from "./visible.ts";
import { t } from "./words.ts";

export type Asked = { kind: "approval"; approval: Approval } | { kind: "question"; question: Question };

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

/** What is asked, in a line. */
export function titleOf(asked: Asked): string {
  return visible(asked.kind === "approval" ? asked.approval.title : asked.question.text);
}

export function rowsOf(asked: Asked): Row[] {
  const first: Row[] = [
    {
      label: `$(circle-slash) ${t("Leave It Open")}`,
      detail: t("The agent goes on waiting."),
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
