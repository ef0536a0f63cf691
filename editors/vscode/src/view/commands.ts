/** The commands of the manifest. */
import * as vscode from "vscode";
import type { Keys } from "../keys.ts";
import { goesOnText } from "../receipts.ts";
import { stopJob } from "../turns.ts";
import type { Attention } from "./attention.ts";
import type { SessionsTree } from "./sessionsTree.ts";
import { editorCommands, say } from "./editorActions.ts";
import type { HelpPages } from "./helpPages.ts";
import type { HasLog } from "./owner.ts";
import type { ReviewOwner } from "./reviewCommands.ts";
import type { RewindOwner } from "./rewindCommands.ts";
import { compareUnsaved } from "./diffs.ts";
import { reviewCommands } from "./reviewCommands.ts";
import { rewindCommands } from "./rewindCommands.ts";
import type { Notes } from "./notes.ts";
import { modeCommands } from "./modes.ts";
import { setupCommands } from "./setup.ts";
import { sessionCommands } from "./sessionCommands.ts";
import { serverCommands } from "./serverCommands.ts";
import { trustCommands } from "./trustCommands.ts";
import { t } from "../words.ts";

/** The owner of all that commands act on. */
export type CommandOwner = ReviewOwner &
  RewindOwner &
  HasLog & {
    readonly sessions: SessionsTree;
    readonly help: HelpPages;
    readonly attention: Attention;
    readonly notes: Notes;
    readonly keys: Keys;
  };

export function registerCommands(owner: CommandOwner): vscode.Disposable {
  const table: Record<string, (...args: never[]) => unknown> = {
    ...reviewCommands(owner),
    ...rewindCommands(owner),
    ...setupCommands(owner),
    ...modeCommands(owner),
    ...sessionCommands(owner),
    ...serverCommands(owner),
    ...trustCommands(owner),
    ...editorCommands(owner),
    ...owner.notes.commands(),
    "pintle.open": () => owner.view.focus(),
    "pintle.answer": () => owner.attention.answer(),
    "pintle.goToQuestion": () => owner.attention.goTo(),
    "pintle.ask": () => ask(owner),
    "pintle.refreshSessions": () => owner.sessions.refresh(),
    "pintle.stop": () => stopTurn(owner),
    "pintle.compareUnsaved": (path: string) => compareUnsaved(owner, path),
    "pintle.restartEngine": () => owner.chat?.engine.restart(),
    "pintle.showLog": () => owner.log.show(),
    "pintle.help": () => help(owner),
    "pintle.openSettings": (setting?: unknown) =>
      vscode.commands.executeCommand(
        "workbench.action.openSettings",
        typeof setting === "string" && setting !== "" ? setting : "@ext:pintle.pintle",
      ),
    "pintle.walkthrough": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "pintle.pintle#start", false),
  };
  return vscode.Disposable.from(
    ...Object.entries(table).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** Shows a guide. The setting that names the engine is read, and the engine run, only in a folder that is trusted. */
async function help(owner: CommandOwner): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage(t("Trust this folder to read the engine's guides."));
    return;
  }
  await owner.help.open();
}

async function ask(owner: CommandOwner): Promise<void> {
  if (owner.view.saysHidden()) return;
  const text = await vscode.window.showInputBox({
    title: t("Pintle"),
    prompt: t("What is to be done?"),
  });
  if (text === undefined || text.trim() === "") return;
  await owner.view.focus();
  await say(owner, text);
}

/** Stops the turn; what goes on after it is said, and can be stopped too. */
async function stopTurn({ chat }: CommandOwner): Promise<void> {
  const session = chat?.session;
  await chat?.stop();
  const jobs = session?.jobs ?? [];
  const words = goesOnText(jobs.length);
  if (words === "") return;
  const choice = await vscode.window.showInformationMessage(words, t("Stop It Too"));
  if (choice === undefined) return;
  await Promise.all(jobs.map((jobId) => stopJob(chat, jobId).catch(() => undefined)));
}
