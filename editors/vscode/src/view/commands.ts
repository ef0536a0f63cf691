/** The commands of the manifest. */
import * as vscode from "vscode";
import { attach, type Shown } from "../input.ts";
import { problemOf } from "../problem.ts";
import type { Extension } from "../root.ts";
import { compareUnsaved } from "./diffs.ts";
import { reviewCommands } from "./reviewCommands.ts";
import { rewindCommands } from "./rewindCommands.ts";
import { describeTime } from "./sessionsTree.ts";

export function registerCommands(extension: Extension): vscode.Disposable {
  const table: Record<string, (...args: never[]) => unknown> = {
    ...reviewCommands(extension),
    ...rewindCommands(extension),
    "pintle.open": () => extension.view.focus(),
    "pintle.ask": () => ask(extension),
    "pintle.askAbout": () => askAbout(extension),
    "pintle.newSession": () => newSession(extension),
    "pintle.openSession": (id: unknown) => openSession(extension, id),
    "pintle.renameSession": () => renameSession(extension),
    "pintle.refreshSessions": () => extension.sessions.refresh(),
    "pintle.stop": () => extension.chat?.stop(),
    "pintle.compareUnsaved": (path: string) => compareUnsaved(extension, path),
    "pintle.restartEngine": () => extension.chat?.engine.restart(),
    "pintle.showLog": () => extension.log.show(),
    "pintle.help": () => help(extension),
    "pintle.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:pintle.pintle"),
  };
  return vscode.Disposable.from(
    ...Object.entries(table).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** Shows a guide. The setting that names the engine is read, and the engine run, only in a folder that is trusted. */
async function help(extension: Extension): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showInformationMessage("Trust this folder to read the engine's guides.");
    return;
  }
  await extension.help.open();
}

async function ask(extension: Extension): Promise<void> {
  const text = await vscode.window.showInputBox({ title: "Pintle", prompt: "What is to be done?" });
  if (text === undefined || text.trim() === "") return;
  await extension.view.focus();
  const isIdle = (extension.chat?.state?.activity ?? "idle") === "idle";
  await (isIdle ? extension.chat?.send(text) : extension.chat?.queue(text));
}

/** Asks about what is selected, or about the whole file. */
async function askAbout(extension: Extension): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void vscode.window.showInformationMessage("Open a file to ask about it.");
    return;
  }
  const attached = attach(shown(editor));
  const title = `Pintle: about ${vscode.workspace.asRelativePath(editor.document.uri)}`;
  const text = await vscode.window.showInputBox({ title, prompt: "What is to be done?" });
  if (text === undefined || text.trim() === "") return;
  await extension.view.focus();
  const isIdle = (extension.chat?.state?.activity ?? "idle") === "idle";
  await (isIdle ? extension.chat?.send(text, attached) : extension.chat?.queue(text, attached));
}

function shown(editor: vscode.TextEditor): Shown {
  const { document, selection } = editor;
  const severities = ["error", "warning", "information", "hint"] as const;
  const diagnostics = vscode.languages.getDiagnostics(document.uri).map((each) => ({
    line: each.range.start.line + 1,
    severity: severities[each.severity] ?? "information",
    message: each.message,
    ...(each.source === undefined ? {} : { source: each.source }),
  }));
  return {
    path: document.uri.scheme === "file" ? document.uri.fsPath : document.uri.toString(true),
    text: document.getText(),
    isDirty: document.isDirty || document.uri.scheme !== "file",
    selected: {
      startLine: selection.start.line,
      endLine: selection.end.line,
      endColumn: selection.end.character,
      text: document.getText(selection),
    },
    diagnostics,
  };
}

async function newSession(extension: Extension): Promise<void> {
  if (!(await mayLeave(extension))) return;
  await extension.chat?.newSession();
  await extension.view.focus();
}

async function openSession(extension: Extension, id: unknown): Promise<void> {
  const chat = extension.chat;
  if (chat === undefined) return;
  const wanted = typeof id === "string" ? id : await pickSession(extension);
  if (wanted === undefined) return;
  if (wanted !== chat.session?.id && !(await mayLeave(extension))) return;
  await extension.view.focus();
  await chat.openSession(wanted);
}

/** Gives the session that is shown another title; an empty one takes it away. */
async function renameSession(extension: Extension): Promise<void> {
  const session = extension.chat?.session;
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

async function pickSession(extension: Extension): Promise<string | undefined> {
  const sessions = (await extension.chat?.list()) ?? [];
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

/** Another session is shown only after the turn of this one is over, or a person said to stop it. */
async function mayLeave(extension: Extension): Promise<boolean> {
  const chat = extension.chat;
  if (chat?.state === undefined || chat.state.activity === "idle") return true;
  const stop = "Stop the Turn and Leave";
  const choice = await vscode.window.showWarningMessage("A turn is running in this session.", stop);
  if (choice !== stop) return false;
  await chat.stop();
  return true;
}
