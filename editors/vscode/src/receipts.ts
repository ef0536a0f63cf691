/** What was stopped or found, in words. Pure. */
import type { SnippetPiece } from "./protocol.ts";
import type { State } from "./state.ts";

/** What stopping a session ends. `isShared`: other clients may go on with it. */
export function stopReceipt(state: Pick<State, "activity" | "entries" | "queue">, isShared: boolean): string {
  const running = (type: string): number =>
    state.entries.filter(
      (each) => each.kind === "item" && each.item.type === type && each.item.status === "running",
    ).length;
  const parts = [
    state.activity === "idle" ? "" : "1 turn",
    count(running("job"), "background job"),
    count(state.queue.length, "waiting message"),
  ].filter((each) => each !== "");
  const what = parts.length === 0 ? "nothing ran" : parts.join(", ");
  const others = isShared ? " Other clients of the shared engine may go on with it." : "";
  return `The session is closed: ${what}.${others}`;
}

/** What goes on after a turn was stopped; empty where nothing does. */
export function goesOnText(jobs: number): string {
  return jobs === 0
    ? ""
    : `The turn is stopped. ${count(jobs, "background job")} ${jobs === 1 ? "goes" : "go"} on.`;
}

function count(number: number, noun: string): string {
  return number === 0 ? "" : `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The text around a find, with the find between marks. */
export function snippetText(pieces: SnippetPiece[]): string {
  return pieces.map(({ text, match }) => (match === true ? `»${text}«` : text)).join("");
}
