/** What an answer to a question of permission leaves behind, in words. Pure. */
import type { ApprovalOption, Scope } from "./protocol.ts";
import { visible } from "./visible.ts";

/** How long an answer holds, and so where its rules stand. */
const SCOPES: Record<Scope, string> = {
  once: "",
  turn: "until the turn ends",
  session: "until the session is closed",
  project: "in the rules of this project",
  user: "in your own rules, everywhere",
};

/** The rules that an answer adds, and for how long. */
export function consequence({ decision, scope, rules = [] }: ApprovalOption): string {
  if (decision === "abort") return "The turn ends.";
  if (rules.length === 0) return "";
  const words = rules.length === 1 ? "Adds the rule" : "Adds the rules";
  return `${words} ${rules.map(visible).join(", ")} ${SCOPES[scope]}.`.replace(/ +\./, ".");
}
