/** Errors of requests in words for a person. */
import { ClosedError, RpcError } from "./connection.ts";
import { ErrorCode } from "./protocol.ts";
import { sentence } from "./sentence.ts";

/** Something went wrong that the person should see, and what can be done. */
export interface Problem {
  text: string;
  hint: string;
  /** The session is open in another process. */
  isConflict: boolean;
  /** That is the engine that editors share: this window can use it too. */
  canAttach: boolean;
}

const PLAIN = { isConflict: false, canAttach: false };

export function problemOf(error: unknown): Problem {
  if (isSharedError(error)) {
    const text = "The session is open in the engine that your other editors share.";
    const hint = "Attach to work in it from here too: this workspace then uses that engine.";
    return { text, hint, isConflict: true, canAttach: true };
  }
  if (isConflictError(error)) {
    const hint = "Close it there, or begin a new session.";
    return { text: "The session is open in another window.", hint, isConflict: true, canAttach: false };
  }
  if (error instanceof RpcError) {
    return { text: sentence(error.message), hint: sentence(error.data.hint ?? ""), ...PLAIN };
  }
  if (error instanceof ClosedError) return { text: "The engine is not there.", hint: "", ...PLAIN };
  const message = error instanceof Error ? error.message : String(error);
  return { text: sentence(message), hint: "", ...PLAIN };
}

/** The session is open in another process. */
export function isConflictError(error: unknown): error is RpcError {
  return (
    error instanceof RpcError && error.code === ErrorCode.conflict && error.data.code === "openElsewhere"
  );
}

/** The session is open in the engine that clients share. */
export function isSharedError(error: unknown): boolean {
  return isConflictError(error) && error.data.isSharedEngine === true;
}

export function isNotFoundError(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.notFound;
}
