/** The part of the window that has the focus, as far as extensions can tell, and the commands that focus it again. */
import * as vscode from "vscode";
import type { KeyboardPlace, ToPage } from "../messages.ts";

/** A page that has not answered by then is treated as unfocused. */
const PATIENCE_MS = 500;

const WAYS_BACK = {
  chat: "pintle.chat.focus",
  editor: "workbench.action.focusActiveEditorGroup",
  terminal: "workbench.action.terminal.focus",
  panel: "workbench.action.focusPanel",
  sideBar: "workbench.action.focusSideBar",
} satisfies Record<KeyboardPlace, string>;

export class Keyboard {
  #answered: (isHere: boolean) => void = () => undefined;

  /** Asks the page through `post`. If it is not focused, or there is no page, the editor is, if one is open. */
  async place(post: ((message: ToPage) => void) | undefined): Promise<KeyboardPlace> {
    if (post !== undefined && (await this.#isOn(post))) return "chat";
    return vscode.window.tabGroups.activeTabGroup.activeTab === undefined ? "chat" : "editor";
  }

  /** The page's answer. */
  told(isHere: boolean): void {
    this.#answered(isHere);
  }

  #isOn(post: (message: ToPage) => void): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), PATIENCE_MS);
      this.#answered = (isHere) => {
        clearTimeout(timer);
        resolve(isHere);
      };
      post({ type: "whereIsKeyboard" });
    });
  }
}

/** Focuses that part again. */
export function focusBack(to: KeyboardPlace): void {
  void vscode.commands.executeCommand(WAYS_BACK[to]);
}
