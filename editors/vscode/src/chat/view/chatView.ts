/**
 * The view with the transcript. The page holds nothing: it is rebuilt from the state whenever it is shown again.
 *
 * Changes are collected and sent at most every 33 ms, and never before the page has said that it is there.
 */
import type { Input } from "pintle-client";
import * as vscode from "vscode";
import type { Walkthrough } from "../../help/view/walkthrough.ts";
import type { HasChat, HasContext, HasFolder, HasMemory } from "../../owner.ts";
import type { Unsaved } from "../../review/view/unsaved.ts";
import { STALL_MS, waitsForModel } from "../../sessions/session.ts";
import { isChatHidden, sayHidden } from "../../settings/view/showChat.ts";
import { Pending, viewEntry, WINDOW } from "../../transcript/viewEntry.ts";
import type { Change, State } from "../../transcript/state.ts";
import { t } from "../../words.ts";
import type { Candidate } from "../complete.ts";
import type { FromPage, KeyboardPlace, ToPage, ViewEntry } from "../messages.ts";
import { headOf } from "./head.ts";
import { Keyboard } from "./keyboard.ts";
import { pageHtml } from "./pageHtml.ts";

const VIEW = "pintle.chat";
/** How often the seconds of a stalled turn are counted. */
const STALL_AGAIN_MS = 5000;
const REDRAW_MS = 1000 / 30;
/** Entries behind the place where a page stood before; the others come when a person goes on. */
const MOST_AROUND = 200;

type Owner = HasChat & HasFolder & HasMemory & HasContext & { readonly walkthrough: Walkthrough };

export class ChatView implements vscode.WebviewViewProvider {
  readonly #owner: Owner;
  readonly #unsaved: Unsaved;
  readonly #receive: (message: FromPage) => void;
  readonly #registration: vscode.Disposable;
  readonly #pending = new Pending();
  readonly #keyboard = new Keyboard();
  #view: vscode.WebviewView | undefined;
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

  constructor(owner: Owner, unsaved: Unsaved, receive: (message: FromPage) => void) {
    this.#owner = owner;
    this.#unsaved = unsaved;
    this.#receive = receive;
    this.#registration = vscode.window.registerWebviewViewProvider(VIEW, this);
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  /** Whether a setting hides the view; that is said then. */
  saysHidden(): boolean {
    const isHidden = isChatHidden();
    if (isHidden) void sayHidden();
    return isHidden;
  }

  async focus(): Promise<void> {
    await this.#show({ type: "focus" });
  }

  /** To the first open question. The answer leads back to where the person comes from. */
  async focusQuestion(from?: KeyboardPlace): Promise<void> {
    await this.#show({ type: "focusQuestion", from: from ?? (await this.keyboardPlace()) });
  }

  keyboardPlace(): Promise<KeyboardPlace> {
    const isThere = this.#isPageReady && this.isVisible;
    return this.#keyboard.place(isThere ? (message) => this.post(message) : undefined);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#isPageReady = false;
    const dist = vscode.Uri.joinPath(this.#owner.context.extensionUri, "dist");
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: FromPage) => this.#received(message));
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#isPageReady = false;
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = undefined;
      this.#isPageReady = false;
    });
    view.webview.html = pageHtml(view.webview, dist);
    this.#badge();
    this.#owner.walkthrough.shown();
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
    this.#badge();
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
    void this.#view?.webview.postMessage(message);
  }

  /** Takes text away again that was put there, unless it was touched. */
  taken(text: string): void {
    this.post({ type: "taken", text });
    const { memory, chat } = this.#owner;
    if (memory.draft(chat?.session?.id).trim() === text.trim()) memory.setDraft(chat?.session?.id, "");
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#stall);
    this.#registration.dispose();
  }

  async #show(focus: ToPage): Promise<void> {
    if (this.saysHidden()) return;
    this.#wantsFocus = focus;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
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
      this.#owner.memory.setDraft(message.session, message.text);
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
        draft: this.#owner.memory.draft(this.#owner.chat?.session?.id),
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
    const end = state.start + state.entries.length;
    const place = this.#place === undefined ? undefined : state.indexes.get(this.#place);
    const first = Math.max(state.start, Math.min(end - WINDOW, (place ?? end) - WINDOW / 2));
    const last = place === undefined ? end : Math.min(end, place + MOST_AROUND);
    return {
      first,
      entries: between(state, first, last),
      hasEarlier: this.#hasEarlier(first),
      isEnd: last === end,
    };
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

  #badge(): void {
    if (this.#view === undefined) return;
    const count = this.#owner.chat?.asked.size ?? 0;
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip: t("Questions for you") };
    this.#view.description = this.#owner.chat?.state?.title ?? "";
  }
}

/** The entries from a number up to another one. */
function between(state: State, first: number, last: number): ViewEntry[] {
  return state.entries.slice(first - state.start, last - state.start).map(viewEntry);
}
