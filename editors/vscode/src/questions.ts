/** The engine's questions, of permission and of the model, that wait for an answer from this window. */
import type { Asked } from "./attention.ts";
import type { EngineRequest } from "./connection.ts";
import type { ApprovalAnswer, QuestionAnswer } from "./protocol.ts";
import type { State } from "./state.ts";

type Approval = EngineRequest<"approval/request">;
type Question = EngineRequest<"question/request">;

export type Answer = ApprovalAnswer | QuestionAnswer;

interface Listener {
  /** What is open changed. */
  head(): void;
  /** Something is asked. */
  asked(): void;
}

export class Questions {
  readonly #open = new Map<string, { answer(result: unknown): void }>();
  readonly #approvals = new Map<string, Approval["params"]>();
  readonly #questions = new Map<string, Question["params"]>();
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#open.size;
  }

  addApproval(request: Approval): void {
    this.#approvals.set(request.params.approvalId, request.params);
    this.#add(request.params.approvalId, request, (result) => request.answer(result as ApprovalAnswer));
  }

  addQuestion(request: Question): void {
    this.#questions.set(request.params.questionId, request.params);
    this.#add(request.params.questionId, request, (result) => request.answer(result as QuestionAnswer));
  }

  #add(id: string, request: { onWithdrawn: () => void }, answer: (result: unknown) => void): void {
    this.#open.set(id, { answer });
    request.onWithdrawn = () => {
      if (this.#forget(id)) this.#listener.head();
    };
    this.#listener.head();
    this.#listener.asked();
  }

  /** The session's open questions of permission, and those of its sub-agents, which stand in sessions of their own. */
  approvals(own: Iterable<Approval["params"]>): { approval: Approval["params"]; canAnswer: boolean }[] {
    const all = new Map([...own, ...this.#approvals.values()].map((each) => [each.approvalId, each]));
    return [...all].map(([id, approval]) => ({ approval, canAnswer: this.#open.has(id) }));
  }

  /** A question of permission that is open, of `own` session or asked here. */
  approval(id: string, own: Pick<State, "approvals"> | undefined): Approval["params"] | undefined {
    return this.#approvals.get(id) ?? own?.approvals.get(id);
  }

  /** The same for questions of models. */
  questions(own: Iterable<Question["params"]>): { question: Question["params"]; canAnswer: boolean }[] {
    const all = new Map([...own, ...this.#questions.values()].map((each) => [each.questionId, each]));
    return [...all].map(([id, question]) => ({ question, canAnswer: this.#open.has(id) }));
  }

  /** All that is asked, of `own` session too; without one only what this window can answer. */
  all(own: Pick<State, "approvals" | "questions"> | undefined): Asked[] {
    return [
      ...this.approvals(own?.approvals.values() ?? []).map(
        ({ approval }) => ({ kind: "approval", approval }) as const,
      ),
      ...this.questions(own?.questions.values() ?? []).map(
        ({ question }) => ({ kind: "question", question }) as const,
      ),
    ];
  }

  /** Answers a question that is open; any other was answered elsewhere. */
  answer(id: string, result: Answer): void {
    const question = this.#open.get(id);
    if (question === undefined) return;
    this.#forget(id);
    question.answer(result);
    this.#listener.head();
    this.#listener.asked();
  }

  #forget(id: string): boolean {
    this.#approvals.delete(id);
    this.#questions.delete(id);
    return this.#open.delete(id);
  }

  clear(): void {
    for (const id of [...this.#open.keys()]) this.#forget(id);
  }
}
