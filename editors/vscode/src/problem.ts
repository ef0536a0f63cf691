/** Errors of requests in words for a person. */
import { ClosedError, RpcError } from "./connection.ts";
import { ErrorCode } from "./protocol.ts";
import { sentence } from "./sentence.ts";

/** Something went wrong that the person should see, and what can be done. */
export interface Problem {
  text: string;
  hint: string;
  /** The session is open in another window. */
  isConflict: boolean;
}

export function problemOf(error: unknown): Problem {
  if (isConflictError(error)) {
    const hint = "Close it there, or begin a new session.";
    return { text: "The session is open in another window.", hint, isConflict: true };
  }
  if (error instanceof RpcError) {
    return { text: sentence(error.message), hint: sentence(error.data.hint ?? ""), isConflict: false };
  }
  if (error instanceof ClosedError) return { text: "The engine is not there.", hint: "", isConflict: false };
  const message = error instanceof Error ? error.message : String(error);
  return { text: sentence(message), hint: "", isConflict: false };
}

/** The session is open in another process. */
export function isConflictError(error: unknown): boolean {
  return (
    error instanceof RpcError && error.code === ErrorCode.conflict && error.data.code === "openElsewhere"
  );
}

export function isNotFoundError(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.notFound;
}
