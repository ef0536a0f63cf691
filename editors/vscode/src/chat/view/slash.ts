/** Runs slash commands. */
import type { Input } from "pintle-client";
import * as vscode from "vscode";
import type { HasChat, HasFolder, HasLog } from "../../owner.ts";
import { t } from "../../words.ts";
import type { ToPage } from "../messages.ts";
import { slashOf } from "../slash.ts";
import { namedPrompts } from "./completions.ts";
import type { PromptRow } from "./promptRow.ts";

export type SlashOwner = HasChat &
  HasFolder &
  HasLog & {
    readonly promptRow: PromptRow;
    readonly view: { post(message: ToPage): void; returned(text: string, attached?: Input[]): void };
  };

/** Runs a message that is a command; returns false for others, and if a prompt has the same name. */
export async function ranSlash(owner: SlashOwner, text: string, attached: Input[]): Promise<boolean> {
  const slash = slashOf(text);
  if (slash === undefined) return false;
  const named = await namedPrompts(owner).catch(() => []);
  if (named.some(({ name }) => name === slash.name)) return false;
  await runSlash(owner, slash.name, slash.rest, attached);
  return true;
}

export async function runSlash(
  owner: SlashOwner,
  name: string,
  rest = "",
  attached: Input[] = [],
): Promise<void> {
  const { chat, promptRow, view } = owner;
  switch (name) {
    case "compact":
      return promptRow.compact(rest);
    case "context":
      if (chat?.openId() === undefined) {
        void vscode.window.showInformationMessage(t("There is no conversation yet."));
        return;
      }
      return view.post({ type: "openMenu", menu: "context" });
    case "model":
    case "mode":
      return view.post({ type: "openMenu", menu: name });
    case "plan":
      // Without plan mode, the message is not sent: it would be carried out at once.
      if (!(await promptRow.choose("mode", "plan"))) return owner.view.returned(rest, attached);
      break;
    case "new":
      await chat?.newSession();
      break;
    default:
      await vscode.commands.executeCommand(`pintle.${name}`);
      return;
  }
  if (rest !== "" || attached.length > 0) await chat?.send(rest, attached);
}
