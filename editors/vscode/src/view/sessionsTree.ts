/** The folder's sessions as the engine lists them, newest first. */
import * as vscode from "vscode";
import type { SessionSummary } from "../protocol.ts";
import { listSessions } from "../sessionList.ts";
import type { HasChat, HasFolder, HasLog } from "./owner.ts";

export class SessionsTree implements vscode.TreeDataProvider<SessionSummary> {
  readonly #owner: HasChat & HasFolder & HasLog;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<SessionSummary>;
  #drawn = "";
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(owner: HasChat & HasFolder & HasLog) {
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
    const drawn = [chat?.session?.id, chat?.engine.status.kind, state?.activeTurn].join(" ");
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
    const item = new vscode.TreeItem(session.title ?? "Empty session");
    const isShown = session.sessionId === this.#owner.chat?.session?.id;
    item.id = session.sessionId;
    item.description = describeTime(session.updatedMs);
    item.iconPath = new vscode.ThemeIcon(isShown ? "circle-filled" : "circle-outline");
    item.tooltip = `${session.title ?? ""}\n${session.path}`;
    item.accessibilityInformation = {
      label: `${session.title ?? "Empty session"}${isShown ? ", shown" : ""}`,
    };
    item.command = { command: "pintle.openSession", title: "Open Session", arguments: [session.sessionId] };
    return item;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}

export function describeTime(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
