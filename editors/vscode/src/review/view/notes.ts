/**
 * Notes on lines of any file, by VS Code's own comments: a person gathers them while reading, and sends all of them as one message.
 *
 * They are the window's until then; sent ones leave the editors.
 */
import * as vscode from "vscode";
import { noteMessage } from "../../chat/input.ts";
import type { ChatPage } from "../../chat/view/chatPage.ts";
import { say } from "../../documents/view/editorActions.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { t } from "../../words.ts";

type Owner = HasChat & HasFolder & { readonly view: ChatPage };

export class Notes {
  readonly #owner: Owner;
  readonly #controller: vscode.CommentController;
  readonly #threads = new Set<vscode.CommentThread>();

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#controller = vscode.comments.createCommentController("pintle", "Pintle");
    this.#controller.options = {
      prompt: t("Note for the agent"),
      placeHolder: t("What should be different here?"),
    };
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: ({ uri, lineCount }) =>
        uri.scheme === "file" && owner.chat !== undefined ? [new vscode.Range(0, 0, lineCount - 1, 0)] : [],
    };
  }

  commands(): Record<string, (...args: never[]) => unknown> {
    return {
      "pintle.addNote": (reply: vscode.CommentReply) => this.#add(reply),
      "pintle.removeNote": (thread: vscode.CommentThread) => this.#remove(thread),
      "pintle.sendNotes": () => this.#send(),
    };
  }

  dispose(): void {
    this.#controller.dispose();
  }

  #add({ thread, text }: vscode.CommentReply): void {
    if (text.trim() === "") return;
    const comment: vscode.Comment = {
      author: { name: t("You") },
      body: text,
      mode: vscode.CommentMode.Preview,
    };
    thread.label = t("Note, not sent yet");
    thread.contextValue = "pintleNote";
    thread.comments = [...thread.comments, comment];
    this.#threads.add(thread);
    this.#count();
  }

  #remove(thread: vscode.CommentThread): void {
    this.#threads.delete(thread);
    thread.dispose();
    this.#count();
  }

  async #send(): Promise<void> {
    if (this.#threads.size === 0) {
      const words = t("There are no notes. Add one with the plus sign next to a line number.");
      void vscode.window.showInformationMessage(words);
      return;
    }
    if (this.#owner.view.saysHidden()) return;
    const notes = await Promise.all(
      [...this.#threads].map(async ({ uri, range, comments }) => {
        const document = await vscode.workspace.openTextDocument(uri);
        const [start, end] = [range?.start.line ?? 0, range?.end.line ?? 0];
        const lines = new vscode.Range(start, 0, Math.min(end + 1, document.lineCount), 0);
        return {
          path: uri.fsPath,
          label: vscode.workspace.asRelativePath(uri),
          start: start + 1,
          end: end + 1,
          lines: document.getText(lines),
          texts: comments.map(({ body }) => (typeof body === "string" ? body : body.value)),
        };
      }),
    );
    const { text, attached } = noteMessage(notes);
    for (const each of [...this.#threads]) this.#remove(each);
    await this.#owner.view.focus();
    await say(this.#owner, text, attached);
  }

  #count(): void {
    void vscode.commands.executeCommand("setContext", "pintle.hasNotes", this.#threads.size > 0);
  }
}
