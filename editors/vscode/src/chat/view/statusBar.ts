/** One item in the status bar: what the engine does, and how many questions wait. */
import * as vscode from "vscode";
import type { HasChat } from "../../owner.ts";
import { plural, t } from "../../words.ts";

export class StatusBar {
  readonly #owner: HasChat;
  readonly #item: vscode.StatusBarItem;

  constructor(owner: HasChat) {
    this.#owner = owner;
    this.#item = vscode.window.createStatusBarItem("pintle.state", vscode.StatusBarAlignment.Left, 0);
    this.#item.name = "Pintle";
    this.update();
    this.#item.show();
  }

  update(): void {
    const [text, tooltip, color] = this.#describe();
    this.#item.command = (this.#owner.chat?.asked.size ?? 0) > 0 ? "pintle.answer" : "pintle.open";
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.backgroundColor = color === undefined ? undefined : new vscode.ThemeColor(color);
    this.#item.accessibilityInformation = { label: tooltip };
  }

  dispose(): void {
    this.#item.dispose();
  }

  #describe(): [text: string, tooltip: string, color?: string] {
    const chat = this.#owner.chat;
    if (chat === undefined) return ["$(circle-slash) Pintle", t("Pintle: no trusted folder is open")];
    const { status } = chat.engine;
    switch (status.kind) {
      case "failed":
        return ["$(error) Pintle", t("Pintle: {0}", status.problem), "statusBarItem.errorBackground"];
      case "waiting":
      case "starting":
        return ["$(sync~spin) Pintle", t("Pintle: the engine is starting")];
      case "off":
        return ["$(circle-outline) Pintle", t("Pintle: the engine is off")];
      case "ready":
        break;
    }
    const count = chat.asked.size;
    if (count > 0) {
      const short = plural(count, "Pintle: {0} open question", "Pintle: {0} open questions");
      const long = plural(count, "Pintle: {0} question for you", "Pintle: {0} questions for you");
      return [`$(bell-dot) ${short}`, long, "statusBarItem.warningBackground"];
    }
    const working = chat.sessions.filter(({ isOpen, state }) => isOpen && state.activity !== "idle").length;
    if (working > 1)
      return [
        `$(loading~spin) ${t("Pintle: {0} working", working)}`,
        t("Pintle: {0} sessions working", working),
      ];
    if (working === 0) return ["$(check) Pintle", t("Pintle: ready")];
    return [`$(loading~spin) ${t("Pintle: working")}`, t("Pintle: a turn is running")];
  }
}
