/** Applies settings that the engine reads at start. */
import * as vscode from "vscode";
import type { ChatWindow } from "../../chat/window.ts";
import { t } from "../../words.ts";

/** Restarts an unused or failed engine; asks before restarting one with a session. */
export async function restartWith(window: ChatWindow): Promise<void> {
  const { engine } = window;
  const status = engine.status.kind;
  const isUnused = status === "ready" && window.openIds().length === 0;
  if (status === "failed" || isUnused) await engine.restart();
  else if (status === "ready") {
    const choice = await vscode.window.showInformationMessage(
      t("The new Pintle settings take effect when the engine is restarted."),
      t("Restart the Engine"),
    );
    if (choice !== undefined) await engine.restart();
  }
}
