/** What a person says to a session, as requests: begin a turn, steer it, stop it. */
import type { ClientRequests, Input, ItemId, JobId, QueuedInput, WhenBusy } from "pintle-client";
import { isNoTurnError } from "../connection/problem.ts";
import type { Session } from "../sessions/session.ts";
import { handedBack } from "../transcript/reducer.ts";
import type { State } from "../transcript/state.ts";
import { textOfInput } from "./input.ts";

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
  await ask("turn/start", { sessionId, input: blocks(text, attached), whenBusy });
}

/** Puts a message into the running turn. Should the turn have ended meanwhile, it starts one. */
export async function steer(ask: Ask, session: Session, text: string, attached: Input[] = []): Promise<void> {
  const input = blocks(text, attached);
  try {
    await ask("turn/steer", { sessionId: session.id, input });
  } catch (error) {
    if (!isNoTurnError(error)) throw error;
    await startTurn(ask, session, text, "queue", attached);
  }
}

/** Stops the turn. Gives this window's messages that the model has not read. */
export async function stop(ask: Ask, { id: sessionId, state }: Session): Promise<QueuedInput[]> {
  const { returned } = await ask("turn/interrupt", { sessionId });
  return handedBack(state, returned ?? [], true);
}

/** Asks about sessions. */
interface Asker {
  request: Ask;
}

/** Stops one call; the turn goes on without it. */
export async function stopTool(
  asker: Asker | undefined,
  session: Session | undefined,
  itemId: ItemId,
): Promise<void> {
  if (session !== undefined) await asker?.request("item/cancel", { sessionId: session.id, itemId });
}

/** Stops a background job, and waits until nothing of it runs. */
export async function stopJob(
  asker: Asker | undefined,
  session: Session | undefined,
  jobId: JobId,
): Promise<void> {
  if (session !== undefined) await asker?.request("job/stop", { sessionId: session.id, jobId });
}

/** Messages as they stand in the prompt box again: their texts, and what was attached. */
export function asDraft(inputs: Pick<QueuedInput, "content">[]): { text: string; attached: Input[] } {
  const texts = inputs.map(({ content }) => textOfInput(content.filter(({ type }) => type === "text")));
  const attached = inputs.flatMap(({ content }) => content.filter(({ type }) => type !== "text"));
  return { text: texts.filter((text) => text !== "").join("\n\n"), attached };
}

/** The message that the last turn began with. */
export function firstInputOfLastTurn({ entries }: Pick<State, "entries">): Input[] | undefined {
  const messages = entries.flatMap((each) =>
    each.kind === "item" && each.item.type === "userMessage" ? [each.item] : [],
  );
  const last = messages.at(-1);
  return messages.find(({ turnId }) => turnId === last?.turnId)?.content;
}

function blocks(text: string, attached: Input[]): Input[] {
  return text === "" ? attached : [{ type: "text", text }, ...attached];
}
