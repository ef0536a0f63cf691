/** Where a setting of this extension is changed. Pure. */

/** The values of a setting, by where they are set. */
export interface Inspected {
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** Settings of the machine that the extension runs on: in a remote window they are in a tab of their own. */
const OF_THE_MACHINE = ["pintle.path", "pintle.arguments", "pintle.shared"];

/** Returns the command of VS Code that opens the settings where this one holds. */
export function settingsCommand(
  setting: string,
  isRemote: boolean,
  inspected: Inspected | undefined,
): string {
  const isOfWorkspace =
    inspected?.workspaceFolderValue !== undefined || inspected?.workspaceValue !== undefined;
  if (isOfWorkspace) return "workbench.action.openWorkspaceSettings";
  return isRemote && OF_THE_MACHINE.includes(setting)
    ? "workbench.action.openRemoteSettings"
    : "workbench.action.openSettings";
}
