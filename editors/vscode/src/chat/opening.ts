/** Links from outside that open the chat, such as `vscode://pintle.pintle/open?prompt=Fix%20it`. Pure. */
import { t } from "../words.ts";

/** The longest text that a link may write, in characters. */
const MOST_TEXT = 10_000;

export interface Opening {
  session: string | undefined;
  /** Text for the prompt box; empty for none. */
  prompt: string;
}

/** Reads a link's path and query. Throws an error whose message is for the user. */
export function readOpening(path: string, query: string): Opening {
  if (path.replace(/\/$/, "") !== "/open") throw new Error(t("the path must be /open, not {0}", path));
  const fields = new URLSearchParams(query);
  for (const name of fields.keys())
    if (name !== "session" && name !== "prompt")
      throw new Error(t("{0} is unknown; use session or prompt", name));
  const session = fields.get("session") ?? undefined;
  const prompt = visible(fields.get("prompt") ?? "").trim();
  if (prompt.length > MOST_TEXT)
    throw new Error(t("the prompt is longer than {0} characters", String(MOST_TEXT)));
  return { session, prompt };
}

/** Removes what a reader does not see: control characters, and marks that hide or reorder text. */
function visible(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(/(?![\n\t\u200d])[\p{Cc}\p{Cf}]/gu, "");
}
