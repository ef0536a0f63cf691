/** Chats as editor tabs: opened by commands, brought back after a reload, each with a session of its own. */
import { randomUUID } from "node:crypto";
import type { SessionId } from "pintle-client";
import * as vscode from "vscode";
import type { PanelState } from "../places.ts";
import { panelStateOf, panelTitle } from "../places.ts";
import type { Frame } from "./chatPage.ts";
import type { ChatsOwner, Others } from "./openChat.ts";
import { OpenChat } from "./openChat.ts";

export const PANEL = "pintle.chatEditor";

/** All chats of the window. */
interface All extends Others {
  opened(chat: OpenChat): void;
  closed(chat: OpenChat): void;
}

export class ChatPanels {
  readonly #owner: ChatsOwner;
  readonly #all: All;
  readonly #registration: vscode.Disposable;
  readonly #panels = new Set<ChatPanel>();

  constructor(owner: ChatsOwner, all: All) {
    this.#owner = owner;
    this.#all = all;
    this.#registration = vscode.window.registerWebviewPanelSerializer(PANEL, {
      deserializeWebviewPanel: (panel, kept) => {
        const state = panelStateOf(kept, randomUUID);
        // Two tabs of one session cannot be: the user may have copied one.
        if (this.#of(state.session) === undefined) this.#add(panel, state, panel.title.replace(/^● /, ""));
        else panel.dispose();
        return Promise.resolve();
      },
    });
  }

  /** Opens a session in a tab, or without one an empty chat. If a tab shows it already, that comes to the front. */
  async open(session: SessionId | undefined, title = ""): Promise<void> {
    const open = this.#of(session);
    if (open !== undefined) return open.chat.view.focus();
    const panel = vscode.window.createWebviewPanel(PANEL, panelTitle(title, 0), vscode.ViewColumn.Active);
    const added = this.#add(panel, { panel: randomUUID(), session }, title);
    await added.chat.view.focus();
  }

  /** Brings the tab with a session to the front. False if there is none. */
  async reveal(session: SessionId): Promise<boolean> {
    const open = this.#of(session);
    await open?.chat.view.focus();
    return open !== undefined;
  }

  dispose(): void {
    this.#registration.dispose();
    for (const each of this.#panels) each.dispose();
  }

  #of(session: SessionId | undefined): ChatPanel | undefined {
    return session === undefined ? undefined : [...this.#panels].find((each) => each.session === session);
  }

  #add(panel: vscode.WebviewPanel, state: PanelState, title: string): ChatPanel {
    const added = new ChatPanel(this.#owner, this.#all, panel, state, title, () =>
      this.#panels.delete(added),
    );
    this.#panels.add(added);
    return added;
  }
}

/** One tab. */
class ChatPanel implements Frame {
  readonly panel: string;
  readonly chat: OpenChat;
  readonly #panel: vscode.WebviewPanel;
  readonly #icons: { plain: vscode.Uri; asks: vscode.Uri };
  readonly #memory: { session: SessionId | undefined };
  /** Its title before the session is read. */
  readonly #first: { session: SessionId | undefined; title: string };
  #title = "";
  #isAsking: boolean | undefined;
  #isClosed = false;

  constructor(
    owner: ChatsOwner,
    all: All,
    panel: vscode.WebviewPanel,
    state: PanelState,
    title: string,
    closed: () => void,
  ) {
    this.panel = state.panel;
    this.#panel = panel;
    this.#memory = { session: state.session };
    this.#first = { session: state.session, title };
    const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(owner.context.extensionUri, "media", name);
    this.#icons = { plain: icon("tab.svg"), asks: icon("tab-asks.svg") };
    this.chat = new OpenChat(owner, all, this, this.#memory);
    let wasVisible = panel.visible;
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.chat.view.hidden();
      // Only a page can say in time that it has the keyboard, but a page that is being loaded cannot.
      if (panel.active && !wasVisible) all.used(this.chat);
      wasVisible = panel.visible;
    });
    panel.onDidDispose(() => {
      this.#isClosed = true;
      closed();
      this.chat.view.attachTo(undefined);
      this.chat.dispose();
      all.closed(this.chat);
    });
    all.opened(this.chat);
    this.chat.view.attachTo(panel.webview);
    if (panel.active) all.used(this.chat);
    if (state.session !== undefined) void this.chat.chat?.openSession(state.session);
  }

  /** The session that it shows, or is to show. */
  get session(): SessionId | undefined {
    return this.chat.chat?.session?.id ?? this.#memory.session;
  }

  get isVisible(): boolean {
    return !this.#isClosed && this.#panel.visible;
  }

  saysHidden(): boolean {
    return false;
  }

  reveal(): Thenable<unknown> {
    this.#panel.reveal(undefined, false);
    return Promise.resolve();
  }

  headChanged(): void {
    if (this.#isClosed) return;
    const { waiting } = this.chat;
    const title = panelTitle(this.#name(), waiting);
    if (title !== this.#title) this.#panel.title = this.#title = title;
    const isAsking = waiting > 0;
    if (isAsking === this.#isAsking) return;
    this.#isAsking = isAsking;
    this.#panel.iconPath = isAsking ? this.#icons.asks : this.#icons.plain;
  }

  dispose(): void {
    this.chat.dispose();
  }

  #name(): string | undefined {
    const before = this.#first.session === this.session ? this.#first.title : undefined;
    return this.chat.chat?.session?.name ?? before;
  }
}
