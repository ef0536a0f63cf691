/** Ways to an engine: installed by its one-line command, or found on this machine; and the settings that name it. */
import * as vscode from "vscode";
import { installOn } from "../../connection/install.ts";
import type { HasChat, HasContext, HasFolder } from "../../owner.ts";
import { t } from "../../words.ts";
import { settingsCommand } from "../place.ts";

type Owner = HasChat & HasFolder & HasContext;

export function engineCommands(owner: Owner): Record<string, (...args: never[]) => unknown> {
  return {
    "pintle.installEngine": () => installEngine(owner),
    "pintle.locateEngine": () => locateEngine(owner),
    "pintle.openSettings": (setting?: unknown) =>
      openSettings(owner, typeof setting === "string" ? setting : ""),
  };
}

async function installEngine(owner: Owner): Promise<void> {
  const { homepage } = owner.context.extension.packageJSON as { homepage: string };
  const { command, shell, guide } = installOn(process.platform, homepage);
  const rows = [
    {
      label: `$(terminal) ${t("Run in a Terminal")}`,
      detail: command,
      run: () => Promise.resolve(runInTerminal(owner, command, shell)),
    },
    {
      label: `$(copy) ${t("Copy the Command")}`,
      detail: command,
      run: () => vscode.env.clipboard.writeText(command),
    },
    {
      label: `$(link-external) ${t("Open the Installation Guide")}`,
      detail: guide,
      run: () => vscode.env.openExternal(vscode.Uri.parse(guide, true)),
    },
    {
      label: `$(folder-opened) ${t("Locate the Program…")}`,
      detail: t("It is stored in the setting pintle.path."),
      run: () => locateEngine(owner),
    },
  ];
  const title = t("Install the Pintle Engine");
  const picked = await vscode.window.showQuickPick(rows, { title, ignoreFocusOut: true });
  await picked?.run();
}

/** Runs the command where the person sees it. Once it is over, the engine is looked for again. */
function runInTerminal(owner: Owner, command: string, shell: string | undefined): void {
  const name = t("Install Pintle");
  const terminal = vscode.window.createTerminal(shell === undefined ? { name } : { name, shellPath: shell });
  const isOver = (ended: vscode.Terminal): void => {
    if (ended === terminal && owner.chat?.engine.status.kind === "failed") void owner.chat.engine.restart();
  };
  const ends = vscode.window.onDidEndTerminalShellExecution((event) => isOver(event.terminal));
  const closes = vscode.window.onDidCloseTerminal((closed) => {
    isOver(closed);
    if (closed === terminal) vscode.Disposable.from(ends, closes).dispose();
  });
  owner.context.subscriptions.push(ends, closes);
  terminal.show();
  terminal.sendText(command);
}

async function locateEngine(owner: Owner): Promise<void> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: t("The program pintle"),
      openLabel: t("Use This Program"),
      canSelectMany: false,
    })) ?? [];
  if (file === undefined) return;
  const configuration = vscode.workspace.getConfiguration("pintle", owner.folder ?? null);
  const inspected = configuration.inspect("path");
  const target =
    inspected?.workspaceFolderValue !== undefined
      ? vscode.ConfigurationTarget.WorkspaceFolder
      : inspected?.workspaceValue !== undefined
        ? vscode.ConfigurationTarget.Workspace
        : vscode.ConfigurationTarget.Global;
  await configuration.update("path", file.fsPath, target);
}

/** The settings of this extension, or one of them where it holds. */
async function openSettings(owner: Owner, setting: string): Promise<void> {
  const inspected =
    setting === "" ? undefined : vscode.workspace.getConfiguration("", owner.folder ?? null).inspect(setting);
  const command = settingsCommand(setting, vscode.env.remoteName !== undefined, inspected);
  const query = setting === "" ? "@ext:pintle.pintle" : setting;
  await vscode.commands.executeCommand(command, { query });
}
