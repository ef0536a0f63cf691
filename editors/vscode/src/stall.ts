/** Knows when a running turn has given no sign for too long. Pure: the clock is asked by its owner. */
import type { AnyRecord } from "pintle-client";
import type { State } from "./state.ts";

/** A provider that is silent for so long may never answer. */
export const STALL_MS = 40_000;

/** Whether the model is what is waited for: a turn runs, and neither a person nor a call is. */
export function waitsForModel(state: State): boolean {
  if (state.activity !== "running" || state.approvals.length + state.questions.length > 0) return false;
  return !state.entries.some(
    (each) =>
      each.kind === "item" &&
      (each.item.type === "toolCall" || each.item.type === "subagent") &&
      each.item.status === "running",
  );
}

/** Whether a record says nothing but that nothing comes from the model, which is no sign of it. */
export function isSilence({ event }: AnyRecord): boolean {
  return event?.type === "notice" && event.code === "modelSilent";
}

/** How long there was no sign, in milliseconds; undefined while that is no reason to say so. */
export function stalledMs(state: State | undefined, lastSignMs: number, nowMs: number): number | undefined {
  if (state === undefined || lastSignMs === 0 || !waitsForModel(state)) return undefined;
  const silent = nowMs - lastSignMs;
  return silent >= STALL_MS ? silent : undefined;
}
