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

  add(question: Question): void {
    const id = question.params.approvalId;
    this.#open.set(id, question);
    question.onWithdrawn = () => {
      if (this.#open.delete(id)) this.#changed();
    };
    this.#changed();
  }

  /** The session's open questions, and those of its sub-agents, which stand in sessions of their own. */
  shown(own: Approval[]): { approval: Approval; canAnswer: boolean }[] {
    const ids = new Set(own.map((approval) => approval.approvalId));
    const others = [...this.#open.values()].map((question) => question.params);
    const all = [...own, ...others.filter((approval) => !ids.has(approval.approvalId))];
    return all.map((approval) => ({ approval, canAnswer: this.#open.has(approval.approvalId) }));
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
