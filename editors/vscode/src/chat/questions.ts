/** The engine's questions, of permission and of the model, that wait for an answer from this window. */
import type { Approval, ApprovalAnswer, ProposalEdit, Question, QuestionAnswer } from "pintle-client";
import type { State } from "../transcript/state.ts";
import type { Asked } from "./consent.ts";

export type Answer = ApprovalAnswer | QuestionAnswer;

/** Proposed files that the user can edit. */
export interface Proposals {
  /** The user's edits. */
  edits(approval: Approval): ProposalEdit[];
  /** The user answers a question here. */
  answered(id: string): void;
}

interface Listener {
  /** What is open changed. */
  head(): void;
  /** Something is asked. */
  asked(): void;
  readonly proposals: Proposals;
}

/** A question of permission, for a card. */
export interface AskedApproval {
  approval: Approval;
  canAnswer: boolean;
  /** Proposed files that the user has edited. */
  edited: string[];
}

export class Questions {
  readonly #open = new Map<string, { answer(result: Answer): void }>();
  readonly #approvals = new Map<string, Approval>();
  readonly #questions = new Map<string, Question>();
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The engine asks for permission. Resolves with the answer; not at all once `signal` says that none is awaited. */
  askApproval(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
    this.#approvals.set(approval.approvalId, approval);
    return this.#ask(approval.approvalId, signal);
  }

  /** The same for a question of the model. */
  askQuestion(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
    this.#questions.set(question.questionId, question);
    return this.#ask(question.questionId, signal);
  }

  #ask<A extends Answer>(id: string, signal: AbortSignal): Promise<A> {
    return new Promise((resolve) => {
      const open = { answer: (result: Answer) => resolve(result as A) };
      this.#open.set(id, open);
      signal.addEventListener("abort", () => {
        // It may have been asked again meanwhile.
        if (this.#open.get(id) === open && this.#forget(id)) this.#listener.head();
      });
      this.#listener.head();
      this.#listener.asked();
    });
  }

  /** The session's open questions of permission, and those of its sub-agents, which stand in sessions of their own. */
  approvals(own: Iterable<Approval>): AskedApproval[] {
    const all = new Map([...own, ...this.#approvals.values()].map((each) => [each.approvalId, each]));
    return [...all].map(([id, approval]) => {
      const canAnswer = this.#open.has(id);
      const edited = canAnswer ? this.#listener.proposals.edits(approval).map(({ path }) => path) : [];
      return { approval, canAnswer, edited };
    });
  }

  /** Returns true if this window can answer a question. */
  canAnswer(id: string): boolean {
    return this.#open.has(id);
  }

  /** A question of permission that is open, of `own` session or asked here. */
  approval(id: string, own: Pick<State, "approvals"> | undefined): Approval | undefined {
    return this.#approvals.get(id) ?? own?.approvals.find((each) => each.approvalId === id);
  }

  /** The same for questions of models. */
  questions(own: Iterable<Question>): { question: Question; canAnswer: boolean }[] {
    const all = new Map([...own, ...this.#questions.values()].map((each) => [each.questionId, each]));
    return [...all].map(([id, question]) => ({ question, canAnswer: this.#open.has(id) }));
  }

  /** All that is asked, of `own` session too; without one only what this window can answer. */
  all(own: Pick<State, "approvals" | "questions"> | undefined): Asked[] {
    return [
      ...this.approvals(own?.approvals ?? []).map(
        ({ approval }) => ({ kind: "approval", approval }) as const,
      ),
      ...this.questions(own?.questions ?? []).map(
        ({ question }) => ({ kind: "question", question }) as const,
      ),
    ];
  }

  /** Answers a question that is open; any other was answered elsewhere. */
  answer(id: string, result: Answer): void {
    const question = this.#open.get(id);
    if (question === undefined) return;
    const whole = this.#withEdits(id, result);
    this.#listener.proposals.answered(id);
    this.#forget(id);
    question.answer(whole);
    this.#listener.head();
    this.#listener.asked();
  }

  /** Adds the user's edits to an answer that allows a call. */
  #withEdits(id: string, result: Answer): Answer {
    const approval = this.#approvals.get(id);
    if (approval?.editable !== true || !("optionId" in result)) return result;
    const chosen = approval.options.find(({ optionId }) => optionId === result.optionId);
    const edits = chosen?.decision === "allow" ? this.#listener.proposals.edits(approval) : [];
    return edits.length === 0 ? result : { ...result, edits };
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
