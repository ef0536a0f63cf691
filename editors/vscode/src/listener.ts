/** What a chat tells whoever draws it. */
import type { Input, SessionId } from "pintle-client";
import type { Session } from "./session.ts";
import type { Change } from "./state.ts";

export interface Listener {
  /** The session that is shown is another one now; draw everything anew. */
  reset(): void;
  changed(changes: Change[]): void;
  /** Something happened in a session that is not shown. */
  changedElsewhere(session: Session, changes: Change[]): void;
  /** Whether a session has hunks that nobody has decided about. */
  isReviewed(id: SessionId): boolean;
  /** Status, questions, problem or queue changed. */
  head(): void;
  /** A question of permission came. */
  asked(): void;
  /** What was not sent goes back to the prompt box. */
  returned(text: string, attached: Input[]): void;
}
