/** The sessions of a folder, as the engine keeps them, and what stopping or finding one says. */
import type { SessionSummary, SnippetPiece } from "pintle-client";
import type { Chat } from "../chat/chat.ts";
import type { State } from "../transcript/state.ts";
import { plural, t } from "../words.ts";

const MOST_LISTED = 200;

/** The folder's sessions, the one that was written last first. Starts the engine; none where it does not start. */
export async function listSessions(chat: Chat, folder: string): Promise<SessionSummary[]> {
  await chat.start();
  if (chat.engine.connection === undefined) return [];
  const { sessions } = await chat.request("session/list", { cwd: folder, limit: MOST_LISTED });
  return sessions.filter(({ sessionId }) => !chat.window.errands.has(sessionId));
}

/** What tells a fork from its original in a list, since both have the same title. */
export function forkWord(session: Pick<SessionSummary, "forkedFrom">): string {
  return session.forkedFrom === undefined ? "" : t("fork");
}

/** What stopping a session ends. `isShared`: other clients may go on with it. */
export function stopReceipt(state: Pick<State, "activity" | "entries" | "queue">, isShared: boolean): string {
  const running = (type: string): number =>
    state.entries.filter(
      (each) => each.kind === "item" && each.item.type === type && each.item.status === "running",
    ).length;
  const parts = [
    state.activity === "idle" ? "" : t("1 turn"),
    count(running("job"), (jobs) => plural(jobs, "{0} background job", "{0} background jobs")),
    count(state.queue.length, (waiting) => plural(waiting, "{0} waiting message", "{0} waiting messages")),
  ].filter((each) => each !== "");
  const closed =
    parts.length === 0
      ? t("The session is closed: nothing ran.")
      : t("The session is closed: {0}.", parts.join(", "));
  return isShared ? `${closed} ${t("Other clients of the shared engine may continue it.")}` : closed;
}

/** What goes on after a turn was stopped; empty where nothing does. */
export function goesOnText(jobs: number): string {
  return jobs === 0
    ? ""
    : plural(
        jobs,
        "The turn is stopped. {0} background job continues.",
        "The turn is stopped. {0} background jobs continue.",
      );
}

function count(number: number, words: (number: number) => string): string {
  return number === 0 ? "" : words(number);
}

/** The text around a find, with the find between marks. */
export function snippetText(pieces: SnippetPiece[]): string {
  return pieces.map(({ text, match }) => (match === true ? `»${text}«` : text)).join("");
}
