/** Allow and Deny in the title of an editor that shows all of what a question of permission asks for. */
import type { Approval, Decision } from "pintle-client";
import * as vscode from "vscode";
import { titleOf } from "../../chat/consent.ts";
import type { HasChat } from "../../owner.ts";
import { approvalOf } from "./proposalFiles.ts";
import { titleOfMany } from "./proposed.ts";

export class AskedEditors {
  readonly #owner: HasChat;
  readonly #registration: vscode.Disposable;
  #isShown = false;

  constructor(owner: HasChat) {
    this.#owner = owner;
    this.#registration = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(() => this.update()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.update()),
    );
  }

  commands(): Record<string, () => void> {
    return {
      "pintle.allowAsked": () => this.#answer("allow"),
      "pintle.denyAsked": () => this.#answer("deny"),
    };
  }

  /** Another editor is active, or other questions are open. */
  update(): void {
    const isShown = this.#active() !== undefined;
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    void vscode.commands.executeCommand("setContext", "pintle.isAsked", isShown);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #answer(wanted: Decision): void {
    const approval = this.#active();
    const option = approval?.options.find(({ scope, decision }) => scope === "once" && decision === wanted);
    if (approval === undefined || option === undefined) return;
    this.#owner.chat?.answer(approval.approvalId, { optionId: option.optionId });
  }

  /** The question that the active editor shows whole, if this window can answer it. */
  #active(): Approval | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const open = (this.#owner.chat?.asked.approvals([]) ?? []).filter(({ canAnswer }) => canAnswer);
    if (tab === undefined || open.length === 0) return undefined;
    const { input, label } = tab;
    if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff) {
      const uris = input instanceof vscode.TabInputText ? [input.uri] : [input.original, input.modified];
      const id = uris.map(approvalOf).find((each) => each !== undefined);
      const found = open.find(({ approval }) => approval.approvalId === id)?.approval;
      // One of several changed files is not the whole call.
      return (found?.changes ?? []).length > 1 ? undefined : found;
    }
    const named = open.filter(
      ({ approval }) => titleOfMany(titleOf({ kind: "approval", approval })) === label,
    );
    return named.length === 1 ? named[0]?.approval : undefined;
  }
}
