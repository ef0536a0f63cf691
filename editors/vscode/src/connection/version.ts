/** Judges whether the engine that answered is one this extension can work with. */
import type { InitializeResult, RequestFailed } from "pintle-client";
import { ErrorCode, PROTOCOL_NAME, PROTOCOL_VERSION } from "pintle-client";
import { t } from "../words.ts";

export type Judgement = { ok: true; note?: string } | { ok: false; problem: string; hint: string };

/** Judges the answer to `initialize`. */
export function judgeResult(result: InitializeResult): Judgement {
  const { name, version } = result.protocol;
  const order = name === PROTOCOL_NAME ? compareMajor(version) : undefined;
  if (order === undefined || order !== 0) return mismatch(`${name} ${version}`, order);
  if (version === PROTOCOL_VERSION) return { ok: true };
  return { ok: true, note: `the engine speaks protocol ${version}, this extension ${PROTOCOL_VERSION}` };
}

/** Judges a refusal of `initialize`. */
export function judgeError(error: RequestFailed): Judgement {
  if (error.code !== ErrorCode.unsupportedProtocol) {
    return {
      ok: false,
      problem: t("The engine rejected the connection: {0}", error.reason),
      hint: error.data.hint ?? "",
    };
  }
  const supported = error.data.supported ?? [];
  const newest = supported.at(-1);
  return mismatch(
    supported.join(", ") || t("another protocol"),
    newest === undefined ? undefined : compareMajor(newest),
  );
}

function mismatch(theirs: string, order: number | undefined): Judgement {
  const problem = t(
    "The engine speaks {0}, this extension speaks {1}.",
    theirs,
    `${PROTOCOL_NAME} ${PROTOCOL_VERSION}`,
  );
  if (order === undefined) return { ok: false, problem, hint: t("Check the setting pintle.path.") };
  const hint =
    order < 0 ? t("The engine is too old: update it.") : t("The engine is newer: update this extension.");
  return { ok: false, problem, hint };
}

/** Below zero when the version's major part is older than ours, above when newer. */
function compareMajor(version: string): number | undefined {
  const theirs = Number.parseInt(version, 10);
  const ours = Number.parseInt(PROTOCOL_VERSION, 10);
  return Number.isNaN(theirs) ? undefined : Math.sign(theirs - ours);
}
