/** Errors of requests in words for a person, and what is missing. */
import { Disconnected, ErrorCode, RequestFailed } from "pintle-client";
import { sentence, t } from "../words.ts";

/** Something went wrong that the person should see, and what can be done. */
export interface Problem {
  text: string;
  hint: string;
  /** The session is open in another process. */
  isConflict: boolean;
  /** That is the engine that editors share: this window can use it too. */
  canAttach: boolean;
  /** What is missing, where a command of this extension gives it. */
  need?: Need;
}

export type Need =
  | { kind: "model" }
  /** `provider` where it is known. */
  | { kind: "key"; provider: string | undefined };

/** Why there is no engine, where a person can do something about it. */
export type Cause = "notFound" | "path" | "arguments";

const PLAIN = { isConflict: false, canAttach: false };

export function problemOf(error: unknown): Problem {
  if (isSharedError(error)) {
    const text = t("The session is open in the shared engine.");
    const hint = t("Attach to work in it from here too: this workspace then uses that engine.");
    return { text, hint, isConflict: true, canAttach: true };
  }
  if (isConflictError(error)) {
    const hint = t("It can be read here. Close it there to continue it here, or start a new session.");
    return { text: t("The session is open in another window."), hint, isConflict: true, canAttach: false };
  }
  if (error instanceof RequestFailed) {
    const missing = missingOf(error);
    if (missing !== undefined) return { ...missing, ...PLAIN };
    return { text: sentence(error.reason), hint: sentence(error.data.hint ?? ""), ...PLAIN };
  }
  if (error instanceof Disconnected) return { text: t("The engine is not available."), hint: "", ...PLAIN };
  return { text: sentence(reasonOf(error)), hint: "", ...PLAIN };
}

/** The words of an error; of a failed request, the engine's own. */
export function reasonOf(error: unknown): string {
  if (error instanceof RequestFailed) return error.reason;
  return error instanceof Error ? error.message : String(error);
}

/** A problem and what can be done, in a line. */
export function lineOf({ text, hint }: Problem): string {
  return `${text} ${hint}`.trim();
}

/** A model or a key is missing: said in the words of VS Code, where the engine's hint is about its command line. */
function missingOf(error: RequestFailed): Pick<Problem, "text" | "hint" | "need"> | undefined {
  if (error.code === ErrorCode.authRequired) return noKey(/^no key for (\S+)/.exec(error.reason)?.[1]);
  if (error.data.code !== "config" || !error.reason.includes("no model")) return undefined;
  const hint = t("Choose one; it is stored in the setting pintle.model.");
  return { text: t("No model chosen yet."), hint, need: { kind: "model" } };
}

/** There is no key for a provider, or it is refused. */
export function noKey(provider: string | undefined): Pick<Problem, "text" | "hint" | "need"> {
  const text =
    provider === undefined ? t("There is no key for this model.") : t("There is no key for {0}.", provider);
  const hint = t("Sign in or enter a key, or choose another model.");
  return { text, hint, need: { kind: "key", provider } };
}

/** The session is open in another process. */
export function isConflictError(error: unknown): error is RequestFailed {
  return (
    error instanceof RequestFailed && error.code === ErrorCode.conflict && error.data.code === "openElsewhere"
  );
}

/** The session is open in the engine that clients share. */
export function isSharedError(error: unknown): boolean {
  return isConflictError(error) && error.data.sharedEngine === true;
}

/** No turn runs that could be steered. */
export function isNoTurnError(error: unknown): boolean {
  return error instanceof RequestFailed && error.data.code === "noActiveTurn";
}

export function isNotFoundError(error: unknown): boolean {
  return error instanceof RequestFailed && error.code === ErrorCode.notFound;
}
