/** A question of the model, with its options and a line for own words; and the model's plan. */
import type { PlanItem, Question } from "../protocol.ts";
import { button, el } from "./dom.ts";
import type { Send } from "./entries.ts";

/** A card that answers with one press, or, where several options may be chosen, with what was chosen before. */
export function drawQuestion(question: Question, canAnswer: boolean, send: Send): HTMLElement {
  const { questionId } = question;
  const chosen = new Set<string>();
  const words = el<"input">("input", {
    class: "words",
    attributes: { type: "text", placeholder: "Answer in your own words", "aria-label": "Your own words" },
  });
  const say = (optionIds: string[]) => send({ type: "say", questionId, optionIds, text: words.value });
  const options = (question.options ?? []).map((option, at) => {
    const element = button(
      option.label,
      () => {
        if (question.multiple !== true) return say([option.optionId]);
        const isChosen = !chosen.delete(option.optionId);
        if (isChosen) chosen.add(option.optionId);
        element.setAttribute("aria-pressed", String(isChosen));
      },
      at === 0 ? "" : "secondary",
    );
    element.disabled = !canAnswer;
    return element;
  });
  const done = button(
    "Send",
    () => {
      if (chosen.size > 0 || words.value.trim() !== "") say([...chosen]);
    },
    "secondary",
  );
  done.disabled = !canAnswer;
  words.disabled = !canAnswer;
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter") done.click();
  });
  return el(
    "article",
    { class: "approval question", attributes: { "aria-label": `Question: ${question.text}` } },
    el("p", { class: "title" }, question.text),
    question.plan === undefined ? undefined : el("pre", { class: "input" }, question.plan),
    el("div", { class: "options" }, ...options),
    el("div", { class: "options" }, words, done),
  );
}

const MARKS: Record<string, string> = { pending: "☐", in_progress: "▸", completed: "☑" };

/** The parts of a plan, while something of it is to be done. */
export function drawPlan(plan: PlanItem[]): HTMLElement[] {
  if (plan.every((each) => each.status === "completed")) return [];
  return plan.map((each) =>
    el("li", {}, el("span", { class: "delivery" }, MARKS[each.status] ?? "?"), each.content),
  );
}
