/** A failure in a notification, with the command that helps. */
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import { t } from "../../words.ts";

/** Shows what went wrong; `say` puts the reason into words. */
export async function showFailure(error: unknown, say: (reason: string) => string): Promise<void> {
  const problem = problemOf(error);
  const leads = {
    model: [t("Choose Model…"), "pintle.chooseModel"],
    key: [t("Set Up Provider…"), "pintle.setUpProvider"],
  };
  const [verb, command] = problem.need === undefined ? [] : leads[problem.need.kind];
  const text = say(lineOf(problem));
  const choice = await vscode.window.showErrorMessage(text, ...(verb === undefined ? [] : [verb]));
  if (choice !== undefined && command !== undefined) await vscode.commands.executeCommand(command);
}
