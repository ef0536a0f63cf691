/** Applies settings that the engine reads at start. */
import * as vscode from "vscode";
import type { Chat } from "../../chat/chat.ts";
import { t } from "../../words.ts";

/** Restarts an unused or failed engine; asks before restarting one with a session. */
export async function restartWith(chat: Chat): Promise<void> {
  const { engine } = chat;
  const status = engine.status.kind;
  const isUnused = status === "ready" && chat.openIds().length === 0;
  if (status === "failed" || isUnused) await engine.restart();
  else if (status === "ready") {
    const choice = await vscode.window.showInformationMessage(
      t("The new Pintle settings take effect when the engine is restarted."),
      t("Restart the Engine"),
    );
    if (choice !== undefined) await engine.restart();
  }
}
