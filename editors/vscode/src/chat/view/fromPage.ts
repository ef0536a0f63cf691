/** What the transcript's page says, done. */
import * as vscode from "vscode";
import { problemOf } from "../../connection/problem.ts";
import type { HasChat, HasFolder, HasLog } from "../../owner.ts";
import type { ChangedFiles } from "../../review/view/changedFiles.ts";
import type { DiffOwner } from "../../review/view/diffs.ts";
import { compareUnsaved, openDiff } from "../../review/view/diffs.ts";
import { openDetail, openProposed } from "../../review/view/proposed.ts";
import type { Session } from "../../sessions/session.ts";
import { providerOf } from "../../settings/choices.ts";
import { t } from "../../words.ts";
import type { Highlighter } from "../highlight.ts";
import type { AtCard, FromPage } from "../messages.ts";
import { stopJob, stopTool } from "../turns.ts";
import { attachFrom } from "./attachFrom.ts";
import type { Attention } from "./attention.ts";
import type { ChatPage } from "./chatPage.ts";
import { applyCode, insertCode, openLink } from "./code.ts";
import { candidates } from "./completions.ts";
import { openJobTerminal } from "./jobTerminals.ts";
import type { NestedAgents } from "./nestedAgents.ts";
import type { OutputPages } from "./outputPages.ts";
import type { PromptRow } from "./promptRow.ts";
import { ranSlash, runSlash } from "./slash.ts";

export type PageOwner = DiffOwner &
  HasChat &
  HasFolder &
  HasLog & {
    readonly view: ChatPage;
    readonly promptRow: PromptRow;
    readonly changedFiles: ChangedFiles;
    readonly output: OutputPages;
    readonly attention: Attention;
    readonly nested: NestedAgents;
    readonly colours: Highlighter;
    attach(): Promise<void>;
  };

export function fromPage(owner: PageOwner, message: FromPage): void {
  const { chat } = owner;
  switch (message.type) {
    case "showLog":
      owner.log.show();
      return;
    case "openSettings":
      void vscode.commands.executeCommand("pintle.openSettings", message.setting);
      return;
    case "installEngine":
    case "locateEngine":
      void vscode.commands.executeCommand(`pintle.${message.type}`);
      return;
    case "openFolder":
      void vscode.commands.executeCommand("workbench.action.files.openFolder");
      return;
    case "trust":
      void vscode.commands.executeCommand("workbench.trust.manage");
      return;
    case "focusBack":
      void owner.view.focusBack(message.to);
      return;
    case "openDetail":
      void openDetail(owner, message.approvalId, message.at);
      return;
    case "openProposed":
      void openProposed(owner, message.approvalId, message.path);
      return;
    case "complete":
      // A list that cannot be made is no reason to disturb who types.
      void candidates(owner, message, (found) => owner.view.candidates(message.id, found)).catch(
        (error: unknown) => owner.log.warn(`completing: ${problemOf(error).text}`),
      );
      return;
    case "warn":
      void vscode.window.showWarningMessage(message.text);
      return;
    case "openDiff":
      void openDiff(owner, message.path, chat?.session?.id);
      return;
    case "compareUnsaved":
      void compareUnsaved(owner, message.path);
      return;
    case "attach":
      void owner.attach();
      return;
    case "newSession":
    case "applyIsolation":
    case "discardIsolation":
      void vscode.commands.executeCommand(`pintle.${message.type}`);
      return;
    case "send":
    case "steer":
    case "queue":
      void deliver(owner, message);
      return;
    case "choose":
      void owner.promptRow.choose(message.option, message.value);
      return;
    case "readContext":
      void owner.promptRow.readContext();
      return;
    case "compact":
      void owner.promptRow.compact();
      return;
    case "attachFrom":
      void attachFrom(owner, message.what);
      return;
    case "decide":
      owner.changedFiles.decide(message);
      return;
    case "nextChange":
      void vscode.commands.executeCommand("pintle.nextChange");
      return;
    case "restore":
    case "again":
      void vscode.commands.executeCommand("pintle.rewind", {
        itemId: message.itemId,
        isAgain: message.type === "again",
      });
      return;
    case "slash":
      void runSlash(owner, message.name);
      return;
    case "chooseModel":
    case "chooseEffort":
    case "chooseMode":
      void vscode.commands.executeCommand(`pintle.${message.type}`);
      return;
    case "queueUpdate": {
      const { itemId, input, delivery, before } = message;
      const change = {
        ...(input === undefined ? {} : { input }),
        ...(delivery === undefined ? {} : { delivery }),
        ...(before === undefined ? {} : { before }),
      };
      void said(
        (why) => t("Could not change the waiting message: {0}", why),
        chat?.session?.updateWaiting({ itemId, ...change }),
      );
      return;
    }
    case "queueRemove":
      void said(
        (why) => t("Could not change the waiting message: {0}", why),
        chat?.session?.removeWaiting(message.itemId),
      );
      return;
    case "setUpProvider":
      void vscode.commands.executeCommand(
        "pintle.setUpProvider",
        message.provider ?? providerOf(chat?.state?.model ?? ""),
      );
      return;
    case "stop":
      void vscode.commands.executeCommand("pintle.stop");
      return;
    case "tryAgain":
      void chat?.tryAgain();
      return;
    case "continueTurn":
      void chat?.send(t("Continue where you left off."));
      return;
    case "retry":
      void chat?.retry(message.text, message.attached);
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
      owner.promptRow.ready();
      owner.changedFiles.ready();
      void chat?.start();
      return;
    case "highlight":
      void highlight(owner, message.id, message.language, message.code);
      return;
    case "openLink":
      void openLink(owner, message.href);
      return;
    case "copy":
      void vscode.env.clipboard.writeText(message.text);
      return;
    case "insert":
      void insertCode(message.text);
      return;
    case "apply":
      void applyCode(owner, message.text, message.language);
      return;
    case "fullOutput":
      void owner.output.open(sessionOf(owner, message), message.key);
      return;
    case "stopTool":
      void said(
        (why) => t("Could not stop the call: {0}", why),
        stopTool(chat, sessionOf(owner, message), message.itemId),
      );
      return;
    case "stopJob":
      void said(
        (why) => t("Could not stop the job: {0}", why),
        stopJob(chat, sessionOf(owner, message), message.jobId),
      );
      return;
    case "openTerminal":
      openJobTerminal(chat, sessionOf(owner, message), message.jobId, message.command);
      return;
    case "nested":
      void owner.nested.toggle(message.session, message.isOpen);
      return;
    case "earlier":
    case "later":
    case "newest":
    case "keyboard":
    case "used":
    case "draft":
      return;
  }
}

/** The session of a card: the one that is shown, or that of a sub-agent. */
function sessionOf({ chat, nested }: PageOwner, { session }: AtCard): Session | undefined {
  return session === undefined ? chat?.session : nested.session(session);
}

/** Says why nothing was sent without a trusted folder, and offers what is missing. */
async function offerStart(hasFolder: boolean): Promise<void> {
  const [text, verb, command] = hasFolder
    ? [
        t("Pintle starts no engine in a folder that is not trusted."),
        t("Manage Trust"),
        "workbench.trust.manage",
      ]
    : [t("Open a folder to work in."), t("Open Folder"), "workbench.action.files.openFolder"];
  const choice = await vscode.window.showWarningMessage(text, verb);
  if (choice !== undefined) await vscode.commands.executeCommand(command);
}

/** Sends a message, or runs the slash command that it contains. */
async function deliver(
  owner: PageOwner,
  { type, text, attached, withEditor }: Extract<FromPage, { type: "send" | "steer" | "queue" }>,
): Promise<void> {
  const all = withEditor ? [...attached, ...owner.promptRow.inEditor()] : attached;
  const { chat } = owner;
  if (chat === undefined) {
    owner.view.returned(text, attached);
    await offerStart(owner.folder !== undefined);
  } else if (!(await ranSlash(owner, text, all))) await chat[type](text, all);
}

/** Code without colours is code all the same: what goes wrong is only noted. */
async function highlight(owner: PageOwner, id: number, language: string, code: string): Promise<void> {
  try {
    owner.view.post({ type: "highlighted", id, lines: await owner.colours.lines(language, code) });
  } catch (error) {
    owner.log.warn(`colouring ${language}: ${String(error)}`);
  }
}

/** Says why something had no effect: what it was about may be over. */
async function said(words: (why: string) => string, work: Promise<unknown> | undefined): Promise<void> {
  try {
    await work;
  } catch (error) {
    void vscode.window.showWarningMessage(words(problemOf(error).text));
  }
}
