/** What the engine tells, in words that lead on in this editor. Pure. */
import type { Notice } from "pintle-client";
import { t } from "./words.ts";

/** The code of the notice that names files of the project which are not used, because they are new or have changed. */
const NOT_AGREED = "notAgreed";

/** True for a notice that a person should answer. */
export function wantsAnswer({ code }: Notice): boolean {
  return code === NOT_AGREED;
}

/** The notice with a hint that names what there is in this editor. */
export function inWords({ level, code, message, hint }: Notice): Notice {
  const own =
    code === NOT_AGREED
      ? t(
          "Pintle: Review the Project's Files… shows them; those that you choose are used from the next turn on.",
        )
      : hint;
  return { level, code, message, ...(own === undefined ? {} : { hint: own }) };
}
