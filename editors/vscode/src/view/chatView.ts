/**
 * The view with the transcript. The page holds nothing: it is rebuilt from the state whenever it is shown again.
 *
 * Changes are collected and sent at most every 33 ms, and never before the page has said that it is there.
 */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { meterOf } from "../context.ts";
import type { Candidate } from "../complete.ts";
import { costText } from "../cost.ts";
import type { FromPage, Head, ToPage } from "../messages.ts";
import type { Input } from "../protocol.ts";
import { Pending, WINDOW, labelOf, viewEntry } from "../project.ts";
import type { Change } from "../state.ts";
import type { HasChat, HasContext, HasFolder, HasMemory } from "./owner.ts";
import type { Unsaved } from "./unsaved.ts";

const VIEW = "pintle.chat";
const REDRAW_MS = 1000 / 30;

export class ChatView implements vscode.WebviewViewProvider {
  readonly #owner: HasChat & HasFolder & HasMemory & HasContext;
  readonly #unsaved: Unsaved;
  readonly #receive: (message: FromPage) => void;
  readonly #registration: vscode.Disposable;
  readonly #pending = new Pending();
  #view: vscode.WebviewView | undefined;
  #isPageReady = false;
  #needsReset = true;
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = 0;
  /** The first entry that the page has. */
  #first = 0;
  /** Said to a page that was not there. */
  #returned: { text: string; attached: Input[] }[] = [];
  #wantsFocus: ToPage | undefined;

  constructor(
    owner: HasChat & HasFolder & HasMemory & HasContext,
    unsaved: Unsaved,
    receive: (message: FromPage) => void,
  ) {
    this.#owner = owner;
    this.#unsaved = unsaved;
    this.#receive = receive;
    this.#registration = vscode.window.registerWebviewViewProvider(VIEW, this);
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  async focus(): Promise<void> {
    await this.#show({ type: "focus" });
  }

  /** To the first open question. The answer leads back to the editor, if the person comes from there. */
  async focusQuestion(): Promise<void> {
    await this.#show({ type: "focusQuestion", isGuest: vscode.window.activeTextEditor !== undefined });
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
    view.webview.html = page(view.webview, dist);
    this.#badge();
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

  candidates(id: number, candidates: Candidate[]): void {
    this.#post({ type: "candidates", id, candidates });
  }

  /** Takes text away again that was put there, unless it was touched. */
  taken(text: string): void {
    this.#post({ type: "taken", text });
    if (this.#owner.memory.draft.trim() === text.trim()) this.#owner.memory.draft = "";
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#registration.dispose();
  }

  async #show(focus: ToPage): Promise<void> {
    this.#wantsFocus = focus;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    this.#schedule();
  }

  #received(message: FromPage): void {
    if (message.type === "ready") {
      this.#isPageReady = true;
      this.#needsReset = true;
      this.#schedule();
    } else if (message.type === "earlier") {
      this.#sendEarlier(message.before);
      return;
    } else if (message.type === "draft") {
      this.#owner.memory.draft = message.text;
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

  #draw(): void {
    if (!this.#isPageReady) return;
    const state = this.#owner.chat?.state;
    if (this.#needsReset) {
      this.#needsReset = false;
      this.#pending.clear();
      const entries = state?.entries ?? [];
      this.#first = Math.max(0, entries.length - WINDOW);
      const shown = entries.slice(this.#first).map(viewEntry);
      this.#post({
        type: "reset",
        head: this.#head(),
        first: this.#first,
        entries: shown,
        draft: this.#owner.memory.draft,
      });
    } else if (!this.#pending.isEmpty) {
      const taken =
        state === undefined ? { entries: [], appends: [], head: true } : this.#pending.take(state);
      if (state === undefined) this.#pending.clear();
      const { entries, appends, head } = taken;
      this.#post({ type: "update", entries, appends, ...(head ? { head: this.#head() } : {}) });
    }
    for (const each of this.#returned.splice(0)) this.#post({ type: "returned", ...each });
    if (this.#wantsFocus !== undefined) this.#post(this.#wantsFocus);
    this.#wantsFocus = undefined;
  }

  #sendEarlier(before: number): void {
    const entries = this.#owner.chat?.state?.entries ?? [];
    const first = Math.max(0, before - WINDOW);
    this.#post({ type: "earlier", first, entries: entries.slice(first, before).map(viewEntry) });
  }

  #post(message: ToPage): void {
    void this.#view?.webview.postMessage(message);
  }

  #badge(): void {
    if (this.#view === undefined) return;
    const count = this.#owner.chat?.attention ?? 0;
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip: "Questions that wait for you" };
    this.#view.description = this.#owner.chat?.state?.title ?? "";
  }

  #setting(name: string): string {
    return vscode.workspace.getConfiguration("pintle", this.#owner.folder ?? null).get<string>(name) ?? "";
  }

  #head(): Head {
    const { chat, folder, folderPath } = this.#owner;
    const state = chat?.state;
    const engine = chat === undefined ? noEngine(folder !== undefined) : describe(chat.engine.status);
    return {
      engine,
      problem: chat?.problem,
      activity: engine.kind === "ready" ? (state?.activity ?? "idle") : "idle",
      folder: folderPath,
      title: state?.title ?? "",
      // Without a session, what a new one would have.
      model: state?.model ?? this.#setting("model"),
      permissionMode: state?.permissionMode ?? this.#setting("permissionMode"),
      mode: state?.mode ?? "act",
      cost: costText(state?.costNanoUsd),
      context: meterOf(state?.context),
      queue: state?.queue.map((each) => ({ ...each, from: state.senders.get(each.itemId) })) ?? [],
      approvals: chat?.asked.approvals(state?.approvals.values() ?? []) ?? [],
      questions: chat?.asked.questions(state?.questions.values() ?? []) ?? [],
      plan: state?.plan ?? [],
      unsaved: this.#unsaved.paths.map((path) => ({ path, label: labelOf(folderPath, path) })),
    };
  }
}

function noEngine(hasFolder: boolean): Head["engine"] {
  if (!hasFolder) return { kind: "none", text: "Open a folder to work in.", hint: "" };
  return { kind: "none", text: "This folder is not trusted.", hint: "The engine starts once you trust it." };
}

type Status = import("../engine.ts").Status;

function describe(status: Status): Head["engine"] {
  const { kind } = status;
  switch (status.kind) {
    case "off":
      return { kind, text: "The engine is off.", hint: "" };
    case "starting":
      return { kind, text: "The engine is starting…", hint: "" };
    case "waiting":
      return { kind, text: status.problem, hint: "It is being started again." };
    case "failed":
      return { kind, text: status.problem, hint: status.hint };
    case "ready":
      return { kind, text: `Engine ${status.info.engine.version}`, hint: "" };
  }
}

function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, "webview.js")).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(dist, "style.css")).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Pintle</title>
</head>
<body>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
