/** What stands in a person's way: types alone. `problem.ts` makes them of errors. */

/** Something went wrong that the person should see, and what can be done. */
export interface Problem {
  text: string;
  hint: string;
  /** The session is open in another process. */
  isConflict: boolean;
  /** That is the engine that editors share: this window can use it too. */
  canAttach: boolean;
  /** What is missing, where a command of this extension gives it. */
  need?: Need;
}

export type Need =
  | { kind: "model" }
  /** `provider` where it is known. */
  | { kind: "key"; provider: string | undefined };
