/** Errors of requests in words for a person. */
import { ClosedError, RpcError } from "./connection.ts";
import { ErrorCode } from "./protocol.ts";

/** Something went wrong that the person should see, and what can be done. */
export interface Problem {
  text: string;
  hint: string;
  /** The session is open in another window. */
  isConflict: boolean;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof RpcError) {
    const isConflict = isConflictError(error);
    const hint = isConflict ? "It may be open in another window." : (error.data.hint ?? "");
    return { text: sentence(error.message), hint: hint === "" ? "" : sentence(hint), isConflict };
  }
  if (error instanceof ClosedError) return { text: "The engine is not there.", hint: "", isConflict: false };
  const message = error instanceof Error ? error.message : String(error);
  return { text: sentence(message), hint: "", isConflict: false };
}

/** The session is open in another process. */
export function isConflictError(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.conflict;
}

export function isNotFoundError(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.notFound;
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
