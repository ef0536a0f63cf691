/** What a session costs, and how full the model's window is, as a person reads it. Pure. */
import type { ContextUsage } from "pintle-client";
import { t } from "../words.ts";

const NANO = 1_000_000_000;

/** Such as `$0.42`; of less than a cent, its first digit that counts. Nothing where the price is not known. */
export function costText(nanoUsd: number | undefined): string {
  if (nanoUsd === undefined || nanoUsd <= 0) return "";
  const usd = nanoUsd / NANO;
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  const digits = Math.min(9, Math.ceil(-Math.log10(usd)));
  return `$${Number(usd.toFixed(digits)).toFixed(digits).replace(/0$/, "")}`;
}

/** From here on it is a warning: what is old is summed up soon. */
const WARN_PERCENT = 80;

export interface Meter {
  /** Such as `62 % of 200k`. */
  text: string;
  /** For a hover, in whole numbers. */
  detail: string;
  isNearlyFull: boolean;
  percent: number;
}

/** Nothing where nothing is known yet: a window that is not known has no share. */
export function meterOf(usage: ContextUsage | undefined): Meter | undefined {
  if (usage?.window === undefined || usage.window <= 0 || usage.tokens <= 0) return undefined;
  const percent = Math.round((usage.tokens / usage.window) * 100);
  return {
    text: t("{0} % of {1}", percent, short(usage.window)),
    detail: t("The conversation uses about {0} of the model's {1} tokens.", usage.tokens, usage.window),
    isNearlyFull: percent >= WARN_PERCENT,
    percent,
  };
}

function short(tokens: number): string {
  if (tokens >= 1_000_000) return `${Math.round(tokens / 100_000) / 10}M`;
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : String(tokens);
}
