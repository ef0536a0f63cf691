/** Owns everything: the chat with its engine, the views, the commands. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as vscode from "vscode";
import { changedTurns, isChangedLater } from "./changes.ts";
import { Chat } from "./chat.ts";
import type { Surroundings } from "./engine.ts";
import type { Machine } from "./locate.ts";
import { Memory } from "./memory.ts";
import type { FromPage } from "./messages.ts";
import { labelOf } from "./project.ts";
import type { Change } from "./reducer.ts";
import type { Settings } from "./settings.ts";
import { needsRestart, readSettings } from "./settings.ts";
import { BaseFiles } from "./view/baseFiles.ts";
import { ChangesTree } from "./view/changesTree.ts";
import { ChatView } from "./view/chatView.ts";
import { registerCommands } from "./view/commands.ts";
import { Problems } from "./view/problems.ts";
import { SessionsTree } from "./view/sessionsTree.ts";
import { StatusBar } from "./view/statusBar.ts";
import { Unsaved } from "./view/unsaved.ts";

const SHOWN_KEY = "pintle.wasShown";

export class Extension {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  /** The workspace folder; undefined when none is open. */
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** Undefined without a folder, or while it is not trusted. */
  chat: Chat | undefined;
  readonly memory: Memory;
  readonly view: ChatView;
  readonly changes: ChangesTree;
  readonly sessions: SessionsTree;
  readonly #statusBar: StatusBar;
  readonly #base: BaseFiles;
  readonly #unsaved: Unsaved;
  readonly #disposables: vscode.Disposable[] = [];
  #settings: Settings;

  constructor(context: vscode.ExtensionContext) {
    this.context = context;
    this.log = vscode.window.createOutputChannel("Pintle", { log: true });
    this.folder = vscode.workspace.workspaceFolders?.find((each) => each.uri.scheme === "file");
    this.memory = new Memory(context.globalStorageUri.fsPath, this.folderPath);
    this.#settings = this.#readSettings();
    this.#unsaved = new Unsaved(() => this.view.redrawHead());
    this.view = new ChatView(this, this.#unsaved, (message) => this.#fromPage(message));
    this.changes = new ChangesTree(this);
    this.sessions = new SessionsTree(this);
    this.#statusBar = new StatusBar(this);
    this.#base = new BaseFiles(this);
    this.#disposables.push(
      this.log,
      this.#unsaved,
      this.view,
      this.changes,
      this.sessions,
      this.#statusBar,
      this.#base,
      new Problems(this),
      registerCommands(this),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#begin()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("pintle")) void this.#settingsChanged();
      }),
    );
    this.#begin();
    this.#showOnce();
  }

  /** The workspace folder's path; empty when there is none. */
  get folderPath(): string {
    return this.folder?.uri.fsPath ?? "";
  }

  async dispose(): Promise<void> {
    const chat = this.chat;
    this.chat = undefined;
    // First of all: nothing must be left running, whatever else fails.
    await chat?.dispose();
    for (const each of this.#disposables.reverse()) each.dispose();
  }

  /** Opens a diff of one file in one turn: what it was before, against the file itself where no later turn changed it. */
  async openDiff(turnId: string, path: string): Promise<void> {
    const session = this.chat?.session;
    if (session === undefined) return;
    const turns = changedTurns(session.state);
    const file = turns
      .find((turn) => turn.turnId === turnId)
      ?.files.find((each) => each.path === path || each.changes.some((change) => change.path === path));
    if (file === undefined) return;
    const before = this.#base.uri(session.id, turnId, file.path, "before");
    const isLater = isChangedLater(turns, turnId, file.path);
    const after =
      isLater || file.op === "delete"
        ? this.#base.uri(session.id, turnId, file.path, "after")
        : vscode.Uri.file(file.path);
    const label = labelOf(this.folderPath, file.path);
    await vscode.commands.executeCommand("vscode.diff", before, after, `${label} (what the turn changed)`, {
      preview: true,
    });
  }

  async openTurnDiff(turnId: string): Promise<void> {
    const session = this.chat?.session;
    if (session === undefined) return;
    const turns = changedTurns(session.state);
    const turn = turns.find((each) => each.turnId === turnId);
    if (turn === undefined) return;
    const resources = turn.files.map((file) => {
      const uri = vscode.Uri.file(file.path);
      const before = this.#base.uri(session.id, turnId, file.path, "before");
      const isOther = isChangedLater(turns, turnId, file.path);
      const after = isOther ? this.#base.uri(session.id, turnId, file.path, "after") : uri;
      return [uri, file.op === "add" ? undefined : before, file.op === "delete" ? undefined : after];
    });
    await vscode.commands.executeCommand("vscode.changes", `Turn: ${turn.title}`, resources);
  }

  async compareUnsaved(path: string): Promise<void> {
    const disk = this.#base.diskUri(path);
    const label = labelOf(this.folderPath, path);
    await vscode.commands.executeCommand(
      "vscode.diff",
      disk,
      vscode.Uri.file(path),
      `${label} (disk ↔ unsaved)`,
    );
  }

  // ----- inside

  /** Makes the chat where a trusted folder is open. The engine starts when the view is shown. */
  #begin(): void {
    if (this.chat !== undefined || this.folder === undefined || !vscode.workspace.isTrusted) {
      this.#head();
      return;
    }
    const around: Surroundings = {
      settings: () => this.#settings,
      extensionFolder: this.context.extensionPath,
      extensionVersion: (this.context.extension.packageJSON as { version: string }).version,
      folder: this.folder.uri.fsPath,
      machine: thisMachine(),
      log: this.log,
    };
    this.chat = new Chat(around, this.memory, {
      reset: () => this.#reset(),
      changed: (changes) => this.#changed(changes),
      head: () => this.#head(),
      asked: () => this.#notify(),
      returned: (text) => this.view.returned(text),
    });
    this.#reset();
    if (this.view.isVisible) void this.chat.start();
  }

  /** After the extension is installed its view is shown once: VS Code may leave the new side bar empty until then. */
  #showOnce(): void {
    const state = this.context.globalState;
    if (state.get<boolean>(SHOWN_KEY) === true) return;
    void state.update(SHOWN_KEY, true);
    void vscode.commands.executeCommand("pintle.chat.focus", { preserveFocus: true });
  }

  #reset(): void {
    this.view.reset();
    this.changes.refresh();
    this.#base.changed();
    this.#unsaved.reset();
    this.#head();
  }

  #changed(changes: Change[]): void {
    this.view.changed(changes);
    const state = this.chat?.state;
    let isFileChange = false;
    for (const change of changes) {
      if (change.type !== "entry" || state === undefined) continue;
      const entry = state.entries[state.indexes.get(change.key) ?? -1];
      if (entry?.kind !== "item" || entry.item.type !== "toolCall") continue;
      for (const each of entry.item.output?.details?.changes ?? []) {
        this.#unsaved.changedOnDisk(each.path);
        isFileChange = true;
      }
    }
    if (isFileChange) {
      this.changes.refresh();
      this.#base.changed();
    }
    if (changes.some((change) => change.type === "head")) this.#head();
  }

  #head(): void {
    this.view.redrawHead();
    this.#statusBar.update();
    this.sessions.headChanged();
    const activity = this.chat?.state?.activity ?? "idle";
    void vscode.commands.executeCommand("setContext", "pintle.isRunning", activity !== "idle");
  }

  /** A question is shown in the view; a notification comes only to a window that nobody looks at. */
  #notify(): void {
    if (vscode.window.state.focused) return;
    const approval = [...(this.chat?.state?.approvals.values() ?? [])].at(-1);
    const question = [...(this.chat?.state?.questions.values() ?? [])].at(-1);
    const title = question?.text ?? approval?.title ?? "The agent asks for permission.";
    void vscode.window.showWarningMessage(`Pintle asks: ${title}`, "Show").then((choice) => {
      if (choice === "Show") void vscode.commands.executeCommand("pintle.open");
    });
  }

  #fromPage(message: FromPage): void {
    const chat = this.chat;
    switch (message.type) {
      case "showLog":
        this.log.show();
        return;
      case "openSettings":
        void vscode.commands.executeCommand("pintle.openSettings");
        return;
      case "openDiff":
        void this.openDiff(message.turnId, message.path);
        return;
      case "compareUnsaved":
        void this.compareUnsaved(message.path);
        return;
      case "newSession":
        void vscode.commands.executeCommand("pintle.newSession");
        return;
      case "send":
      case "steer":
      case "queue":
        if (chat === undefined) this.view.returned(message.text);
        else void chat[message.type](message.text);
        return;
      case "stop":
        void chat?.stop();
        return;
      case "retry":
        void chat?.retry();
        return;
      case "answer":
        chat?.answer(message.approvalId, { optionId: message.optionId });
        return;
      case "say": {
        const text = message.text.trim();
        chat?.answer(message.questionId, { optionIds: message.optionIds, ...(text === "" ? {} : { text }) });
        return;
      }
      case "ready":
        void chat?.start();
        return;
      case "earlier":
      case "draft":
        return;
    }
  }

  async #settingsChanged(): Promise<void> {
    const before = this.#settings;
    this.#settings = this.#readSettings();
    // An engine that does not run starts with the new settings; one that runs is not taken away from a turn.
    if (!needsRestart(before, this.#settings) || this.chat === undefined) return;
    const status = this.chat.engine.status.kind;
    if (status === "failed") await this.chat.engine.restart();
    else if (status === "ready") {
      const choice = await vscode.window.showInformationMessage(
        "The new settings of Pintle hold after the engine is started again.",
        "Restart the Engine",
      );
      if (choice !== undefined) await this.chat?.engine.restart();
    }
  }

  #readSettings(): Settings {
    const configuration = vscode.workspace.getConfiguration("pintle", this.folder ?? null);
    return readSettings((name) => configuration.get(name));
  }
}

function thisMachine(): Machine {
  return {
    platform: process.platform,
    path: process.env["PATH"] ?? "",
    home: os.homedir(),
    isExecutable: (file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
      } catch {
        return false;
      }
    },
  };
}
