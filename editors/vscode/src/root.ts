/** Owns everything: the engine, the chats, the views, the commands. */
import * as vscode from "vscode";
import type { Chat } from "./chat/chat.ts";
import type { Highlighter } from "./chat/highlight.ts";
import { asDraft } from "./chat/turns.ts";
import { Attention } from "./chat/view/attention.ts";
import type { ChatPage } from "./chat/view/chatPage.ts";
import { Chats } from "./chat/view/chats.ts";
import { makeHighlighter } from "./chat/view/colours.ts";
import type { ChatsOwner, OpenChat } from "./chat/view/openChat.ts";
import { registerOpening } from "./chat/view/opening.ts";
import { OutputPages } from "./chat/view/outputPages.ts";
import { StatusBar } from "./chat/view/statusBar.ts";
import { ChatWindow, type WindowListener } from "./chat/window.ts";
import { registerCommands } from "./commands.ts";
import type { Surroundings } from "./connection/engine.ts";
import { locate } from "./connection/locate.ts";
import { problemOf } from "./connection/problem.ts";
import { OpenDocuments } from "./documents/view/openDocuments.ts";
import { Problems } from "./documents/view/problems.ts";
import { registerProviders } from "./documents/view/providers.ts";
import { HelpPages } from "./help/view/helpPages.ts";
import { Walkthrough } from "./help/view/walkthrough.ts";
import { allFolders, firstFolder, isShown, openPage, thisMachine } from "./machine.ts";
import type { HasChat, HasContext, HasFolder, HasLog, HasMemory, HasReview } from "./owner.ts";
import { Review } from "./review/review.ts";
import { BaseFiles } from "./review/view/baseFiles.ts";
import { ChangesTree } from "./review/view/changesTree.ts";
import { Notes } from "./review/view/notes.ts";
import { Overlay } from "./review/view/overlay.ts";
import { HunkControl } from "./review/view/scm.ts";
import { Unsaved } from "./review/view/unsaved.ts";
import { Memory } from "./sessions/memory.ts";
import type { Session } from "./sessions/session.ts";
import { SessionsTree } from "./sessions/view/sessionsTree.ts";
import { Keys } from "./settings/keys.ts";
import type { Settings } from "./settings/settings.ts";
import { needsRestart, readSettings } from "./settings/settings.ts";
import { restartWith } from "./settings/view/restart.ts";
import { showOnce } from "./settings/view/showChat.ts";
import { tell } from "./settings/view/trustCommands.ts";
import type { Change } from "./transcript/state.ts";
import { t } from "./words.ts";

export class Extension implements HasChat, HasReview, HasFolder, HasLog, HasMemory, HasContext, ChatsOwner {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  /** The workspace folder; undefined when none is open. */
  folder: vscode.WorkspaceFolder | undefined;
  /** Undefined without a folder, or while it is not trusted. */
  window: ChatWindow | undefined;
  /** The open hunks; undefined where there is no chat. */
  review: Review | undefined;
  memory: Memory;
  readonly keys: Keys;
  readonly unsaved: Unsaved;
  readonly chats: Chats;
  readonly changes: ChangesTree;
  readonly sessions: SessionsTree;
  readonly overlay: Overlay;
  readonly base: BaseFiles;
  readonly help: HelpPages;
  readonly output = new OutputPages(this);
  readonly notes = new Notes(this);
  readonly attention: Attention = new Attention(this);
  readonly walkthrough = new Walkthrough(this);
  #colours: Highlighter | undefined;
  readonly #hunkControl: HunkControl;
  readonly #editor: OpenDocuments;
  readonly #statusBar: StatusBar;
  readonly #disposables: vscode.Disposable[] = [];
  #settings: Settings;

  constructor(context: vscode.ExtensionContext) {
    this.context = context;
    this.log = vscode.window.createOutputChannel("Pintle", { log: true });
    this.folder = firstFolder();
    this.memory = new Memory(context.globalStorageUri.fsPath, this.folderPath);
    this.keys = new Keys(context.secrets);
    this.#settings = this.#readSettings();
    this.unsaved = new Unsaved(() => this.chats.each((each) => each.view.redrawHead()));
    this.chats = new Chats(this, {
      viewShown: () => this.walkthrough.shown(),
      currentChanged: () => {
        void this.review?.refresh();
        this.#head();
      },
    });
    this.changes = new ChangesTree(this);
    this.sessions = new SessionsTree(this);
    this.#statusBar = new StatusBar(this);
    this.base = new BaseFiles(this);
    this.help = new HelpPages(() =>
      locate(this.#settings.path, context.extensionPath, this.folderPath, thisMachine()),
    );
    this.overlay = new Overlay(this);
    this.#hunkControl = new HunkControl(this);
    this.#editor = new OpenDocuments(this);
    this.#disposables.push(
      this.log,
      this.unsaved,
      this.chats,
      this.changes,
      this.sessions,
      this.#statusBar,
      this.base,
      this.help,
      this.overlay,
      this.#hunkControl,
      this.#editor,
      new Problems(this),
      this.output,
      this.notes,
      this.walkthrough,
      this.attention,
      registerProviders(context.extensionPath),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.#colours?.themeChanged();
        this.chats.each((each) => each.view.post({ type: "theme" }));
      }),
      registerCommands(this),
      registerOpening(this),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#foldersChanged()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#begin()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("pintle")) void this.#settingsChanged();
        // A question that the view showed is not seen any more where that is hidden now.
        if (event.affectsConfiguration("pintle.showChat")) this.attention.notify();
      }),
    );
    this.#remember();
    this.#begin();
    showOnce(context);
  }

  /** The chat that commands go to. */
  get chat(): Chat | undefined {
    return this.chats.current.chat;
  }

  /** The page of that chat. */
  get view(): ChatPage {
    return this.chats.current.view;
  }

  /** The workspace folder's path; empty when there is none. */
  get folderPath(): string {
    return this.folder?.uri.fsPath ?? "";
  }

  /** Made when code is coloured first: it reads what extensions say of themselves. */
  get colours(): Highlighter {
    return (this.#colours ??= makeHighlighter(this));
  }

  get folderPaths(): string[] {
    return allFolders().map((each) => each.uri.fsPath);
  }

  /** Opens the session where it is, in the engine that editors share, which this workspace uses from now on. */
  async attach(): Promise<void> {
    try {
      const configuration = vscode.workspace.getConfiguration("pintle", this.folder ?? null);
      await configuration.update("shared", true, vscode.ConfigurationTarget.Workspace);
    } catch (error) {
      const { text } = problemOf(error);
      void vscode.window.showErrorMessage(t("Could not change the setting pintle.shared: {0}", text));
    }
  }

  async dispose(): Promise<void> {
    const { window } = this;
    this.window = undefined;
    // First of all: nothing must be left running, whatever else fails.
    await window?.dispose();
    this.memory.release();
    for (const each of this.#disposables.reverse()) each.dispose();
  }

  reset({ isHome }: OpenChat): void {
    // A new tab does not dismiss what the view reports.
    if (isHome) this.unsaved.reset();
    void this.review?.refresh();
    this.#head();
  }

  changed({ chat }: OpenChat, changes: Change[]): void {
    // A session that several chats show reports once.
    const isFirst = this.chats.all.find((each) => each.chat?.session === chat?.session)?.chat === chat;
    for (const change of changes) {
      if (change.type === "told" && isFirst && chat?.session?.isCurrent === true) void tell(change.notice);
    }
    if (changes.some((change) => change.type === "review")) {
      this.unsaved.check();
      void this.review?.refresh();
    }
    if (changes.some((change) => change.type === "head")) this.#head();
  }

  // ----- inside
  /** Begins where a trusted folder is open. The engine starts when a chat is shown. */
  #begin(): void {
    if (this.window !== undefined || this.folder === undefined || !vscode.workspace.isTrusted) {
      this.#head();
      return;
    }
    const around: Surroundings = {
      settings: () => this.#settings,
      extensionFolder: this.context.extensionPath,
      extensionVersion: (this.context.extension.packageJSON as { version: string }).version,
      openPage,
      folder: this.folder.uri.fsPath,
      folders: () => this.folderPaths,
      machine: thisMachine(),
      log: this.log,
      environment: () => this.keys.all(),
    };
    const listener: WindowListener = {
      changedElsewhere: (session, changes) => this.#changedElsewhere(session, changes),
      isReviewed: (id) => this.review?.has(id) === true,
      head: () => this.#head(),
      asked: () => this.attention.notify(),
      proposals: this.attention.proposals,
      turnEnded: (session, end) => this.attention.turnEnded(session, end),
    };
    this.window = new ChatWindow(around, this.memory, this.#editor, listener, () => this.chats.open);
    this.review = new Review(this.window, {
      isShown: (path) => isShown(path),
      changed: () => this.#reviewed(),
      failed: (error) => this.log.warn(`the hunks cannot be listed: ${problemOf(error).text}`),
    });
    this.chats.begin(this.window);
    this.reset(this.chats.home);
  }

  /** Takes what the window before this one kept. */
  #remember(): void {
    const { memory } = this;
    void memory.claim().then(() => {
      if (memory === this.memory) this.chats.reset();
    });
  }

  /** The first folder may come after the window: a workspace with a file of its own is read late. */
  #foldersChanged(): void {
    if (this.folder !== undefined) {
      void this.window?.foldersChanged();
      return;
    }
    this.folder = firstFolder();
    if (this.folder === undefined) return;
    this.memory.release();
    this.memory = new Memory(this.context.globalStorageUri.fsPath, this.folderPath);
    this.#remember();
    this.#settings = this.#readSettings();
    this.#begin();
  }

  /** A session that was left goes on: its hunks, questions and state are listed. */
  #changedElsewhere(session: Session, changes: Change[]): void {
    for (const each of changes) {
      if (each.type === "returned") this.memory.giveBack(session.id, asDraft(each.inputs).text);
    }
    if (changes.some((change) => change.type === "review")) void this.review?.refresh();
    if (changes.some((change) => change.type === "head")) this.#head();
  }

  /** The engine has said what is open. */
  #reviewed(): void {
    this.changes.refresh();
    this.chats.each((each) => each.changedFiles.changed());
    this.base.changed();
    this.overlay.changed();
    this.#hunkControl.changed();
  }

  #head(): void {
    this.attention.changed();
    this.chats.each((each) => each.headChanged());
    this.#statusBar.update();
    this.sessions.headChanged();
    const activity = this.chat?.openId() === undefined ? "idle" : this.chat.state?.activity;
    const set = (name: string, value: boolean): unknown =>
      vscode.commands.executeCommand("setContext", `pintle.${name}`, value);
    set("isRunning", activity !== "idle");
    this.walkthrough.update();
  }

  async #settingsChanged(): Promise<void> {
    const before = this.#settings;
    this.#settings = this.#readSettings();
    this.#head();
    if (this.window !== undefined && needsRestart(before, this.#settings)) await restartWith(this.window);
  }

  #readSettings(): Settings {
    const configuration = vscode.workspace.getConfiguration("pintle", this.folder ?? null);
    return readSettings((name) => configuration.get(name));
  }
}
