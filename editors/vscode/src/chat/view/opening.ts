/** Opens the chat by a link. Text of a link is written to the prompt box and never sent. */
import * as vscode from "vscode";
import type { HasChat, HasFolder } from "../../owner.ts";
import { listSessions } from "../../sessions/list.ts";
import { lineOf, problemOf } from "../../connection/problem.ts";
import { t } from "../../words.ts";
import { readOpening } from "../opening.ts";
import type { ChatPage } from "./chatPage.ts";

type Owner = HasChat & HasFolder & { readonly view: ChatPage };

export function registerOpening(owner: Owner): vscode.Disposable {
  return vscode.window.registerUriHandler({ handleUri: (uri) => open(owner, uri) });
}

async function open(owner: Owner, uri: vscode.Uri): Promise<void> {
  try {
    const { session, prompt } = readOpening(uri.path, uri.query);
    if (owner.chat === undefined) throw new Error(t("a trusted folder must be open"));
    if (session !== undefined) {
      const known = await listSessions(owner.chat, owner.folderPath);
      if (!known.some(({ sessionId }) => sessionId === session))
        throw new Error(t("this folder has no session {0}", session));
      await vscode.commands.executeCommand("pintle.openSession", session);
    }
    if (owner.view.saysHidden()) return;
    await owner.view.focus();
    if (prompt !== "") owner.view.returned(prompt);
  } catch (error) {
    void vscode.window.showErrorMessage(t("Could not open the link: {0}", lineOf(problemOf(error))));
  }
}
