/** The commands of the manifest. */
import * as vscode from "vscode";
import { stopJob } from "./chat/turns.ts";
import type { Attention } from "./chat/view/attention.ts";
import type { Chats } from "./chat/view/chats.ts";
import { commitCommands } from "./chat/view/commitMessage.ts";
import { lineEditCommands } from "./chat/view/lineEditCommands.ts";
import { editorCommands, say } from "./documents/view/editorActions.ts";
import type { HelpPages } from "./help/view/helpPages.ts";
import type { HasContext, HasLog } from "./owner.ts";
import { compareUnsaved } from "./review/view/diffs.ts";
import type { Notes } from "./review/view/notes.ts";
import type { ReviewOwner } from "./review/view/reviewCommands.ts";
import { reviewCommands } from "./review/view/reviewCommands.ts";
import { serverCommands } from "./servers/view/serverCommands.ts";
import { goesOnText } from "./sessions/list.ts";
import type { RewindOwner } from "./sessions/view/rewindCommands.ts";
import { rewindCommands } from "./sessions/view/rewindCommands.ts";
import { isolationCommands } from "./sessions/view/isolationCommands.ts";
import { sessionCommands } from "./sessions/view/sessionCommands.ts";
import type { SessionsTree } from "./sessions/view/sessionsTree.ts";
import type { Keys } from "./settings/keys.ts";
import { Logins } from "./settings/view/logins.ts";
import { engineCommands } from "./settings/view/engineSetup.ts";
import { modeCommands } from "./settings/view/modes.ts";
import { ruleCommands } from "./settings/view/ruleCommands.ts";
import { setupCommands } from "./settings/view/setup.ts";
import { trustCommands } from "./settings/view/trustCommands.ts";
import { t } from "./words.ts";

/** The owner of all that commands act on. */
export type CommandOwner = ReviewOwner &
  RewindOwner &
  HasLog &
  HasContext & {
    readonly chats: Chats;
    readonly sessions: SessionsTree;
    readonly help: HelpPages;
    readonly attention: Attention;
    readonly notes: Notes;
    readonly keys: Keys;
  };

export function registerCommands(owner: CommandOwner): vscode.Disposable {
  const logins = new Logins();
  const table: Record<string, (...args: never[]) => unknown> = {
    ...reviewCommands(owner),
    ...rewindCommands(owner),
    ...setupCommands(owner, logins),
    ...modeCommands(owner),
    ...engineCommands(owner),
    ...sessionCommands(owner),
    ...isolationCommands(owner),
    ...serverCommands(owner, logins),
    ...trustCommands(owner),
    ...ruleCommands(owner),
    ...editorCommands(owner),
    ...commitCommands(owner),
    ...lineEditCommands(owner),
    ...owner.notes.commands(),
    "pintle.cancelLogin": () => logins.cancel(),
    "pintle.open": () => owner.view.focus(),
    ...owner.attention.commands(),
    ...viewCommands(owner),
    "pintle.ask": () => ask(owner),
    "pintle.refreshSessions": () => owner.sessions.refresh(),
    "pintle.stop": () => stopTurn(owner),
    "pintle.compareUnsaved": (path: string) => compareUnsaved(owner, path),
    "pintle.restartEngine": () => owner.chat?.engine.restart(),
    "pintle.showLog": () => owner.log.show(),
    "pintle.help": () => help(owner),
    "pintle.walkthrough": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "pintle.pintle#start", false),
  };
  return vscode.Disposable.from(
    ...Object.entries(table).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** The commands in the title of the view. VS Code reports no focus of that title, so these name the chat that they are for. */
function viewCommands({ chats }: CommandOwner): Record<string, () => unknown> {
  const run = (name: string) => (): unknown => {
    chats.used(chats.home);
    return vscode.commands.executeCommand(`pintle.${name}`);
  };
  return {
    "pintle.view.newSession": run("newSession"),
    "pintle.view.openSession": run("openSession"),
    "pintle.view.openInEditor": run("openInEditor"),
    "pintle.view.rewind": run("rewind"),
    "pintle.view.redo": run("redo"),
    "pintle.view.fork": run("fork"),
    "pintle.view.checkpoints": run("checkpoints"),
    "pintle.view.stopSession": run("stopSession"),
    "pintle.view.renameSession": run("renameSession"),
    "pintle.view.exportSession": run("exportSession"),
    "pintle.view.sendNotes": run("sendNotes"),
  };
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
    prompt: t("What should be done?"),
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
  await Promise.all(jobs.map((jobId) => stopJob(chat, session, jobId).catch(() => undefined)));
}
