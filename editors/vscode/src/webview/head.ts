/** What stands between transcript and prompt: engine and problem, questions of permission, the queue. */
import type { Approval } from "pintle-client";
import type { Head } from "../chat/messages.ts";
import { t } from "../words.ts";
import { drawApproval, showEdited } from "./approval.ts";
import type { Colours } from "./code.ts";
import { drawBanners } from "./banners.ts";
import { el } from "./dom.ts";
import type { Send } from "./types.ts";
import { Focus } from "./focus.ts";
import { Markdown } from "./markdown.ts";
import { drawQuestion, PlanList } from "./question.ts";
import { Queue } from "./queue.ts";

export class Around {
  readonly element = el("section", { class: "around", attributes: { "aria-label": t("State") } });
  readonly #title = el("div", {
    class: "sessionTitle",
    attributes: { role: "group", "aria-label": t("Session") },
  });
  readonly #banners = el("div", { class: "banners", attributes: { role: "status" } });
  readonly #approvals = el("div", { class: "approvals" });
  /** Says once that something is asked; the card itself would be read with its whole diff, and again at each change. */
  readonly #said = el("div", { class: "said", attributes: { role: "status" } });
  readonly #queue: Queue;
  readonly #plan = new PlanList();
  readonly #cards = new Map<string, { element: HTMLElement; canAnswer: boolean }>();
  /** The lines of approvals that list the files which the user has edited. */
  readonly #edited = new Map<string, HTMLElement>();
  readonly #send: Send;
  readonly #drawMarkdown: (text: string) => HTMLElement;
  readonly focus: Focus;

  readonly #retry: () => void;

  /** The prompt takes the keyboard where a question had it and nothing else did, and sends again what came back. */
  constructor(send: Send, colours: Colours, prompt: { focus: () => void; retry: () => void }) {
    this.#send = send;
    this.#drawMarkdown = (text) => new Markdown(text, true, send, colours).element;
    this.#retry = prompt.retry;
    this.#queue = new Queue(send);
    this.focus = new Focus(this.#approvals, prompt.focus, send);
    this.element.append(
      this.#said,
      this.#title,
      this.#banners,
      this.#plan.element,
      this.#approvals,
      this.#queue.element,
    );
  }

  update(head: Head): void {
    this.#drawTitle(head);
    this.#banners.replaceChildren(...drawBanners(head, this.#retry, this.#send));
    this.#plan.update(head.plan, head.approvals.length + head.questions.length > 0);
    this.#drawApprovals(head);
    this.#queue.update(head.queue);
  }

  /** The share of the context window is in the prompt's row. */
  #drawTitle({ title, cost }: Head): void {
    this.#title.hidden = cost === "" && title === "";
    this.#title.replaceChildren(el("span", { class: "name" }, title), cost);
    this.#title.title = cost === "" ? "" : t("The session cost {0} so far.", cost);
  }

  /** A card stays as it is while its question is open, so that it is not moved away under a pointer. */
  #drawApprovals(head: Head): void {
    const approvals = head.approvals.map(({ approval, canAnswer }) => ({
      id: approval.approvalId,
      canAnswer,
      draw: () => drawApproval(approval, head, canAnswer, this.#editedLine(approval), this.#send),
    }));
    const questions = head.questions.map(({ question, canAnswer }) => ({
      id: question.questionId,
      canAnswer,
      draw: () => drawQuestion(question, canAnswer, this.#send, this.#drawMarkdown),
    }));
    const asked = [...approvals, ...questions];
    const open = new Set(asked.map(({ id }) => id));
    if (open.size === 0) this.#said.textContent = "";
    for (const [id, card] of this.#cards) {
      if (open.has(id)) continue;
      this.#cards.delete(id);
      this.#edited.delete(id);
      this.focus.replace(card.element);
    }
    for (const { id, canAnswer, draw } of asked) {
      const before = this.#cards.get(id);
      if (before?.canAnswer === canAnswer) continue;
      const element = draw();
      if (before === undefined) {
        this.#approvals.append(element);
        this.#said.textContent = t("Pintle has a question. {0}", element.getAttribute("aria-label") ?? "");
      } else this.focus.replace(before.element, element);
      this.#cards.set(id, { element, canAnswer });
    }
    for (const { approval, edited } of head.approvals) {
      const line = this.#edited.get(approval.approvalId);
      if (line !== undefined) showEdited(line, edited, head);
    }
  }

  #editedLine({ approvalId }: Approval): HTMLElement {
    const line = el("p", { class: "edited" });
    this.#edited.set(approvalId, line);
    return line;
  }
}
