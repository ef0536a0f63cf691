/** Explains why a program did not start as an engine, from its exit code and error output. Pure. */
import type { Settings } from "../settings/settings.ts";
import { sentence, t } from "../words.ts";
import type { Cause } from "./problem.ts";

/** The exit code of the engine for what it was started with. */
const USAGE = 2;
/** Lines of its last output that are shown. */
const MOST_LINES = 4;

/** Why the arguments of the settings may not fit a shared engine. */
export function argumentsAreTheEngines(): string {
  return t(
    "The setting pintle.arguments applies to a shared engine started by this window; a running one keeps its options and rejects others.",
  );
}

/** `stderr` and `code` are those of the program that was started from `file`. */
export function judgeExit(
  file: string,
  { stderr, code }: { stderr: string; code: number | undefined },
  settings: Settings,
): { problem: string; hint: string; cause?: Cause } {
  const lines = stderr.trim().split("\n");
  if (settings.shared && stderr.includes("other options")) {
    return { problem: notAnEngine(file, lines), hint: argumentsAreTheEngines(), cause: "arguments" };
  }
  const [first = ""] = lines;
  // Without the program's name.
  const said = /^(?:error|pintle): (.+)$/.exec(first)?.[1];
  if (code === USAGE && said !== undefined && settings.arguments.length > 0) {
    const problem = t("The engine rejected its options: {0}", sentence(said));
    return { problem, hint: t("Check the setting pintle.arguments."), cause: "arguments" };
  }
  return { problem: notAnEngine(file, lines), hint: t("Check the setting pintle.path.") };
}

function notAnEngine(file: string, lines: string[]): string {
  const said = lines.slice(-MOST_LINES).join(" ").trim();
  return said === ""
    ? t("{0} did not respond like an engine.", file)
    : t("{0} did not respond like an engine. Output: {1}", file, sentence(said));
}
