/** What the transcript says of messages that are meant for the model alone, and of answered questions. Pure. */
import type { EngineMessage, Question, QuestionOutcome } from "pintle-client";
import { t } from "../words.ts";

/** How the engine begins its messages to the model. */
const PREFIX = /^From the engine, not from the user: /gm;

/** A line for a person; `text` is what the model reads, for those who want to know. */
export interface Told {
  line: string;
  text: string;
}

/** A message of the engine to the model; a note that a client left is for both. */
export function toldOf({ text, mode, jobs = [], reviewed = [], note }: EngineMessage): Told {
  const words = text.replace(PREFIX, "");
  if (note !== undefined || words === text) return { line: words, text: "" };
  if (mode === "plan") return { line: t("Plan mode is on"), text: words };
  if (mode === "act") return { line: t("Plan mode is off"), text: words };
  if (reviewed.length > 0) return { line: t("The model was told of your review"), text: words };
  if (jobs.length > 0) return { line: t("The model was told that a background job has ended"), text: words };
  return { line: t("Note to the model"), text: words };
}

/** What a question was answered with; `by` is another client that did. Undefined where nobody answered and nothing follows from it. */
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
      return t("Nobody answered in time");
    default:
      return undefined;
  }
}
