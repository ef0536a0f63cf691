/**
 * Going back in the session's history, forward again, and on from a place of it in a session of its own. What is meant is picked from
 * lists; what would happen is the engine's word, shown before it does.
 */
import type {
  HistoryPoint,
  Input,
  ItemId,
  RewindScope,
  SessionId,
  SessionRewindParams,
  SessionRewindResult,
} from "pintle-client";
import * as vscode from "vscode";
import type { Chat } from "../../chat/chat.ts";
import { asDraft } from "../../chat/turns.ts";
import type { ChatPage } from "../../chat/view/chatPage.ts";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { labelOf } from "../../paths.ts";
import { undoable } from "../../transcript/history.ts";
import { sentence, t } from "../../words.ts";
import type { PlaceChoice } from "../rewind.ts";
import { checkpointRows, messageBefore, placesOf, previewOf, saidOf, scopeRows } from "../rewind.ts";
import { describeTime } from "./sessionsTree.ts";

export type RewindOwner = HasChat & HasFolder & { readonly view: ChatPage };

interface Here {
  chat: Chat;
  sessionId: SessionId;
}

type Choice = vscode.QuickPickItem & { overwrite?: string[] };

/** A message in the transcript; `isAgain` to request an answer again. */
interface Named {
  itemId: ItemId;
  isAgain: boolean;
}

export function rewindCommands(owner: RewindOwner): Record<string, (...args: never[]) => unknown> {
  const history = new Rewinding(owner);
  return {
    "pintle.rewind": (named?: Named) =>
      named?.isAgain === true ? history.again(named.itemId) : history.rewind(named?.itemId),
    "pintle.redo": () => history.redo(),
    "pintle.fork": () => history.fork(),
    "pintle.checkpoints": () => history.checkpoints(),
  };
}

class Rewinding {
  readonly #owner: RewindOwner;
  /** By session: the message that going back put into the prompt box. */
  readonly #returned = new Map<SessionId, string>();

  constructor(owner: RewindOwner) {
    this.#owner = owner;
  }

  /** Goes back to before one of the person's messages, or to the end of a way that was left. */
  rewind(itemId?: ItemId): Promise<void> {
    return this.#guard(
      (why) => t("Could not rewind: {0}", why),
      async (here) => {
        const place =
          itemId === undefined
            ? await this.#pickPlace(here, t("Rewind to Before Which Message?"))
            : await before(here, itemId);
        if (place?.at === undefined) return;
        const scope = await vscode.window.showQuickPick(scopeRows(), { title: t("Rewind What?") });
        if (scope === undefined) return;
        const title = place.isLeft
          ? t("Go to the End of “{0}”?", place.label)
          : t("Rewind to Before “{0}”?", place.label);
        const overwrite = await this.#confirm(here, title, place.at, scope.scope);
        if (overwrite === undefined) return;
        const { summarize = false } = scope;
        await this.#go(here, { to: place.at, scope: scope.scope, summarize, overwrite });
      },
    );
  }

  /** Requests an answer again: rewinds to before its user message, and resends that. */
  again(itemId: ItemId): Promise<void> {
    return this.#guard(
      (why) => t("Could not retry: {0}", why),
      async (here) => {
        const message = here.chat.state === undefined ? undefined : messageBefore(here.chat.state, itemId);
        if (message === undefined) return;
        const to = { itemId: message };
        const params = { sessionId: here.sessionId, to, scope: "both", dryRun: true } as const;
        const { groups } = previewOf("both", await here.chat.request("session/rewind", params));
        // Files are restored only after a confirmation.
        const title = t("Retry and Undo the Answer's Changes?");
        const overwrite = groups.length === 0 ? [] : await this.#confirm(here, title, to, "both");
        if (overwrite === undefined) return;
        const scope = groups.length === 0 ? "conversation" : "both";
        const { input = [] } = await here.chat.request("session/rewind", {
          sessionId: here.sessionId,
          to,
          scope,
          overwrite,
        });
        const { text, attached } = asDraft([{ content: input }]);
        await here.chat.send(text, attached);
      },
    );
  }

  /** Undoes the last rewind, and the one before it when called again, as long as the model has not worked on. */
  redo(): Promise<void> {
    return this.#guard(
      (why) => t("Could not redo: {0}", why),
      async (here) => {
        const { state } = here.chat;
        const rewind = state === undefined ? undefined : undoable(state.history);
        if (rewind === undefined) {
          say(t("There is no rewind to redo; Pintle: Rewind lists all points."));
          return;
        }
        const text = this.#returned.get(here.sessionId);
        await this.#go(here, { to: { seq: rewind.from }, scope: rewind.scope });
        if (text !== undefined) this.#owner.view.taken(text);
        this.#returned.delete(here.sessionId);
      },
    );
  }

  /** Goes on from a place of the history in a session of its own; this one stays as it is. */
  fork(): Promise<void> {
    return this.#guard(
      (why) => t("Could not fork: {0}", why),
      async (here) => {
        const all = { label: t("Here, with the full history"), itemId: undefined, isLeft: false };
        const place = await this.#pickPlace(here, t("Fork Before Which Message?"), all);
        if (place === undefined) return;
        const { text, attached } = asDraft([{ content: await messageOf(here, place.itemId) }]);
        const { sessionId } = await here.chat.request("session/fork", {
          sessionId: here.sessionId,
          subscribe: false,
          ...(place.at === undefined ? {} : { at: place.at }),
        });
        await here.chat.openSession(sessionId);
        await this.#owner.view.focus();
        this.#owner.view.returned(text, attached);
        say(t("This is the fork; Pintle: Open Session returns to the original."));
      },
    );
  }

  /** Lists the points that files can be put back to; shows what changed since one, or goes back to it. */
  checkpoints(): Promise<void> {
    return this.#guard(
      (why) => t("Could not list checkpoints: {0}", why),
      async (here) => {
        const { chat, sessionId } = here;
        const { checkpoints } = await chat.request("checkpoint/list", { sessionId });
        const rows = checkpointRows(checkpoints, (path) => labelOf(this.#owner.folderPath, path));
        const items = rows.map((row) => ({ ...row, description: describeTime(row.tsMs) }));
        const point = await vscode.window.showQuickPick(items, {
          title: t("Checkpoints"),
          matchOnDetail: true,
        });
        if (point === undefined) return;
        const [show, back] = [t("Show What Changed Since"), t("Restore the Files to This Point…")];
        const chosen = await vscode.window.showQuickPick([show, back], { title: point.label });
        const to = { seq: point.seq };
        if (chosen === show) {
          const { text } = await chat.request("checkpoint/diff", { sessionId, from: to });
          const content = text === "" ? `${t("No files have changed since.")}\n` : text;
          const document = await vscode.workspace.openTextDocument({ language: "diff", content });
          await vscode.window.showTextDocument(document, { preview: true });
        } else if (chosen === back) {
          const overwrite = await this.#confirm(
            here,
            t("Restore the Files to “{0}”?", point.label),
            to,
            "files",
          );
          if (overwrite !== undefined) await this.#go(here, { to, scope: "files", overwrite });
        }
      },
    );
  }

  async #guard(failed: (why: string) => string, work: (here: Here) => Promise<void>): Promise<void> {
    const { chat } = this.#owner;
    const sessionId = chat?.openId();
    if (chat === undefined || sessionId === undefined) {
      say(t("There is no session; Pintle: Open Session opens one."));
      return;
    }
    try {
      await work({ chat, sessionId });
    } catch (error) {
      void vscode.window.showErrorMessage(failed(lineOf(problemOf(error))));
    }
  }

  async #pickPlace(
    { chat, sessionId }: Here,
    title: string,
    first?: PlaceChoice,
  ): Promise<PlaceChoice | undefined> {
    const tree = await chat.request("session/tree", { sessionId });
    const places = [...(first === undefined ? [] : [first]), ...placesOf(tree)];
    const items = places.map((place) => {
      const time = place.tsMs === undefined ? "" : describeTime(place.tsMs);
      return {
        label: place.label,
        description: [time, place.isLeft ? t("left; continue at its end") : ""]
          .filter((each) => each !== "")
          .join(" · "),
        place,
      };
    });
    if (items.length === 0) {
      say(t("There is no message to rewind to yet."));
      return undefined;
    }
    return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.place;
  }

  /** Shows what would happen. Gives the files to write over, or undefined to do nothing. */
  async #confirm(
    here: Here,
    title: string,
    to: HistoryPoint,
    scope: RewindScope,
  ): Promise<string[] | undefined> {
    const params = { sessionId: here.sessionId, to, scope, dryRun: true };
    const preview = previewOf(scope, await here.chat.request("session/rewind", params));
    const choices: Choice[] = [{ label: t("Do Nothing") }];
    if (preview.conflicts.length === 0) choices.push({ label: t("Rewind"), overwrite: [] });
    else {
      choices.push({ label: t("Rewind, and Skip Conflicts"), overwrite: [] });
      const lose = t("Rewind, and Discard Your Changes in Conflicts");
      choices.push({ label: lose, overwrite: preview.conflicts });
    }
    for (const { title: group, files } of preview.groups) {
      choices.push({ label: group, kind: vscode.QuickPickItemKind.Separator });
      for (const { path, action } of files) {
        choices.push({ label: labelOf(this.#owner.folderPath, path), description: action });
      }
    }
    const none =
      scope !== "conversation" && preview.groups.length === 0 ? t("No files have changed since.") : "";
    const placeHolder = `${preview.conversation} ${none}`.trim() || t("Effect on files:");
    return (await vscode.window.showQuickPick(choices, { title, placeHolder }))?.overwrite;
  }

  async #go(here: Here, params: Omit<SessionRewindParams, "sessionId">): Promise<void> {
    const scope = params.scope ?? "conversation";
    const result: SessionRewindResult = await here.chat.request("session/rewind", {
      ...params,
      sessionId: here.sessionId,
    });
    const { text, isWhole } = saidOf(scope, result);
    const words = `${sentence(text)} ${t("Pintle: Redo the Last Rewind goes forward again.")}`;
    if (isWhole) say(words);
    else void vscode.window.showWarningMessage(words);
    const input = scope === "files" ? [] : (result.input ?? []);
    if (input.length === 0) return;
    const { text: message, attached } = asDraft([{ content: input }]);
    this.#returned.set(here.sessionId, message);
    this.#owner.view.returned(message, attached);
  }
}

/** The point before a message. */
async function before(here: Here, itemId: ItemId): Promise<PlaceChoice> {
  const { text } = asDraft([{ content: await messageOf(here, itemId) }]);
  return { label: text.replace(/\s*\n[^]*/, " …"), at: { itemId }, itemId, isLeft: false };
}

/** The content of a message, which may stand before what was read of the session; empty where there is none. */
async function messageOf({ chat, sessionId }: Here, itemId: ItemId | undefined): Promise<Input[]> {
  if (itemId === undefined) return [];
  const { item } = await chat.request("item/read", { sessionId, itemId });
  return item.type === "userMessage" ? item.content : [];
}

function say(text: string): void {
  void vscode.window.showInformationMessage(text);
}
