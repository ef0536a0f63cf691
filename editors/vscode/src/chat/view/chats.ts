/** The chats of a window: the one of the view, and those in editor tabs. It knows which one commands go to. */
import type { Chat } from "../chat.ts";
import { Recent } from "../places.ts";
import type { ChatWindow } from "../window.ts";
import { ChatPanels } from "./chatPanels.ts";
import { ChatView } from "./chatView.ts";
import type { ChatsOwner } from "./openChat.ts";
import { OpenChat } from "./openChat.ts";

/** What its owner is told. */
interface Listener {
  /** The view was drawn. */
  viewShown(): void;
  /** Commands go to another chat. */
  currentChanged(): void;
}

export class Chats {
  readonly panels: ChatPanels;
  readonly #view: ChatView;
  readonly #recent: Recent<OpenChat>;
  readonly #listener: Listener;
  #window: ChatWindow | undefined;

  constructor(owner: ChatsOwner, listener: Listener) {
    this.#listener = listener;
    this.#view = new ChatView(() => listener.viewShown());
    this.#recent = new Recent(new OpenChat(owner, this, this.#view));
    this.#view.chat = this.home;
    this.panels = new ChatPanels(owner, this);
  }

  /** The chat that commands go to: the one that has the focus, else the one that had it last. */
  get current(): OpenChat {
    return this.#recent.current;
  }

  /** The chat of the view. */
  get home(): OpenChat {
    return this.#recent.home;
  }

  /** Most recently used first. */
  get all(): readonly OpenChat[] {
    return this.#recent.all;
  }

  /** The same, as far as there is a trusted folder. */
  get open(): Chat[] {
    return this.all.flatMap(({ chat }) => chat ?? []);
  }

  /** The chat with an open question: one that is visible, if there is any. */
  get asking(): OpenChat {
    const asking = this.all.filter((each) => each.waiting > 0);
    return asking.find((each) => each.view.isVisible) ?? asking[0] ?? this.current;
  }

  /** True if a chat shows the session. */
  isShown(session: string): boolean {
    return this.open.some((each) => each.session?.id === session);
  }

  /** The session that a question or change belongs to: its own, or the one whose sub-agent it is. */
  ownerOf(session: string): string | undefined {
    return this.#window?.sessions.owner(session)?.id;
  }

  /** There is an engine to talk to. */
  begin(window: ChatWindow): void {
    this.#window = window;
    for (const each of this.all) each.begin(window);
    this.reset();
    if (this.all.some((each) => each.view.isVisible)) void window.start();
  }

  each(work: (chat: OpenChat) => void): void {
    for (const each of this.all) work(each);
  }

  /** Draws all pages again. */
  reset(): void {
    this.each(({ view }) => view.reset());
  }

  /** A chat got the focus. */
  used(chat: OpenChat): void {
    if (this.#recent.used(chat)) this.#listener.currentChanged();
  }

  /** A tab was opened. */
  opened(chat: OpenChat): void {
    this.#recent.add(chat);
    if (this.#window !== undefined) chat.begin(this.#window);
  }

  /** A tab was closed; its session is left. */
  closed(chat: OpenChat): void {
    this.#recent.remove(chat);
    this.#listener.currentChanged();
    void chat.chat?.shown.leave();
  }

  dispose(): void {
    this.panels.dispose();
    this.#view.dispose();
    this.home.dispose();
  }
}
