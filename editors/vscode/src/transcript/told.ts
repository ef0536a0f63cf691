/** Transcript lines for messages from the engine to the model, and for answered questions. Pure. */
import type { EngineMessage, Question, QuestionOutcome } from "pintle-client";
import { t } from "../words.ts";

/** How the engine begins its messages to the model. */
const PREFIX = /^From the engine, not from the user: /gm;

/** A line for the user; `text` is the message as the model reads it. */
export interface Told {
  line: string;
  text: string;
}

/** Returns the line for an engine message. A note left by a client is shown in full. */
export function toldOf({ text, mode, jobs = [], reviewed = [], note }: EngineMessage): Told {
  const words = text.replace(PREFIX, "");
  if (note !== undefined || words === text) return { line: words, text: "" };
  if (mode === "plan") return { line: t("Plan mode is on"), text: words };
  if (mode === "act") return { line: t("Plan mode is off"), text: words };
  if (reviewed.length > 0) return { line: t("Your review was sent to the model"), text: words };
  if (jobs.length > 0)
    return { line: t("The end of a background job was reported to the model"), text: words };
  return { line: t("Note to the model"), text: words };
}

/** Returns the line for an answer; `other` is the client that gave it, if it was another one. Undefined if the question ended with its turn. */
export function answeredText(
  question: Question | undefined,
  { optionIds = [], text = "", by }: QuestionOutcome,
  other: string | undefined,
): string | undefined {
  switch (by) {
    case "client": {
      const labels = optionIds.map(
        (id) => question?.options?.find(({ optionId }) => optionId === id)?.label ?? id,
      );
      const answer = [...labels, text].filter((each) => each !== "").join(", ");
      return other === undefined ? t("You answered: {0}", answer) : t("{0} answered: {1}", other, answer);
    }
    case "dismissed":
      return t("The question was dismissed");
    case "deadline":
      return t("No answer in time");
    default:
      return undefined;
  }
}
