/** Settings that the engine is started with have changed. */
import * as vscode from "vscode";
import type { Chat } from "../../chat/chat.ts";
import { t } from "../../words.ts";

/** An engine that does not run starts with the new settings; one that runs is not taken away from a turn. */
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
