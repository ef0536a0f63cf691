/** What the transcript's page says, done. */
import * as vscode from "vscode";
import type { FromPage } from "../messages.ts";
import type { Extension } from "../root.ts";
import { compareUnsaved, openDiff } from "./diffs.ts";

export function fromPage(extension: Extension, message: FromPage): void {
  const { chat } = extension;
  switch (message.type) {
    case "showLog":
      extension.log.show();
      return;
    case "openSettings":
      void vscode.commands.executeCommand("pintle.openSettings");
      return;
    case "openDiff":
      void openDiff(extension, message.path);
      return;
    case "compareUnsaved":
      void compareUnsaved(extension, message.path);
      return;
    case "newSession":
      void vscode.commands.executeCommand("pintle.newSession");
      return;
    case "send":
    case "steer":
    case "queue":
      if (chat === undefined) extension.view.returned(message.text);
      else void chat[message.type](message.text);
      return;
    case "stop":
      void chat?.stop();
      return;
    case "retry":
      void chat?.retry();
      return;
    case "answer":
      chat?.answer(message.approvalId, { optionId: message.optionId });
      return;
    case "say": {
      const text = message.text.trim();
      chat?.answer(message.questionId, { optionIds: message.optionIds, ...(text === "" ? {} : { text }) });
      return;
    }
    case "ready":
      void chat?.start();
      return;
    case "earlier":
    case "draft":
      return;
  }
}
