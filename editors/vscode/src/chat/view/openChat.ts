/** A chat in the window, in the view or in an editor tab: the conversation, its page, and what the page needs. */
import type * as vscode from "vscode";
import type { HasContext, HasFolder, HasLog, HasMemory, HasReview } from "../../owner.ts";
import type { BaseFiles } from "../../review/view/baseFiles.ts";
import { ChangedFiles } from "../../review/view/changedFiles.ts";
import type { Unsaved } from "../../review/view/unsaved.ts";
import type { Review } from "../../review/review.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { ChatMemory } from "../../sessions/shown.ts";
import type { Change } from "../../transcript/state.ts";
import { Chat } from "../chat.ts";
import type { Highlighter } from "../highlight.ts";
import type { FromPage } from "../messages.ts";
import type { ChatWindow } from "../window.ts";
import type { Frame } from "./chatPage.ts";
import { ChatPage } from "./chatPage.ts";
import type { PageOwner } from "./fromPage.ts";
import { fromPage } from "./fromPage.ts";
import { NestedAgents } from "./nestedAgents.ts";
import type { Attention } from "./attention.ts";
import type { OutputPages } from "./outputPages.ts";
import { PromptRow } from "./promptRow.ts";

/** What all chats of a window share. */
export type ChatsOwner = HasContext &
  HasFolder &
  HasLog &
  HasMemory &
  HasReview & {
    readonly base: BaseFiles;
    readonly output: OutputPages;
    readonly attention: Attention;
    readonly colours: Highlighter;
    readonly unsaved: Unsaved;
    attach(): Promise<void>;
    /** A chat shows another session. */
    reset(chat: OpenChat): void;
    /** Something happened in the session that a chat shows. */
    changed(chat: OpenChat, changes: Change[]): void;
  };

/** What a chat needs to know of all chats. */
export interface Others {
  /** A chat got the focus. */
  used(chat: OpenChat): void;
  isShown(session: string): boolean;
  ownerOf(session: string): string | undefined;
}

/** Messages that a page sends by itself. */
const PASSIVE = new Set<FromPage["type"]>(["ready", "highlight", "complete", "nested", "warn"]);

export class OpenChat implements PageOwner {
  readonly view: ChatPage;
  readonly promptRow: PromptRow;
  readonly changedFiles: ChangedFiles;
  readonly nested: NestedAgents;
  readonly isHome: boolean;
  chat: Chat | undefined;
  readonly #owner: ChatsOwner;
  readonly #others: Others;
  /** Undefined for the view, whose session the window remembers. */
  readonly #memory: ChatMemory | undefined;

  constructor(owner: ChatsOwner, others: Others, frame: Frame, memory?: ChatMemory) {
    this.#owner = owner;
    this.#others = others;
    this.#memory = memory;
    this.isHome = memory === undefined;
    this.view = new ChatPage(this, owner.unsaved, frame, (message) => this.#received(message));
    this.promptRow = new PromptRow(this);
    this.changedFiles = new ChangedFiles(this);
    this.nested = new NestedAgents(this);
  }

  /** A trusted folder is open: there is something to talk to. */
  begin(window: ChatWindow): void {
    this.chat = new Chat(window, this.#memory ?? this.memory, this.isHome, {
      reset: () => {
        this.view.reset();
        this.#owner.reset(this);
      },
      changed: (changes) => {
        if (changes.some((change) => change.type === "reset")) this.view.reset();
        this.view.changed(changes);
        this.#owner.changed(this, changes);
      },
      returned: (text, attached) => this.view.returned(text, attached),
    });
  }

  headChanged(): void {
    this.view.redrawHead();
    this.promptRow.changed();
  }

  /** The number of this chat's questions that this window can answer. */
  get waiting(): number {
    const { chat } = this;
    if (chat === undefined) return 0;
    const ids = [
      ...chat.asked.approvals([]).map(({ approval }) => approval.sessionId),
      ...chat.asked.questions([]).map(({ question }) => question.sessionId),
    ];
    return ids.filter((id) => this.owns(id)).length;
  }

  /** True if what a session asks and changes belongs to this chat; of sessions that no chat shows, it belongs to the view. */
  owns(id: string): boolean {
    const session = this.#others.ownerOf(id);
    if (session === undefined || !this.#others.isShown(session)) return this.isHome;
    return session === this.chat?.session?.id;
  }

  dispose(): void {
    this.view.dispose();
    this.promptRow.dispose();
    this.nested.dispose();
  }

  get folder(): vscode.WorkspaceFolder | undefined {
    return this.#owner.folder;
  }

  get folderPath(): string {
    return this.#owner.folderPath;
  }

  get folderPaths(): string[] {
    return this.#owner.folderPaths;
  }

  get log(): vscode.LogOutputChannel {
    return this.#owner.log;
  }

  get memory(): Memory {
    return this.#owner.memory;
  }

  get context(): vscode.ExtensionContext {
    return this.#owner.context;
  }

  get review(): Review | undefined {
    return this.#owner.review;
  }

  get base(): BaseFiles {
    return this.#owner.base;
  }

  get output(): OutputPages {
    return this.#owner.output;
  }

  get attention(): Attention {
    return this.#owner.attention;
  }

  get colours(): Highlighter {
    return this.#owner.colours;
  }

  attach(): Promise<void> {
    return this.#owner.attach();
  }

  #received(message: FromPage): void {
    // Commands that the message runs go to this chat.
    if (!PASSIVE.has(message.type)) this.#others.used(this);
    fromPage(this, message);
  }
}
