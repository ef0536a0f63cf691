/** Pickers of effort and mode: of the session that is shown, else of new sessions. */
import type { PermissionMode } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { t } from "../../words.ts";
import { withoutEffort } from "../choices.ts";

type Owner = HasChat & HasFolder;
type Row = vscode.QuickPickItem & { option?: string; value?: string };

/** The permission modes, and their texts. */
function modes(): { value: PermissionMode; label: string; detail: string }[] {
  return [
    {
      value: "readOnly",
      label: t("Read Only"),
      detail: t("Changes and commands are denied."),
    },
    { value: "ask", label: t("Ask"), detail: t("Changes and commands ask first.") },
    {
      value: "autoEdit",
      label: t("Edit Freely"),
      detail: t("Edits in the workspace and commands in the sandbox run freely; everything else asks first."),
    },
    { value: "full", label: t("Full"), detail: t("Nothing asks.") },
  ];
}

function work(): { value: string; label: string; detail: string }[] {
  return [
    { value: "act", label: t("Act"), detail: t("The agent carries out your tasks.") },
    {
      value: "plan",
      label: t("Plan First"),
      detail: t("The agent reads, and presents a plan before it changes anything."),
    },
  ];
}

export function modeCommands(owner: Owner): Record<string, (...args: never[]) => unknown> {
  return {
    "pintle.chooseEffort": () => guard(() => chooseEffort(owner)),
    "pintle.chooseMode": () => guard(() => chooseMode(owner)),
  };
}

async function chooseEffort(owner: Owner): Promise<void> {
  const session = owner.chat?.openId() === undefined ? undefined : owner.chat?.session;
  if (session === undefined) {
    const info = t(
      "Effort depends on the model: choose it in an open session, or set the model to provider/id:effort.",
    );
    void vscode.window.showInformationMessage(info);
    return;
  }
  const options = await session.settings();
  const effort = options.find(({ id }) => id === "effort");
  const rows = (effort?.choices ?? []).map((value) => ({
    label: mark(value === effort?.value, value),
    value,
  }));
  const title = t("Effort of {0}", withoutEffort(session.state.model));
  const picked = await vscode.window.showQuickPick(rows, { title, placeHolder: t("Effort") });
  if (picked !== undefined) await session.configure({ effort: picked.value });
}

async function chooseMode(owner: Owner): Promise<void> {
  const session = owner.chat?.openId() === undefined ? undefined : owner.chat?.session;
  const configuration = vscode.workspace.getConfiguration("pintle", owner.folder ?? null);
  const options = (await session?.settings()) ?? [];
  const valueOf = (wanted: string): string | undefined => options.find(({ id }) => id === wanted)?.value;
  const now = session === undefined ? configuration.get("permissionMode") : valueOf("permissionMode");
  const rows: Row[] = [
    { label: t("Permissions"), kind: vscode.QuickPickItemKind.Separator },
    ...modes().map(({ value, label, detail }) => ({
      label: mark(value === now, label),
      detail,
      option: "permissionMode",
      value,
    })),
  ];
  const { chat } = owner;
  if (chat !== undefined) {
    const mode = session === undefined ? chat.nextMode : valueOf("mode");
    rows.push({ label: t("Work Mode"), kind: vscode.QuickPickItemKind.Separator });
    for (const { value, label, detail } of work()) {
      rows.push({ label: mark(mode === value, label), detail, option: "mode", value });
    }
  }
  const title = session === undefined ? t("Mode of New Sessions") : t("Mode of This Session");
  const picked = await vscode.window.showQuickPick(rows, { title, placeHolder: t("Mode") });
  if (picked?.option === undefined || picked.value === undefined) return;
  if (session !== undefined) await session.configure({ [picked.option]: picked.value });
  else if (picked.option === "mode") {
    if (chat !== undefined) chat.nextMode = picked.value === "plan" ? "plan" : "act";
  } else await configuration.update("permissionMode", picked.value, vscode.ConfigurationTarget.Global);
}

function mark(isNow: boolean, label: string): string {
  return isNow ? `$(check) ${label}` : label;
}

async function guard(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    void vscode.window.showErrorMessage(t("Could not change: {0}", lineOf(problemOf(error))));
  }
}
