/** The sessions of a folder, as the engine keeps them. */
import type { Chat } from "./chat.ts";
import type { SessionSummary } from "pintle-client";

const MOST_LISTED = 200;

/** The folder's sessions, the one that was written last first. Starts the engine; none where it does not start. */
export async function listSessions(chat: Chat, folder: string): Promise<SessionSummary[]> {
  await chat.start();
  if (chat.engine.connection === undefined) return [];
  const { sessions } = await chat.request("session/list", { cwd: folder, limit: MOST_LISTED });
  return sessions;
}
