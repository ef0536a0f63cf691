/** One item in the status bar: what the engine does, and how many questions wait. */
import * as vscode from "vscode";
import type { HasChat } from "./owner.ts";

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
    if (chat === undefined) return ["$(circle-slash) Pintle", "Pintle: no trusted folder is open"];
    const { status } = chat.engine;
    switch (status.kind) {
      case "failed":
        return ["$(error) Pintle", `Pintle: ${status.problem}`, "statusBarItem.errorBackground"];
      case "waiting":
      case "starting":
        return ["$(sync~spin) Pintle", "Pintle: the engine is starting"];
      case "off":
        return ["$(circle-outline) Pintle", "Pintle: the engine is off"];
      case "ready":
        break;
    }
    const count = chat.asked.size;
    if (count > 0) {
      const words = count === 1 ? "1 question waits" : `${count} questions wait`;
      return [`$(bell-dot) Pintle: ${words}`, `Pintle: ${words} for you`, "statusBarItem.warningBackground"];
    }
    const working = chat.sessions.filter(({ state }) => state.activity !== "idle").length;
    if (working > 1)
      return [`$(loading~spin) Pintle: ${working} working`, `Pintle: ${working} sessions work`];
    if (working === 0) return ["$(check) Pintle", "Pintle: ready"];
    return ["$(loading~spin) Pintle: working", "Pintle: a turn is running"];
  }
}
