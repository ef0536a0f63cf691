/** What a chat tells whoever draws it. */
import type { Input } from "./protocol.ts";
import type { Change } from "./state.ts";

export interface Listener {
  /** The session that is shown is another one now; draw everything anew. */
  reset(): void;
  changed(changes: Change[]): void;
  /** Status, questions, problem or queue changed. */
  head(): void;
  /** A question of permission came. */
  asked(): void;
  /** What was not sent goes back to the prompt box. */
  returned(text: string, attached: Input[]): void;
}
