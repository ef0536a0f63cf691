/** Whole outputs of calls, read from the engine when somebody asks, as documents that cannot be changed. */
import * as vscode from "vscode";
import { problemOf } from "../../connection/problem.ts";
import type { HasChat } from "../../owner.ts";
import type { Session } from "../../sessions/session.ts";
import { plain } from "../../transcript/ansi.ts";
import { detailsOf } from "../../transcript/toolCards.ts";
import { t } from "../../words.ts";

const SCHEME = "pintle-output";
/** Bytes of an output that an editor shows; the most it can is not much more. */
const MOST_BYTES = 16 * 1024 * 1024;
const PIECE = 1024 * 1024;

export class OutputPages implements vscode.TextDocumentContentProvider {
  readonly #owner: HasChat;
  readonly #texts = new Map<string, string>();
  readonly #disposables: vscode.Disposable[];

  constructor(owner: HasChat) {
    this.#owner = owner;
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === SCHEME) this.#texts.delete(uri.toString());
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? t("This output no longer exists.");
  }

  /** Shows the whole output of an entry. */
  async open(session: Session | undefined, key: string): Promise<void> {
    const { chat } = this.#owner;
    const entry = session?.state.all.get(key);
    const full = entry?.kind === "item" ? detailsOf(entry.item)?.fullOutput : undefined;
    if (chat === undefined || session === undefined || full === undefined) return;
    const title = t("Reading the full output");
    const location = vscode.ProgressLocation.Notification;
    try {
      await vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
        const uri = vscode.Uri.from({
          scheme: SCHEME,
          path: `/${t("Output {0}", key)}.log`,
          query: session.id,
        });
        const texts: string[] = [];
        let at = 0;
        while (at < Math.min(full.bytes, MOST_BYTES) && !token.isCancellationRequested) {
          const piece = { sessionId: session.id, ref: full.ref, offset: at, length: PIECE };
          const { text, end } = await chat.request("blob/read", piece);
          if (end <= at) break;
          texts.push(text);
          progress.report({ increment: ((end - at) / Math.min(full.bytes, MOST_BYTES)) * 100 });
          at = end;
        }
        if (token.isCancellationRequested) return;
        const rest =
          at < full.bytes
            ? `\n${t("… {0} more bytes; the engine stores all {1}.", full.bytes - at, full.bytes)}`
            : "";
        this.#texts.set(uri.toString(), plain(texts.join("")) + rest);
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
      });
    } catch (error) {
      void vscode.window.showErrorMessage(t("Could not read the output: {0}", problemOf(error).text));
    }
  }

  dispose(): void {
    for (const each of this.#disposables) each.dispose();
  }
}
