/** The folder's sessions as the engine lists them, newest first. */
import type { SessionId, SessionSummary } from "pintle-client";
import * as vscode from "vscode";
import type { Chat } from "../../chat/chat.ts";
import type { HasChat, HasFolder, HasLog } from "../../owner.ts";
import { t } from "../../words.ts";
import { forkWord, listSessions } from "../list.ts";

type Owner = HasChat & HasFolder & HasLog & { readonly chats: { isShown(session: string): boolean } };

export class SessionsTree implements vscode.TreeDataProvider<SessionSummary> {
  readonly #owner: Owner;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<SessionSummary>;
  #drawn = "";
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#view = vscode.window.createTreeView("pintle.sessions", { treeDataProvider: this });
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  /** Lists again when another session is shown, a turn began or ended, or the engine came or went. */
  headChanged(): void {
    const chat = this.#owner.chat;
    const state = chat?.state;
    const states = (chat?.sessions ?? []).map(
      ({ id, state }) => `${id} ${this.#owner.chats.isShown(id)} ${stateOf(chat, id)} ${state.title ?? ""}`,
    );
    const drawn = [chat?.session?.id, chat?.engine.status.kind, state?.activeTurn, ...states].join(" ");
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.refresh();
  }

  async getChildren(node?: SessionSummary): Promise<SessionSummary[]> {
    const chat = this.#owner.chat;
    if (node !== undefined || chat === undefined) return [];
    // The tree alone does not bring a crashed engine back.
    if (["failed", "waiting"].includes(chat.engine.status.kind)) return [];
    try {
      return await listSessions(chat, this.#owner.folderPath);
    } catch (error) {
      this.#owner.log.warn(`listing sessions: ${String(error)}`);
      return [];
    }
  }

  getTreeItem(session: SessionSummary): vscode.TreeItem {
    const item = new vscode.TreeItem(session.title ?? t("Empty session"));
    const { chat } = this.#owner;
    const state = stateOf(chat, session.sessionId);
    const isShown = this.#owner.chats.isShown(session.sessionId);
    const words = [isShown ? t("shown") : "", WORDS[state](), forkWord(session)].filter(
      (each) => each !== "",
    );
    item.id = session.sessionId;
    item.description = [...words, describeTime(session.updatedMs)].join(" · ");
    item.iconPath = new vscode.ThemeIcon(isShown && state === "stored" ? "circle-filled" : ICONS[state]);
    item.tooltip = `${session.title ?? ""}\n${session.path}`;
    item.contextValue = state === "stored" ? "pintleStored" : "pintleOpen";
    item.accessibilityInformation = { label: [session.title ?? t("Empty session"), ...words].join(", ") };
    item.command = {
      command: "pintle.openSession",
      title: t("Open Session"),
      arguments: [session.sessionId],
    };
    return item;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}

/** What a session does, as far as this window knows. */
type SessionState = "stored" | "idle" | "running" | "asking";

const WORDS: Record<SessionState, () => string> = {
  stored: () => "",
  idle: () => t("open"),
  running: () => t("working"),
  asking: () => t("has a question"),
};

const ICONS: Record<SessionState, string> = {
  stored: "circle-outline",
  idle: "circle-filled",
  running: "loading~spin",
  asking: "bell-dot",
};

function stateOf(chat: Chat | undefined, id: SessionId): SessionState {
  const session = chat?.sessions.find((each) => each.id === id);
  if (session === undefined) return "stored";
  const { approvals, questions, activity } = session.state;
  if (approvals.length + questions.length > 0) return "asking";
  return activity !== "idle" || session.jobs.length > 0 ? "running" : "idle";
}

export function describeTime(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
