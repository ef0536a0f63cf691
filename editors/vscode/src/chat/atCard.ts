/** Which session a card belongs to. Pure. */
import type { AtCard, FromPage } from "./messages.ts";

const AT_CARDS: ReadonlySet<string> = new Set<AtCard["type"]>([
  "fullOutput",
  "stopTool",
  "stopJob",
  "openTerminal",
]);

function isAtCard(message: FromPage): message is AtCard {
  return AT_CARDS.has(message.type);
}

/** A message from a card in a sub-agent's transcript: ids of items and jobs are those of its session. */
export function fromSession(message: FromPage, session: string): FromPage {
  return isAtCard(message) ? { session, ...message } : message;
}
