/** A list of the session's permission rules, from which those added by answers can be removed. */
import type { PermissionListResult, PermissionRule } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { ReviewOwner } from "../../review/view/reviewCommands.ts";
import type { Session } from "../../sessions/session.ts";
import { sentence, t } from "../../words.ts";
import { describeRule } from "../rules.ts";

export function ruleCommands(owner: ReviewOwner): Record<string, () => unknown> {
  return { "pintle.permissionRules": () => showRules(owner) };
}

type Choice = vscode.QuickPickItem & { rule: PermissionRule };

async function showRules(owner: ReviewOwner): Promise<void> {
  const session = owner.chat?.session;
  if (session === undefined) {
    void vscode.window.showInformationMessage(t("There is no session yet: send a prompt first."));
    return;
  }
  try {
    const listed = await session.permissionRules();
    if (listed === undefined) return;
    for (const problem of listed.problems ?? []) void vscode.window.showWarningMessage(sentence(problem));
    if (listed.rules.length === 0) {
      const words = t("There are no permission rules. See Pintle: Help…, permissions, to add some.");
      void vscode.window.showInformationMessage(words);
      return;
    }
    show(session, listed);
  } catch (error) {
    void vscode.window.showErrorMessage(
      t("Could not list the permission rules: {0}", lineOf(problemOf(error))),
    );
  }
}

/** Shows the rules until the list is closed; a removed one disappears from it. */
function show(session: Session, listed: PermissionListResult): void {
  const remove = { iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Remove this rule") };
  const pick = vscode.window.createQuickPick<Choice>();
  const choices = ({ rules }: PermissionListResult): Choice[] =>
    rules.map((rule) => ({
      ...describeRule(rule),
      buttons: rule.ruleId === undefined ? [] : [remove],
      rule,
    }));
  pick.title = t("Permission Rules");
  pick.placeholder = t("Rules added by your answers can be removed");
  pick.matchOnDescription = true;
  pick.items = choices(listed);
  const removeRule = async ({ ruleId }: PermissionRule): Promise<void> => {
    if (ruleId === undefined) return;
    pick.busy = true;
    try {
      const left = await session.permissionRules(ruleId);
      if (left !== undefined) pick.items = choices(left);
    } catch (error) {
      void vscode.window.showErrorMessage(t("Could not remove the rule: {0}", lineOf(problemOf(error))));
    }
    pick.busy = false;
  };
  pick.onDidTriggerItemButton(({ item }) => void removeRule(item.rule));
  pick.onDidAccept(() => pick.hide());
  pick.onDidHide(() => pick.dispose());
  pick.show();
}
