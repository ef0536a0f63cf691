/** The setting that hides the chat view, for people who talk to the engine elsewhere. Commands that lead to the view say so instead. */
import * as vscode from "vscode";
import { t } from "../../words.ts";

const SHOWN_KEY = "pintle.wasShown";

export function isChatHidden(): boolean {
  return !vscode.workspace.getConfiguration("pintle").get<boolean>("showChat", true);
}

/** Says which setting hides the chat, with a way to the setting and one to the chat. */
export async function sayHidden(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("pintle");
  const { workspaceValue, workspaceFolderValue } = configuration.inspect<boolean>("showChat") ?? {};
  const isOfWorkspace = (workspaceFolderValue ?? workspaceValue) === false;
  const [show, open] = [t("Show the Chat"), t("Open the Setting")];
  const words = isOfWorkspace
    ? t("The chat view is hidden by the setting pintle.showChat of this workspace.")
    : t("The chat view is hidden by your setting pintle.showChat.");
  const choice = await vscode.window.showInformationMessage(words, show, open);
  if (choice === open) {
    const command = isOfWorkspace
      ? "workbench.action.openWorkspaceSettings"
      : "workbench.action.openSettings";
    await vscode.commands.executeCommand(command, { query: "pintle.showChat" });
  }
  if (choice !== show) return;
  const { Workspace, Global } = vscode.ConfigurationTarget;
  await configuration.update("showChat", true, isOfWorkspace ? Workspace : Global);
  await vscode.commands.executeCommand("pintle.open");
}

/** After the extension is installed its view is shown once: VS Code may leave the new side bar empty until then. */
export function showOnce({ globalState }: vscode.ExtensionContext): void {
  if (isChatHidden() || globalState.get<boolean>(SHOWN_KEY) === true) return;
  void globalState.update(SHOWN_KEY, true);
  void vscode.commands.executeCommand("pintle.chat.focus", { preserveFocus: true });
}
