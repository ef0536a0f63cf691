/** The overview of the context: parts, sum and cost. Pure. */
import type { ContextReadResult, ContextSource } from "pintle-client";
import { numberText, t } from "../words.ts";
import { sizeOf } from "../settings/choices.ts";

export interface ContextPart {
  label: string;
  tokens: string;
  /** Share of the used tokens, in percent. */
  share: number;
}

export interface ContextView {
  /** Such as `12,300 of 200k tokens (6 %)`. */
  sum: string;
  parts: ContextPart[];
  cost: string;
  canCompact: boolean;
}

const PARTS = {
  system: () => t("System prompt"),
  tools: () => t("Tools"),
  summary: () => t("Summary"),
  files: () => t("Files"),
  results: () => t("Other tool results"),
  user: () => t("Your messages"),
  assistant: () => t("Answers"),
  other: () => t("Other"),
};

type Part = keyof typeof PARTS;

/** Results of tools that read files. */
const READS = /result of .*(read|view|cat|open)/i;

function partOf({ source }: ContextSource): Part {
  if (READS.test(source)) return "files";
  if (/^result of /.test(source)) return "results";
  return source in PARTS ? (source as Part) : "other";
}

/** Returns the overview, without empty parts. */
export function contextView(
  { usage, sources }: ContextReadResult,
  cost: string,
  canCompact: boolean,
): ContextView {
  const sums = new Map<Part, number>();
  for (const each of sources) sums.set(partOf(each), (sums.get(partOf(each)) ?? 0) + each.tokens);
  const all = [...sums.values()].reduce((sum, tokens) => sum + tokens, 0);
  const parts = (Object.keys(PARTS) as Part[]).flatMap((part) => {
    const tokens = sums.get(part) ?? 0;
    if (tokens === 0) return [];
    return [
      {
        label: PARTS[part](),
        tokens: numberText(tokens),
        share: Math.round((tokens / Math.max(1, all)) * 100),
      },
    ];
  });
  const { tokens, window } = usage;
  const sum =
    window === undefined || window <= 0
      ? t("{0} tokens", numberText(tokens))
      : t(
          "{0} of {1} tokens ({2} %)",
          numberText(tokens),
          sizeOf(window),
          Math.round((tokens / window) * 100),
        );
  return { sum, parts, cost: cost === "" ? "" : t("The session cost {0} so far.", cost), canCompact };
}
