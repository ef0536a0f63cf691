/** The line at the end of a turn: its outcome, time and cost, and the actions after a failure. */
import type { ViewEntry } from "../chat/messages.ts";
import { costText } from "../chat/usage.ts";
import { numberText, sentences, t, wordOf } from "../words.ts";
import { button, el } from "./dom.ts";
import type { Drawn, Send } from "./types.ts";

type TurnEnd = Extract<ViewEntry, { kind: "turnEnd" }>;

const ENDINGS = { completed: () => t("Done"), interrupted: () => t("Stopped"), failed: () => t("Failed") };

export function turnEnd(entry: TurnEnd, send: Send): Drawn {
  const element = el("article", { class: "entry end" });
  const update = (next: ViewEntry): boolean => {
    if (next.kind !== "turnEnd") return false;
    const { status, error, durationMs, usage, denials, costNanoUsd } = next.end;
    element.className = `entry end ${status}`;
    const seconds = numberText(durationMs / 1000, durationMs < 10_000 ? 1 : 0);
    const tokens = usage.inputTokens + usage.outputTokens;
    const facts = [t("{0} s", seconds)];
    if (tokens > 0) facts.push(t("{0} tokens", numberText(tokens)));
    if (costText(costNanoUsd) !== "") facts.push(costText(costNanoUsd));
    if (denials !== undefined && denials > 0) facts.push(t("{0} denied", denials));
    element.replaceChildren(el("span", { class: "line" }, [wordOf(ENDINGS, status), ...facts].join(" · ")));
    if (error !== undefined) {
      element.append(el("span", { class: "error" }, sentences(error.message, error.hint)));
    }
    if (status === "failed") element.append(el("div", { class: "again" }, ...waysOn(error?.code, send)));
    return true;
  };
  update(entry);
  return { element, update, append: () => undefined };
}

/** The recommended action comes first. The style sheet hides those of earlier turns. */
function waysOn(code: string | undefined, send: Send): HTMLElement[] {
  const again = (kind: string): HTMLElement =>
    button(t("Try Again"), () => send({ type: "tryAgain" }), kind, t("Send the same message again"));
  if (code === "auth") {
    return [
      button(t("Set Up Provider…"), () => send({ type: "setUpProvider", provider: undefined })),
      again("secondary"),
    ];
  }
  return [
    again(""),
    button(t("Continue"), () => send({ type: "continueTurn" }), "secondary", t("Resume after the failure")),
  ];
}
