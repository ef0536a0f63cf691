/** What can be done with stored and open sessions: opened, named, searched, exported, put away, deleted, stopped. */
import type { ExportFormat, SessionId, SessionSummary } from "pintle-client";
import * as vscode from "vscode";
import type { ChatPage } from "../../chat/view/chatPage.ts";
import type { Chats } from "../../chat/view/chats.ts";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { t } from "../../words.ts";
import { forkWord, listSessions, snippetText, stopReceipt } from "../list.ts";
import type { Session } from "../session.ts";
import type { SessionsTree } from "./sessionsTree.ts";
import { describeTime } from "./sessionsTree.ts";

export type SessionOwner = HasChat &
  HasFolder & {
    readonly view: ChatPage;
    readonly sessions: SessionsTree;
    readonly chats: Chats;
  };

/** So long after the last key the search is asked. */
const SEARCH_MS = 150;
const MOST_HITS = 50;

function formats(): { label: string; description: string; format: ExportFormat; end: string }[] {
  return [
    { label: "HTML", description: t("a single page"), format: "html", end: "html" },
    { label: "Markdown", description: t("messages and calls as text"), format: "md", end: "md" },
    { label: "JSON Lines", description: t("the events, one per line"), format: "json", end: "jsonl" },
  ];
}

/** Says that something did not work, and why. */
type Failed = (why: string) => string;

export function sessionCommands(owner: SessionOwner): Record<string, (named?: unknown) => unknown> {
  const on =
    (failed: Failed, work: (id: SessionId, title: string) => Promise<void>) =>
    async (named?: unknown): Promise<void> => {
      const session = await meant(owner, named, failed);
      if (session === undefined) return;
      await guard(failed, () => work(session.id, session.title));
      owner.sessions.refresh();
    };
  return {
    "pintle.newSession": () => newSession(owner),
    "pintle.openSession": (id) => openSession(owner, id),
    "pintle.openInEditor": (named) => openInEditor(owner, named),
    "pintle.newInEditor": () => owner.chats.panels.open(undefined),
    "pintle.searchSessions": () => searchSessions(owner),
    "pintle.renameSession": on(
      (why) => t("Could not rename: {0}", why),
      (id, title) => rename(owner, id, title),
    ),
    "pintle.exportSession": on(
      (why) => t("Could not export: {0}", why),
      (id, title) => exportSession(owner, id, title),
    ),
    "pintle.archiveSession": on(
      (why) => t("Could not archive: {0}", why),
      async (id) => {
        await owner.chat?.request("session/archive", { sessionId: id });
      },
    ),
    "pintle.deleteSession": on(
      (why) => t("Could not delete: {0}", why),
      (id, title) => deleteSession(owner, id, title),
    ),
    "pintle.stopSession": on(
      (why) => t("Could not stop: {0}", why),
      (id) => stopSession(owner, id),
    ),
  };
}

async function newSession(owner: SessionOwner): Promise<void> {
  await owner.chat?.newSession();
  await owner.view.focus();
}

/** Opens a session where it is shown already; otherwise one of a list in the view, and one that is picked in the current chat. */
async function openSession(owner: SessionOwner, id: unknown): Promise<void> {
  const { view, chat } = typeof id === "string" ? owner.chats.home : owner;
  if (chat === undefined) return;
  const wanted = typeof id === "string" ? id : await pickSession(owner, t("Open Session"));
  if (wanted === undefined || (await owner.chats.panels.reveal(wanted))) return;
  await view.focus();
  await chat.openSession(wanted);
}

/** Opens a chat as an editor tab: the session of a row of the tree, else that of the current chat. */
async function openInEditor(owner: SessionOwner, named: unknown): Promise<void> {
  const row = (named ?? {}) as Partial<SessionSummary>;
  const session = owner.chat?.session;
  if (typeof row.sessionId === "string") await owner.chats.panels.open(row.sessionId, row.title);
  else if (session === undefined) await owner.chats.panels.open(undefined);
  else await owner.chats.panels.open(session.id, await titleOf(owner, session));
}

async function pickSession(owner: SessionOwner, title: string): Promise<SessionId | undefined> {
  const sessions = owner.chat === undefined ? [] : await listSessions(owner.chat, owner.folderPath);
  const rows = sessions.map((session) => ({
    label: session.title ?? t("Empty session"),
    description: [forkWord(session), describeTime(session.updatedMs)]
      .filter((each) => each !== "")
      .join(" · "),
    id: session.sessionId,
  }));
  const placeHolder = rows.length === 0 ? t("No session in this folder yet") : t("Session");
  return (await vscode.window.showQuickPick(rows, { title, placeHolder }))?.id;
}

/** The session that a command is about: the row of the tree that it comes from, else the one that is shown. */
async function meant(
  owner: SessionOwner,
  named: unknown,
  failed: Failed,
): Promise<{ id: SessionId; title: string } | undefined> {
  const row = named as Partial<SessionSummary> | undefined;
  if (typeof row?.sessionId === "string") return { id: row.sessionId, title: row.title ?? "" };
  const session = owner.chat?.session;
  if (session !== undefined) return { id: session.id, title: await titleOf(owner, session) };
  await vscode.window.showInformationMessage(failed(t("there is no session yet; send a prompt first.")));
  return undefined;
}

/** Its title as in lists: the one that it was given, else the beginning of its first prompt. */
async function titleOf({ chat, folderPath }: SessionOwner, { id, state }: Session): Promise<string> {
  if (state.title !== undefined || chat === undefined) return state.title ?? "";
  const listed = await listSessions(chat, folderPath).catch(() => []);
  return listed.find((each) => each.sessionId === id)?.title ?? "";
}

async function guard(failed: Failed, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    void vscode.window.showErrorMessage(failed(lineOf(problemOf(error))));
  }
}

/** Gives a session another title; an empty one takes it away. */
async function rename(owner: SessionOwner, id: SessionId, before: string): Promise<void> {
  const title = await vscode.window.showInputBox({
    title: t("Rename Session"),
    prompt: t("Its title. If empty, the start of its first prompt is used."),
    value: before,
  });
  if (title !== undefined) await owner.chat?.request("session/update", { sessionId: id, title });
}

/** Finds words in all that was said and done in the folder's sessions. */
function searchSessions(owner: SessionOwner): void {
  const { chat } = owner;
  if (chat === undefined) return;
  const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { id?: SessionId }>();
  pick.title = t("Search Sessions");
  pick.placeholder = t("Messages, commands, paths");
  let timer: NodeJS.Timeout | undefined;
  let asked = 0;
  const search = async (query: string): Promise<void> => {
    const mine = ++asked;
    pick.busy = true;
    try {
      await chat.start();
      const found = await chat.request("session/search", { query, cwd: owner.folderPath, limit: MOST_HITS });
      if (mine !== asked) return;
      pick.items = found.hits.map((hit) => ({
        label: hit.title ?? t("Empty session"),
        description: describeTime(hit.tsMs),
        detail: snippetText(hit.snippet),
        // What was found stands in the text, not in the title: VS Code would leave it out.
        alwaysShow: true,
        id: hit.sessionId,
      }));
    } catch (error) {
      if (mine === asked) pick.items = [{ label: problemOf(error).text, alwaysShow: true }];
    } finally {
      if (mine === asked) pick.busy = false;
    }
  };
  pick.onDidChangeValue((value) => {
    clearTimeout(timer);
    timer = setTimeout(() => void search(value), SEARCH_MS);
  });
  pick.onDidAccept(() => {
    const id = pick.selectedItems[0]?.id;
    pick.hide();
    if (id !== undefined) void openSession(owner, id);
  });
  pick.onDidHide(() => {
    clearTimeout(timer);
    pick.dispose();
  });
  pick.show();
  void search("");
}

async function exportSession(owner: SessionOwner, id: SessionId, title: string): Promise<void> {
  const picked = await vscode.window.showQuickPick(formats(), {
    title: t("Export Session"),
    placeHolder: t("Format"),
  });
  if (picked === undefined || owner.chat === undefined) return;
  const name =
    title
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .trim()
      .slice(0, 60) || "session";
  const file = await vscode.window.showSaveDialog({
    title: t("Export Session"),
    ...(owner.folder === undefined
      ? {}
      : { defaultUri: vscode.Uri.joinPath(owner.folder.uri, `${name}.${picked.end}`) }),
  });
  if (file === undefined) return;
  const { text = "" } = await owner.chat.request("session/export", { sessionId: id, format: picked.format });
  await vscode.workspace.fs.writeFile(file, Buffer.from(text));
  const open = await vscode.window.showInformationMessage(
    t("Exported the session to {0}.", vscode.workspace.asRelativePath(file)),
    t("Open"),
  );
  if (open !== undefined) await vscode.commands.executeCommand("vscode.open", file);
}

async function deleteSession(owner: SessionOwner, id: SessionId, title: string): Promise<void> {
  const detail = t("This deletes its history and that of its sub-agents. Files do not change.");
  const question = t("Delete the session “{0}”?", title === "" ? t("Empty session") : title);
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, t("Delete"));
  if (answer === undefined || owner.chat === undefined) return;
  if (owner.chat.sessions.some((each) => each.id === id)) await owner.chat.stopSession(id);
  await owner.chat.request("session/delete", { sessionId: id });
}

/** Stops the turn and the jobs of a session, closes it, and says what was stopped. */
async function stopSession(owner: SessionOwner, id: SessionId): Promise<void> {
  const { chat } = owner;
  const session = chat?.sessions.find((each) => each.id === id);
  if (chat === undefined || session === undefined) {
    void vscode.window.showInformationMessage(
      t("This session is not open in this window, so there is nothing to stop."),
    );
    return;
  }
  const receipt = stopReceipt(session.state, chat.engine.isShared);
  await chat.stopSession(id);
  void vscode.window.showInformationMessage(receipt);
}
