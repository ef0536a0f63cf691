/** The engine's questions of permission that wait for an answer from this window. */
import type { EngineRequest } from "./connection.ts";
import type { Approval, ApprovalId } from "./protocol.ts";

type Question = EngineRequest<"approval/request">;

export class Questions {
  readonly #open = new Map<ApprovalId, Question>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#open.size;
  }

  has(id: ApprovalId): boolean {
    return this.#open.has(id);
  }

  add(question: Question): void {
    const id = question.params.approvalId;
    this.#open.set(id, question);
    question.onWithdrawn = () => {
      if (this.#open.delete(id)) this.#changed();
    };
    this.#changed();
  }

  /** All that are open, oldest first, also those of sub-agents. */
  all(): Approval[] {
    return [...this.#open.values()].map((question) => question.params);
  }

  /** Answers a question that is open; any other was answered elsewhere. */
  answer(id: ApprovalId, optionId: string): void {
    const question = this.#open.get(id);
    if (question === undefined) return;
    this.#open.delete(id);
    question.answer({ optionId });
    this.#changed();
  }

  clear(): void {
    this.#open.clear();
  }
}
