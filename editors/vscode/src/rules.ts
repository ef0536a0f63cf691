/** What an answer to a question of permission leaves behind, in words. Pure. */
import type { ApprovalOption, Scope } from "pintle-client";
import { visible } from "./visible.ts";
import { plural, t } from "./words.ts";

/** The sentence for the rules that an answer adds, by its scope: until when they hold, or where they stand. */
const ADDS = {
  once: (count, rules) => plural(count, "Adds the rule {1}.", "Adds the rules {1}.", rules),
  turn: (count, rules) =>
    plural(count, "Adds the rule {1} until the turn ends.", "Adds the rules {1} until the turn ends.", rules),
  session: (count, rules) =>
    plural(
      count,
      "Adds the rule {1} until the session is closed.",
      "Adds the rules {1} until the session is closed.",
      rules,
    ),
  project: (count, rules) =>
    plural(
      count,
      "Adds the rule {1} in the rules of this project.",
      "Adds the rules {1} in the rules of this project.",
      rules,
    ),
  user: (count, rules) =>
    plural(
      count,
      "Adds the rule {1} in your own rules, everywhere.",
      "Adds the rules {1} in your own rules, everywhere.",
      rules,
    ),
} satisfies Record<Scope, (count: number, rules: string) => string>;

/** The rules that an answer adds, and for how long; a scope of a newer engine is named as it is. */
export function consequence({ decision, scope, rules = [] }: ApprovalOption): string {
  if (decision === "abort") return t("The turn ends.");
  if (rules.length === 0) return "";
  const [count, words] = [rules.length, rules.map(visible).join(", ")];
  return Object.hasOwn(ADDS, scope)
    ? ADDS[scope](count, words)
    : plural(count, "Adds the rule {1} ({2}).", "Adds the rules {1} ({2}).", words, scope);
}
