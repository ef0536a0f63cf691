/** The files of the project from which the engine takes orders: a person looks at what is new or has changed, and agrees to it. */
import * as path from "node:path";
import type { Notice, ProjectFile } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { ReviewOwner } from "../../review/view/reviewCommands.ts";
import { wantsAnswer } from "../../transcript/reducer.ts";
import { sentence, t } from "../../words.ts";

export function trustCommands(owner: ReviewOwner): Record<string, () => unknown> {
  return { "pintle.reviewProjectFiles": () => review(owner) };
}

/** Tells a person what the engine has told, with the command that leads on. */
export async function tell(notice: Notice): Promise<void> {
  const leads = wantsAnswer(notice) ? [t("Review the Files…")] : [];
  const choice = await vscode.window.showWarningMessage(sentence(notice.message), ...leads);
  if (choice !== undefined) await vscode.commands.executeCommand("pintle.reviewProjectFiles");
}

/** What has become of a file, in words; what a newer engine says is shown as it is. */
const STANDINGS: Record<string, () => string> = {
  new: () => t("new"),
  changed: () => t("changed"),
  missing: () => t("missing: choose it to continue without its rules"),
};

type Choice = vscode.QuickPickItem & { file: ProjectFile };

async function review(owner: ReviewOwner): Promise<void> {
  const session = owner.chat?.session;
  if (session === undefined) {
    void vscode.window.showInformationMessage(t("There is no session yet: send a prompt first."));
    return;
  }
  try {
    const found = await session.projectFiles();
    if (found === undefined) return;
    const files = found.files.filter((file) => file.standing !== "agreed");
    if (files.length === 0) {
      void vscode.window.showInformationMessage(t("No files of this project need your review."));
      return;
    }
    const chosen = await choose(files, found.root);
    if (chosen === undefined || chosen.length === 0) return;
    await session.projectFiles(chosen.map(({ path, sha256 }) => ({ path, sha256 })));
    void vscode.window.showInformationMessage(t("The files take effect with the next turn."));
  } catch (error) {
    void vscode.window.showErrorMessage(t("Could not use the files: {0}", lineOf(problemOf(error))));
  }
}

/** Has a person look at files and choose. None is chosen beforehand: what is in them gives the agent orders and rights. */
async function choose(files: ProjectFile[], root: string): Promise<ProjectFile[] | undefined> {
  const open = { iconPath: new vscode.ThemeIcon("go-to-file"), tooltip: t("Open") };
  const pick = vscode.window.createQuickPick<Choice>();
  pick.title = t("Project Files to Review");
  pick.placeholder = t(
    "Look at each file, then choose those to use: they tell the agent what to do, and what it may do",
  );
  pick.canSelectMany = true;
  // A person goes to the files and comes back.
  pick.ignoreFocusOut = true;
  pick.items = files.map((file) => ({
    label: file.path,
    description: STANDINGS[file.standing]?.() ?? file.standing,
    buttons: file.standing === "missing" ? [] : [open],
    file,
  }));
  pick.onDidTriggerItemButton(({ item }) => {
    void vscode.window.showTextDocument(vscode.Uri.file(path.join(root, item.file.path)), {
      preserveFocus: true,
    });
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems.map((item) => item.file));
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}
