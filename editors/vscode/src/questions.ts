/** The engine's questions, of permission and of the model, that wait for an answer from this window. */
import type { EngineRequest } from "./connection.ts";
import type { ApprovalAnswer, QuestionAnswer } from "./protocol.ts";

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
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#open.size;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  addApproval(request: Approval): void {
    this.#add(request.params.approvalId, request, (result) => request.answer(result as ApprovalAnswer));
  }

  addQuestion(request: Question): void {
    this.#add(request.params.questionId, request, (result) => request.answer(result as QuestionAnswer));
  }

  #add(id: string, request: { onWithdrawn: () => void }, answer: (result: unknown) => void): void {
    this.#open.set(id, { answer });
    request.onWithdrawn = () => {
      if (this.#open.delete(id)) this.#listener.head();
    };
    this.#listener.head();
    this.#listener.asked();
  }

  /** Answers a question that is open; any other was answered elsewhere. */
  answer(id: string, result: Answer): void {
    const question = this.#open.get(id);
    if (question === undefined) return;
    this.#open.delete(id);
    question.answer(result);
    this.#listener.head();
    this.#listener.asked();
  }

  clear(): void {
    this.#open.clear();
  }
}
