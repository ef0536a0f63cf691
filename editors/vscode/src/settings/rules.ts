/** A session's permission rules, in words. Pure. */
import type { PermissionRule } from "pintle-client";
import { t } from "../words.ts";

/** How long an answer holds; what a newer engine says is shown as it is. */
const SCOPES: Record<string, () => string> = {
  turn: () => t("for this turn"),
  session: () => t("for this session"),
  project: () => t("always in this project"),
  user: () => t("always"),
};

/** Where a rule is defined. */
const SOURCES: Record<string, () => string> = {
  config: () => t("in config.toml"),
  policy: () => t("in the policy of this engine"),
  project: () => t("in .pintle/permissions.toml"),
};

/** A rule in a list. */
export function describeRule(rule: PermissionRule): { label: string; description: string } {
  const place = rule.scope === undefined ? SOURCES[rule.source] : SCOPES[rule.scope];
  return { label: rule.text, description: place?.() ?? rule.scope ?? rule.source };
}
