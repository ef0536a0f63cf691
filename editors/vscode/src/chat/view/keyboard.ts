/** Where the keyboard is, as far as VS Code lets an extension know, and the commands that bring it back there. */
import * as vscode from "vscode";
import type { KeyboardPlace, ToPage } from "../messages.ts";

/** A page that does not answer by then is busy, and no place of the keyboard. */
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

  /** The page that `post` reaches has it, or else the editor, if there is one. Without a page there is nobody to ask. */
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

/** Brings the keyboard back. */
export function focusBack(to: KeyboardPlace): void {
  void vscode.commands.executeCommand(WAYS_BACK[to]);
}
