/** The view in the side bar with a chat. */
import * as vscode from "vscode";
import { isChatHidden, sayHidden } from "../../settings/view/showChat.ts";
import { t } from "../../words.ts";
import type { Frame } from "./chatPage.ts";
import type { OpenChat } from "./openChat.ts";

const VIEW = "pintle.chat";

export class ChatView implements vscode.WebviewViewProvider, Frame {
  readonly panel = undefined;
  readonly #shown: () => void;
  readonly #registration: vscode.Disposable;
  #chat: OpenChat | undefined;
  #view: vscode.WebviewView | undefined;

  /** `shown` is called whenever the view is drawn. */
  constructor(shown: () => void) {
    this.#shown = shown;
    this.#registration = vscode.window.registerWebviewViewProvider(VIEW, this);
  }

  /** The chat that is drawn in it. */
  set chat(chat: OpenChat) {
    this.#chat = chat;
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  saysHidden(): boolean {
    const isHidden = isChatHidden();
    if (isHidden) void sayHidden();
    return isHidden;
  }

  reveal(): Thenable<unknown> {
    return vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  headChanged(): void {
    if (this.#view === undefined) return;
    const count = this.#chat?.waiting ?? 0;
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip: t("Questions for you") };
    this.#view.description = this.#chat?.chat?.state?.title ?? "";
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#chat?.view.hidden();
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = undefined;
      this.#chat?.view.attachTo(undefined);
    });
    this.#chat?.view.attachTo(view.webview);
    this.#shown();
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
