/** Edits the selected lines: asks for the request, shows progress, and reports the outcome. The chat stays as it is. */
import type { SessionConfig } from "pintle-client";
import * as vscode from "vscode";
import { shown } from "../../machine.ts";
import type { HasChat } from "../../owner.ts";
import type { EndedEdit, LineEdit } from "../../sessions/lineEdits.ts";
import { MOST_STEPS } from "../../sessions/lineEdits.ts";
import { permissionModeOf } from "../../settings/settings.ts";
import { nameOf } from "../../transcript/toolParts.ts";
import { t } from "../../words.ts";
import type { Chat } from "../chat.ts";
import type { Shown } from "../input.ts";
import { attach } from "../input.ts";
import { showFailure } from "./problemNotice.ts";

export function lineEditCommands(owner: HasChat): Record<string, () => unknown> {
  return { "pintle.editLines": () => editLines(owner) };
}

/** The last request if it failed, offered again. */
let unsent = "";

async function editLines({ chat }: HasChat): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (chat === undefined) {
    void vscode.window.showWarningMessage(t("Open and trust a folder first."));
    return;
  }
  if (editor?.document.uri.scheme !== "file") {
    void vscode.window.showInformationMessage(t("Open a file to edit lines of it."));
    return;
  }
  const { place, ...what } = linesOf(editor);
  const given = await vscode.window.showInputBox({
    title: t("Edit {0}", place),
    prompt: t("What should be changed?"),
    value: unsent,
  });
  const request = given?.trim() ?? "";
  if (request === "") return;
  unsent = request;
  try {
    const ended = await withProgress(chat, place, { ...what, request, config: configOf(chat) });
    if (ended.end.status !== "failed") unsent = "";
    await report(chat, place, ended);
  } catch (error) {
    await showFailure(error, (reason) => t("Could not edit {0}: {1}", place, reason));
  }
}

/** The selected lines as whole lines, or the line of the cursor. */
function linesOf(editor: vscode.TextEditor): Pick<LineEdit, "name" | "attached"> & { place: string } {
  const { document, selection } = editor;
  const first = selection.start.line;
  // If whole lines are selected, the selection ends at the start of the next one.
  const last = Math.max(first, selection.end.line - (selection.end.character === 0 ? 1 : 0));
  const text = document.getText(new vscode.Range(first, 0, last + 1, 0));
  const lines: Shown = {
    ...shown(editor),
    // A line without text is selected as well.
    selected: { startLine: first, endLine: last, endColumn: 1, text: text === "" ? "\n" : text },
  };
  const name = nameOf(document.uri.fsPath);
  const place = first === last ? `${name}:${first + 1}` : `${name}:${first + 1}-${last + 1}`;
  return { name, place, attached: attach(lines) };
}

/** The model and the permission mode of the chat, if it has a session. */
function configOf({ state }: Chat): SessionConfig {
  const config: SessionConfig = {};
  if (state?.model !== undefined && state.model !== "") config.model = state.model;
  const permissionMode = permissionModeOf(state?.permissionMode);
  if (permissionMode !== undefined) config.permissionMode = permissionMode;
  return config;
}

function withProgress(chat: Chat, place: string, edit: LineEdit): Thenable<EndedEdit> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: t("Editing {0}: {1}", place, edit.request.split("\n", 1)[0] ?? ""),
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    await chat.start();
    return chat.window.lineEdits.run(edit, abort.signal);
  });
}

/** Reports the outcome. An edit without changes is deleted unless the user opens its transcript. */
async function report(chat: Chat, place: string, edit: EndedEdit): Promise<void> {
  const { session, end, files } = edit;
  const { showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
  const names = files.map(nameOf).join(", ");
  const isChanged = files.length > 0;
  const open = t("Open Transcript");
  let choice: string | undefined;
  if (end.status === "failed") {
    const reason = end.error?.message ?? t("The turn was stopped.");
    choice = await showErrorMessage(t("Could not edit {0}: {1}", place, reason), open);
  } else if (end.stop === "limit") {
    const text = t("The edit of {0} reached its limit of {1} replies.", place, MOST_STEPS);
    choice = await showWarningMessage(text, open);
  } else if (isChanged) {
    const text =
      end.status === "interrupted" ? t("Stopped after editing {0}.", names) : t("Edited {0}.", names);
    choice = await showInformationMessage(text, open);
  } else if (end.status !== "interrupted") {
    const reason = answerOf(session.state.entries) ?? "";
    choice = await showWarningMessage(t("Nothing was changed in {0}. {1}", place, reason).trim(), open);
  }
  if (choice === open) await vscode.commands.executeCommand("pintle.openSession", session.id);
  else if (!isChanged) await chat.window.lineEdits.discard(edit);
}

/** The first line of the model's last message. */
function answerOf(entries: EndedEdit["session"]["state"]["entries"]): string | undefined {
  const messages = entries.flatMap((each) =>
    each.kind === "item" && each.item.type === "agentMessage" ? [each.item.text] : [],
  );
  return messages.at(-1)?.trim().split("\n", 1)[0];
}
