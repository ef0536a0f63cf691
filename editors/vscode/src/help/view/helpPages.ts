/** `Pintle: Help…`: the engine's guides in VS Code's Markdown preview. */
import * as vscode from "vscode";
import type { Located } from "../../connection/locate.ts";
import { t } from "../../words.ts";
import { page, topicOf, topics } from "../help.ts";

const SCHEME = "pintle-help";

/** Serves the pages as documents; a link between two of them leads to the other document. */
export class HelpPages implements vscode.TextDocumentContentProvider {
  readonly #locate: () => Located;
  readonly #registration: vscode.Disposable;

  constructor(locate: () => Located) {
    this.#locate = locate;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** Asks for a topic and shows its page. */
  async open(): Promise<void> {
    try {
      const all = await topics(this.#program());
      const picked = await vscode.window.showQuickPick(
        all.map(({ topic, summary }) => ({ label: topic, description: summary })),
        {
          title: t("Pintle Help"),
          placeHolder: t("Topic"),
          matchOnDescription: true,
        },
      );
      if (picked === undefined) return;
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${picked.label}.md` });
      await vscode.commands.executeCommand("markdown.showPreview", uri);
    } catch (error) {
      void vscode.window.showErrorMessage(
        t("Could not show the help: {0}", String((error as Error).message)),
      );
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return page(this.#program(), topicOf(uri.path.slice(1)) ?? "");
  }

  #program(): string {
    const located = this.#locate();
    if ("problem" in located) throw new Error(located.problem);
    return located.file;
  }
}
