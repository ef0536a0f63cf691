/**
 * The page of a chat, in the view or in an editor tab. It holds nothing: it is rebuilt from the state whenever it is shown again.
 *
 * Changes are collected and sent at most every 33 ms, and never before the page has said that it is there.
 */
import type { Input } from "pintle-client";
import * as vscode from "vscode";
import type { HasChat, HasContext, HasFolder, HasMemory } from "../../owner.ts";
import type { Unsaved } from "../../review/view/unsaved.ts";
import { STALL_MS, waitsForModel } from "../../sessions/session.ts";
import { around, between, Pending, WINDOW } from "../../transcript/viewEntry.ts";
import type { Change, State } from "../../transcript/state.ts";
import type { Candidate } from "../complete.ts";
import type { FromPage, KeyboardPlace, ToPage, ViewEntry } from "../messages.ts";
import { headOf } from "./head.ts";
import { focusBack, Keyboard } from "./keyboard.ts";
import { pageHtml } from "./pageHtml.ts";

/** How often the seconds of a stalled turn are counted. */
const STALL_AGAIN_MS = 5000;
const REDRAW_MS = 1000 / 30;

type Owner = HasChat & HasFolder & HasMemory & HasContext;

/** Where a page is: a view or an editor tab. */
export interface Frame {
  /** The id of an editor tab; undefined for the view. */
  readonly panel: string | undefined;
  readonly isVisible: boolean;
  /** True if a setting hides it, which is reported to the user. */
  saysHidden(): boolean;
  /** Brings it to the front, with the focus. */
  reveal(): Thenable<unknown>;
  /** The title, or what waits in it, may have changed. */
  headChanged(): void;
}

export class ChatPage {
  readonly #owner: Owner;
  readonly #unsaved: Unsaved;
  readonly #receive: (message: FromPage) => void;
  readonly #frame: Frame;
  readonly #pending = new Pending();
  readonly #keyboard = new Keyboard();
  #webview: vscode.Webview | undefined;
  #isPageReady = false;
  #needsReset = true;
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = 0;
  #stall: NodeJS.Timeout | undefined;
  /** Where the page stood before it was hidden: the key of an entry; undefined where it follows the newest one. */
  #place: string | undefined;
  /** Said to a page that was not there. */
  #returned: { text: string; attached: Input[] }[] = [];
  #wantsFocus: ToPage | undefined;
  /** The editor that was active before the focus went to a question. */
  #editor: vscode.TextEditor | undefined;

  constructor(owner: Owner, unsaved: Unsaved, frame: Frame, receive: (message: FromPage) => void) {
    this.#owner = owner;
    this.#unsaved = unsaved;
    this.#frame = frame;
    this.#receive = receive;
  }

  get isVisible(): boolean {
    return this.#frame.isVisible;
  }

  /** True if a setting hides the chat, which is reported to the user. */
  saysHidden(): boolean {
    return this.#frame.saysHidden();
  }

  async focus(): Promise<void> {
    await this.#show({ type: "focus" });
  }

  /** To the first open question. The answer leads back to where the person comes from. */
  async focusQuestion(from?: KeyboardPlace): Promise<void> {
    this.#editor = vscode.window.activeTextEditor;
    await this.#show({ type: "focusQuestion", from: from ?? (await this.keyboardPlace()) });
  }

  /** Returns the focus to where it was before the question. A tab may cover the editor, or have taken its place. */
  async focusBack(to: KeyboardPlace): Promise<void> {
    const editor = this.#frame.panel === undefined || to !== "editor" ? undefined : this.#editor;
    if (editor?.document.isClosed !== false) return focusBack(to);
    await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  }

  keyboardPlace(): Promise<KeyboardPlace> {
    const isThere = this.#isPageReady && this.isVisible;
    return this.#keyboard.place(isThere ? (message) => this.post(message) : undefined);
  }

  /** Draws the page into a webview; undefined when that is gone. */
  attachTo(webview: vscode.Webview | undefined): void {
    this.#webview = webview;
    this.#isPageReady = false;
    if (webview === undefined) return;
    const dist = vscode.Uri.joinPath(this.#owner.context.extensionUri, "dist");
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    webview.onDidReceiveMessage((message: FromPage) => this.#received(message));
    webview.html = pageHtml(webview, dist);
    this.#frame.headChanged();
  }

  /** The webview is hidden, which ends the page. */
  hidden(): void {
    this.#isPageReady = false;
  }

  /** Another session, or all of it anew. */
  reset(): void {
    this.#needsReset = true;
    this.#pending.clear();
    this.#schedule();
  }

  changed(changes: Change[]): void {
    if (!this.#isPageReady || this.#needsReset) return;
    this.#pending.add(changes);
    if (!this.#pending.isEmpty) this.#schedule();
  }

  redrawHead(): void {
    this.#frame.headChanged();
    this.#pending.add([{ type: "head" }]);
    this.#schedule();
  }

  /** Puts text back into the prompt box. */
  returned(text: string, attached: Input[] = []): void {
    this.#returned.push({ text, attached });
    this.#schedule();
  }

  /** Attaches something to what stands in the prompt box. */
  attach(inputs: Input[]): void {
    this.returned("", inputs);
  }

  candidates(id: number, candidates: Candidate[]): void {
    this.post({ type: "candidates", id, candidates });
  }

  /** Says something to the page; it is lost where there is none. */
  post(message: ToPage): void {
    void this.#webview?.postMessage(message);
  }

  /** Takes text away again that was put there, unless it was touched. */
  taken(text: string): void {
    this.post({ type: "taken", text });
    const { memory, chat } = this.#owner;
    const key = this.#draftKey(chat?.session?.id);
    if (memory.draft(key).trim() === text.trim()) memory.setDraft(key, "");
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#stall);
  }

  async #show(focus: ToPage): Promise<void> {
    if (this.saysHidden()) return;
    this.#wantsFocus = focus;
    await this.#frame.reveal();
    this.#schedule();
  }

  #received(message: FromPage): void {
    if (message.type === "ready") {
      this.#isPageReady = true;
      this.#needsReset = true;
      this.#place = message.place;
      this.#schedule();
    } else if (message.type === "earlier") {
      void this.#sendEarlier(message.before).catch(() => undefined);
      return;
    } else if (message.type === "later") {
      this.#sendLater(message.after);
      return;
    } else if (message.type === "keyboard") {
      this.#keyboard.told(message.isHere);
      return;
    } else if (message.type === "newest") {
      this.#place = undefined;
      this.reset();
      return;
    } else if (message.type === "draft") {
      this.#owner.memory.setDraft(this.#draftKey(message.session), message.text);
      return;
    }
    this.#receive(message);
  }

  #schedule(): void {
    if (this.#timer !== undefined || !this.#isPageReady) return;
    const wait = Math.max(0, this.#drawnAt + REDRAW_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#drawnAt = Date.now();
      this.#draw();
    }, wait);
  }

  /** Looks again when a turn has given no sign for too long, and as long as it gives none. */
  #watchStall(): void {
    clearTimeout(this.#stall);
    const session = this.#owner.chat?.session;
    if (session === undefined || !waitsForModel(session.state)) return;
    const wait = Math.max(STALL_AGAIN_MS, session.lastSignMs + STALL_MS - Date.now());
    this.#stall = setTimeout(() => this.redrawHead(), wait);
  }

  #draw(): void {
    if (!this.#isPageReady) return;
    this.#watchStall();
    const state = this.#owner.chat?.state;
    if (this.#needsReset) {
      this.#needsReset = false;
      this.#pending.clear();
      const shown = this.#window(state);
      if (shown.entries.length > 0) this.#place = undefined;
      this.post({
        type: "reset",
        head: headOf(this.#owner, this.#unsaved.paths),
        ...shown,
        session: this.#owner.chat?.session?.id,
        panel: this.#frame.panel,
        draft: this.#owner.memory.draft(this.#draftKey(this.#owner.chat?.session?.id)),
      });
    } else if (!this.#pending.isEmpty) {
      const taken =
        state === undefined ? { entries: [], appends: [], head: true } : this.#pending.take(state);
      if (state === undefined) this.#pending.clear();
      const { entries, appends, head } = taken;
      this.post({
        type: "update",
        entries,
        appends,
        ...(head ? { head: headOf(this.#owner, this.#unsaved.paths) } : {}),
      });
    }
    for (const each of this.#returned.splice(0)) this.post({ type: "returned", ...each });
    if (this.#wantsFocus !== undefined) this.post(this.#wantsFocus);
    this.#wantsFocus = undefined;
  }

  /** The entries that a page begins with: the last ones, or those around the place where it stood. */
  #window(state: State | undefined): {
    first: number;
    entries: ViewEntry[];
    hasEarlier: boolean;
    isEnd: boolean;
  } {
    if (state === undefined) return { first: 0, entries: [], hasEarlier: false, isEnd: true };
    const shown = around(state, this.#place);
    return { ...shown, hasEarlier: this.#hasEarlier(shown.first) };
  }

  #hasEarlier(first: number): boolean {
    const session = this.#owner.chat?.session;
    return session !== undefined && (first > session.state.start || session.hasEarlier);
  }

  /** Sends the entries before a number; those that are not known yet are read first. */
  async #sendEarlier(before: number): Promise<void> {
    const session = this.#owner.chat?.session;
    if (session === undefined) return;
    if (before <= session.state.start) await session.readEarlier();
    if (session !== this.#owner.chat?.session) return;
    const first = Math.max(session.state.start, before - WINDOW);
    const entries = between(session.state, first, before);
    this.post({ type: "earlier", first, entries, hasEarlier: this.#hasEarlier(first) });
  }

  #sendLater(first: number): void {
    const state = this.#owner.chat?.state;
    if (state === undefined) return;
    const end = state.start + state.entries.length;
    const last = Math.min(end, first + WINDOW);
    this.post({ type: "later", first, entries: between(state, first, last), isEnd: last === end });
  }

  /** The name of a draft: the session's, else that of the tab, whose next session it is for. */
  #draftKey(session: string | undefined): string | undefined {
    return session ?? this.#frame.panel;
  }
}
