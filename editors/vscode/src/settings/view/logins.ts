/** Logins that a person finishes in the browser, and may cancel here. */
import * as vscode from "vscode";
import { t } from "../../words.ts";

export class Logins {
  readonly #waiting = new Set<AbortController>();

  /** Waits for a login, with a notification that can cancel it. Returns false if it was cancelled. */
  async run(title: string, logIn: (signal: AbortSignal) => Promise<unknown>): Promise<boolean> {
    const login = new AbortController();
    this.#waiting.add(login);
    this.#tell();
    try {
      const location = vscode.ProgressLocation.Notification;
      await vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => {
        token.onCancellationRequested(() => login.abort());
        return logIn(login.signal);
      });
      return true;
    } catch (error) {
      if (login.signal.aborted) return false;
      throw error;
    } finally {
      this.#waiting.delete(login);
      this.#tell();
    }
  }

  cancel(): void {
    if (this.#waiting.size === 0) void vscode.window.showInformationMessage(t("No login in progress."));
    for (const login of this.#waiting) login.abort();
  }

  #tell(): void {
    void vscode.commands.executeCommand("setContext", "pintle.isLoggingIn", this.#waiting.size > 0);
  }
}
