/** Lines for messages from the engine to the model, for answered questions, and for the end of a turn. Pure. */
import type { EngineMessage, Question, QuestionOutcome, TurnCompleted } from "pintle-client";
import { sentences, t } from "../words.ts";
import { elapsedText } from "./working.ts";

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

/** The characters of a session's name in a notification. */
const NAME_CHARACTERS = 60;

/** Returns the notification about a turn's end; `name` is the session's. */
export function endedText({ status, error, durationMs }: TurnCompleted, name: string | undefined): string {
  const line = (name ?? "").trim().split("\n", 1)[0] ?? "";
  const short = line.length > NAME_CHARACTERS ? `${line.slice(0, NAME_CHARACTERS - 1)}…` : line;
  const time = elapsedText(durationMs);
  if (status === "failed") {
    const why = error === undefined ? "" : sentences(error.message, error.hint);
    return [t("Pintle failed after {0}: {1}", time, short), why].filter((each) => each !== "").join(". ");
  }
  return t("Pintle is done after {0}: {1}", time, short);
}
