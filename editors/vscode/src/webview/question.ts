/** A question of the model, with its options and a line for own words; and the model's plan. */
import type { PlanItem, Question } from "pintle-client";
import { t } from "../words.ts";
import { button, el, icon } from "./dom.ts";
import type { Send } from "./types.ts";

/** A card that answers with one press, or, where several options may be chosen, with what was chosen before. */
export function drawQuestion(
  question: Question,
  canAnswer: boolean,
  send: Send,
  drawMarkdown: (text: string) => HTMLElement,
): HTMLElement {
  const { questionId } = question;
  const chosen = new Set<string>();
  const words = el<"input">("input", {
    class: "words",
    attributes: {
      type: "text",
      placeholder: t("Your own answer…"),
      "aria-label": t("Your own words"),
    },
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
  const attributes = { tabindex: "0", role: "group", "aria-label": t("Plan") };
  const plan =
    question.plan === undefined
      ? undefined
      : el("div", { class: "planText", attributes }, drawMarkdown(question.plan));
  const done = button(
    t("Send"),
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
    {
      class: "approval question",
      attributes: { "aria-label": t("Question: {0}", question.text), tabindex: "-1" },
    },
    el("div", { class: "body" }, el("p", { class: "title" }, question.text), plan),
    el("div", { class: "options" }, ...options),
    el("div", { class: "options" }, words, done),
  );
}

const MARKS: Record<string, string> = {
  pending: "circle-large-outline",
  inProgress: "circle-large-filled",
  completed: "pass",
};
const STATES: Record<string, (step: string) => string> = {
  pending: (step) => t("to do: {0}", step),
  inProgress: (step) => t("in progress: {0}", step),
  completed: (step) => t("done: {0}", step),
};

/** The steps of a plan, while something of it is to be done: it leaves when all is. */
export class PlanList {
  readonly element = el("details", { class: "plan" });
  readonly #summary = el("summary");
  readonly #steps = el("ul", { attributes: { "aria-label": t("Plan") } });
  #drawn = "";
  /** Whether a person had it open before a question took the room; undefined while none does. */
  #before: boolean | undefined;

  constructor() {
    this.element.append(this.#summary, this.#steps);
    this.element.open = true;
    this.element.hidden = true;
  }

  /** While something is asked, the question has the room. */
  update(plan: PlanItem[], isAsked: boolean): void {
    if (isAsked && this.#before === undefined) {
      this.#before = this.element.open;
      this.element.open = false;
    } else if (!isAsked && this.#before !== undefined) {
      this.element.open = this.#before;
      this.#before = undefined;
    }
    const drawn = JSON.stringify(plan);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const done = plan.filter(({ status }) => status === "completed").length;
    this.element.hidden = done === plan.length;
    this.#summary.replaceChildren(icon("checklist"), t("Plan: {0} of {1} done", done, plan.length));
    this.#steps.replaceChildren(
      ...plan.map(({ status, content }) =>
        el(
          "li",
          { class: status, attributes: { "aria-label": STATES[status]?.(content) ?? content } },
          icon(MARKS[status] ?? "question"),
          el("span", {}, content),
        ),
      ),
    );
  }
}
