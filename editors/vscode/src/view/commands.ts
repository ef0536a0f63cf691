/** The commands of the manifest. */
import * as vscode from "vscode";
import { attach } from "../input.ts";
import type { Keys } from "../keys.ts";
import { problemOf } from "../problem.ts";
import { listSessions } from "../sessionList.ts";
import type { Attention } from "./attention.ts";
import type { SessionsTree } from "./sessionsTree.ts";
import type { HelpPages } from "./helpPages.ts";
import type { HasLog } from "./owner.ts";
import type { ReviewOwner } from "./reviewCommands.ts";
import type { RewindOwner } from "./rewindCommands.ts";
import { compareUnsaved } from "./diffs.ts";
import { reviewCommands } from "./reviewCommands.ts";
import { rewindCommands } from "./rewindCommands.ts";
import { modeCommands } from "./modes.ts";
import { setupCommands } from "./setup.ts";
import { shown } from "./shown.ts";
import { showServers } from "./serverCommands.ts";
import { describeTime } from "./sessionsTree.ts";

/** The owner of all that commands act on. */
export type CommandOwner = ReviewOwner &
  RewindOwner &
  HasLog & {
    readonly sessions: SessionsTree;
    readonly help: HelpPages;
    readonly attention: Attention;
    readonly keys: Keys;
  };

export function registerCommands(owner: CommandOwner): vscode.Disposable {
  const table: Record<string, (...args: never[]) => unknown> = {
    ...reviewCommands(owner),
    ...rewindCommands(owner),
    ...setupCommands(owner),
    ...modeCommands(owner),
    "pintle.open": () => owner.view.focus(),
    "pintle.answer": () => owner.attention.answer(),
    "pintle.goToQuestion": () => owner.view.focusQuestion(),
    "pintle.ask": () => ask(owner),
    "pintle.askAbout": () => askAbout(owner),
    "pintle.newSession": () => newSession(owner),
    "pintle.openSession": (id: unknown) => openSession(owner, id),
    "pintle.renameSession": () => renameSession(owner),
    "pintle.mcpServers": () => showServers(owner),
    "pintle.refreshSessions": () => owner.sessions.refresh(),
    "pintle.stop": () => owner.chat?.stop(),
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
    void vscode.window.showInformationMessage("Trust this folder to read the engine's guides.");
    return;
  }
  await owner.help.open();
}

async function ask(owner: CommandOwner): Promise<void> {
  const text = await vscode.window.showInputBox({ title: "Pintle", prompt: "What is to be done?" });
  if (text === undefined || text.trim() === "") return;
  await owner.view.focus();
  const isIdle = (owner.chat?.state?.activity ?? "idle") === "idle";
  await (isIdle ? owner.chat?.send(text) : owner.chat?.queue(text));
}

/** Asks about what is selected, or about the whole file. */
async function askAbout(owner: CommandOwner): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void vscode.window.showInformationMessage("Open a file to ask about it.");
    return;
  }
  const attached = attach(shown(editor));
  const title = `Pintle: about ${vscode.workspace.asRelativePath(editor.document.uri)}`;
  const text = await vscode.window.showInputBox({ title, prompt: "What is to be done?" });
  if (text === undefined || text.trim() === "") return;
  await owner.view.focus();
  const isIdle = (owner.chat?.state?.activity ?? "idle") === "idle";
  await (isIdle ? owner.chat?.send(text, attached) : owner.chat?.queue(text, attached));
}

async function newSession(owner: CommandOwner): Promise<void> {
  if (!(await mayLeave(owner))) return;
  await owner.chat?.newSession();
  await owner.view.focus();
}

async function openSession(owner: CommandOwner, id: unknown): Promise<void> {
  const chat = owner.chat;
  if (chat === undefined) return;
  const wanted = typeof id === "string" ? id : await pickSession(owner);
  if (wanted === undefined) return;
  if (wanted !== chat.session?.id && !(await mayLeave(owner))) return;
  await owner.view.focus();
  await chat.openSession(wanted);
}

/** Gives the session that is shown another title; an empty one takes it away. */
async function renameSession(owner: CommandOwner): Promise<void> {
  const session = owner.chat?.session;
  if (session === undefined) {
    void vscode.window.showInformationMessage("There is no session to rename yet: send a prompt first.");
    return;
  }
  const title = await vscode.window.showInputBox({
    title: "Rename Session",
    prompt: "Its title. Empty: the beginning of its first prompt.",
    value: session.state.title ?? "",
  });
  if (title === undefined) return;
  try {
    await session.rename(title);
  } catch (error) {
    const { text, hint } = problemOf(error);
    void vscode.window.showErrorMessage(`Not renamed: ${text} ${hint}`.trim());
  }
}

async function pickSession(owner: CommandOwner): Promise<string | undefined> {
  const sessions = owner.chat === undefined ? [] : await listSessions(owner.chat, owner.folderPath);
  const picked = await vscode.window.showQuickPick(
    sessions.map((session) => ({
      label: session.title ?? "Empty session",
      description: describeTime(session.updatedMs),
      id: session.sessionId,
    })),
    {
      title: "Open Session",
      placeHolder: sessions.length === 0 ? "No session in this folder yet" : "Session",
    },
  );
  return picked?.id;
}

/** Another session is shown only after the turn of this one is over, or a person said to stop it. In a shared engine it goes on. */
async function mayLeave(owner: CommandOwner): Promise<boolean> {
  const chat = owner.chat;
  if (chat?.state === undefined || chat.state.activity === "idle" || chat.engine.isShared) return true;
  const stop = "Stop the Turn and Leave";
  const choice = await vscode.window.showWarningMessage("A turn is running in this session.", stop);
  if (choice !== stop) return false;
  await chat.stop();
  return true;
}
