/** What a person says to a session, as requests: begin a turn, steer it, stop it. */
import { textOfInput } from "./input.ts";
import type { ClientRequests, Input, QueuedInput, WhenBusy } from "./protocol.ts";
import { handedBack } from "./reducer.ts";
import type { Session } from "./session.ts";

/** Asks the engine. */
export type Ask = <M extends keyof ClientRequests>(
  method: M,
  params: ClientRequests[M]["params"],
) => Promise<ClientRequests[M]["result"]>;

export async function startTurn(
  ask: Ask,
  { id: sessionId }: Session,
  text: string,
  whenBusy: WhenBusy,
  attached: Input[] = [],
): Promise<void> {
  await ask("turn/start", { sessionId, input: [{ type: "text", text }, ...attached], whenBusy });
}

/** Puts a message into the running turn. Should the turn have ended meanwhile, it starts one. */
export async function steer(ask: Ask, session: Session, text: string, attached: Input[] = []): Promise<void> {
  const input = [{ type: "text" as const, text }, ...attached];
  const { outcome } = await ask("turn/steer", { sessionId: session.id, input });
  if (outcome === "noActiveTurn") await startTurn(ask, session, text, "queue", attached);
}

/** Stops the turn. Gives the text of this window's messages that the model has not read. */
export async function stop(ask: Ask, { id: sessionId, state }: Session): Promise<string> {
  const { returned } = await ask("turn/interrupt", { sessionId });
  return textOfMessages(handedBack(state, returned ?? [], true));
}

export function textOfMessages(inputs: QueuedInput[]): string {
  return inputs.map((input) => textOfInput(input.content)).join("\n\n");
}
