/** Answers questions from anywhere: a list of what is asked, what it is about, and the answers. Never takes the focus by itself. */
import type { TurnCompleted } from "pintle-client";
import * as vscode from "vscode";
import type { HasChat, HasFolder } from "../../owner.ts";
import { AskedEditors } from "../../review/view/askedEditors.ts";
import { ProposalFiles } from "../../review/view/proposalFiles.ts";
import { closeProposed, openProposed } from "../../review/view/proposed.ts";
import type { Session } from "../../sessions/session.ts";
import { isChatHidden } from "../../settings/view/showChat.ts";
import { endedText } from "../../transcript/told.ts";
import { plural, t } from "../../words.ts";
import { rowsOf, textOfAsked } from "../approvals.ts";
import type { Asked } from "../consent.ts";
import { titleOf } from "../consent.ts";
import type { KeyboardPlace } from "../messages.ts";
import type { ChatPage } from "./chatPage.ts";
import type { Chats } from "./chats.ts";

type Owner = HasChat &
  HasFolder & {
    readonly attention: Attention;
    readonly view: ChatPage;
    readonly chats: Chats;
  };

/** The places that a key may name, from which the question is gone to. */
const PLACES: KeyboardPlace[] = ["terminal", "panel", "sideBar"];

export class Attention {
  readonly #owner: Owner;
  /** The question whose answers are listed. */
  #listed: { id: string; source: vscode.CancellationTokenSource } | undefined;

  /** Answered from an editor that what was shown may have covered: the keyboard goes back there. */
  #guest: string | undefined;

  readonly #editors: AskedEditors;
  readonly proposals: ProposalFiles;
  /** Runs one at a time: a second save of the same text would fail. */
  #closing = Promise.resolve();

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#editors = new AskedEditors(owner);
    this.proposals = new ProposalFiles(() => owner.chats.each(({ view }) => view.redrawHead()));
  }

  commands(): Record<string, () => unknown> {
    return {
      "pintle.answer": () => this.answer(),
      "pintle.goToQuestion": (from?: unknown) => this.goTo(PLACES.find((each) => each === from)),
      ...this.#editors.commands(),
    };
  }

  dispose(): void {
    this.#editors.dispose();
    this.proposals.dispose();
  }

  /** What is open may be other questions: what was shown for those that are gone goes too. */
  changed(): void {
    const { chat } = this.#owner;
    const states = (chat?.sessions ?? []).map(({ state }) => state);
    const own = {
      approvals: states.flatMap(({ approvals }) => approvals),
      questions: states.flatMap(({ questions }) => questions),
    };
    const asked = chat?.asked.all(own) ?? [];
    const open = new Map(asked.map((each) => [idOf(each), titleOf(each)]));
    if (this.#listed !== undefined && !open.has(this.#listed.id)) this.#listed.source.cancel();
    this.#closing = this.#closing.then(() => this.#close(open));
    this.#editors.update();
    void vscode.commands.executeCommand("setContext", "pintle.hasQuestion", (chat?.asked.size ?? 0) > 0);
  }

  /** A question is shown in the view; a notification comes only to a window that nobody looks at, or that hides the view. */
  notify(): void {
    const asked = this.#open().at(-1);
    const { isHome } = this.#owner.chats.asking;
    const isSeen = vscode.window.state.focused && !(isHome && isChatHidden());
    if (isSeen || asked === undefined) return;
    void vscode.window
      .showWarningMessage(t("Pintle asks: {0}", titleOf(asked)), t("Answer…"), t("Show"))
      .then((choice) => {
        if (choice === t("Show")) void this.goTo();
        if (choice === t("Answer…")) void this.#answer(asked);
      });
  }

  /** A turn's end is in the view; a notification comes only to a window that nobody looks at. */
  turnEnded(session: Session, end: TurnCompleted): void {
    const isWanted = vscode.workspace.getConfiguration("pintle").get("notifyWhenDone") === true;
    if (vscode.window.state.focused || !isWanted || end.status === "interrupted") return;
    const { showInformationMessage, showWarningMessage } = vscode.window;
    const show = end.status === "failed" ? showWarningMessage : showInformationMessage;
    void show(endedText(end, session.name), t("Show")).then((choice) => {
      if (choice === t("Show")) void vscode.commands.executeCommand("pintle.openSession", session.id);
    });
  }

  /** Takes the keyboard to the first question in the view; without the view, to the list of what waits. */
  goTo(from?: KeyboardPlace): Promise<void> {
    const { view, isHome } = this.#owner.chats.asking;
    return isHome && isChatHidden() ? this.answer() : view.focusQuestion(from);
  }

  /** Lists what waits for an answer from this window; one question alone is not listed first. */
  async answer(): Promise<void> {
    const open = this.#open();
    const [only, ...more] = open;
    if (only === undefined) {
      void vscode.window.showInformationMessage(t("No questions are open."));
      return;
    }
    if (more.length === 0) return this.#answer(only);
    const rows = open.map((asked) => ({ label: titleOf(asked), detail: whyOf(asked), asked }));
    const picked = await vscode.window.showQuickPick(rows, {
      title: plural(open.length, "{0} open question", "{0} open questions"),
      placeHolder: t("Question"),
    });
    if (picked !== undefined) await this.#answer(picked.asked);
  }

  async #close(open: Map<string, string>): Promise<void> {
    const isBack = this.#guest !== undefined && !open.has(this.#guest);
    if (isBack) this.#guest = undefined;
    await closeProposed(this.#owner, open);
    this.proposals.forget((id) => open.has(id));
    if (isBack) await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
  }

  async #answer(asked: Asked): Promise<void> {
    const id = idOf(asked);
    const isGuest = (await this.#owner.view.keyboardPlace()) === "editor";
    await this.#show(asked, id);
    const source = new vscode.CancellationTokenSource();
    this.#listed = { id, source };
    const options = { title: titleOf(asked), placeHolder: whyOf(asked), ignoreFocusOut: true };
    const picked = await vscode.window.showQuickPick(rowsOf(asked), options, source.token);
    if (this.#listed?.source === source) this.#listed = undefined;
    source.dispose();
    const { chat, chats } = this.#owner;
    if (isGuest && picked !== undefined && picked.pick.type !== "chat") this.#guest = id;
    switch (picked?.pick.type) {
      case "chat":
        return chats.asking.view.focusQuestion();
      case "allow":
        return chat?.answer(id, { optionId: picked.pick.option.optionId });
      case "say":
        return chat?.answer(id, { optionIds: [picked.pick.optionId] });
      case "words": {
        const text = await vscode.window.showInputBox({
          title: titleOf(asked),
          prompt: t("Your answer"),
        });
        if (text !== undefined && text.trim() !== "") chat?.answer(id, { optionIds: [], text });
        return;
      }
      case "leave":
      case undefined:
        return;
    }
  }

  /** Shows the whole of what is asked beside the list, which has room for a line alone. */
  async #show(asked: Asked, id: string): Promise<void> {
    if (asked.kind === "approval") await openProposed(this.#owner, id);
    const text = textOfAsked(asked);
    if (text === "") return;
    const uri = this.proposals.show(id, `/${t("Question")}`, text);
    await vscode.window.showTextDocument(uri, { preview: true, preserveFocus: true });
  }

  #open(): Asked[] {
    return this.#owner.chat?.asked.all(undefined) ?? [];
  }
}

function idOf(asked: Asked): string {
  return asked.kind === "approval" ? asked.approval.approvalId : asked.question.questionId;
}

function whyOf(asked: Asked): string {
  return asked.kind === "approval" ? t("Reason: {0}", asked.approval.reason) : t("The agent asks");
}
