/** What can be asked from an editor: the lamp beside a problem, the menus of editors, lists and terminals. */
import type { Input } from "pintle-client";
import * as vscode from "vscode";
import { attach } from "../../chat/input.ts";
import type { ChatPage } from "../../chat/view/chatPage.ts";
import { shown } from "../../machine.ts";
import type { HasChat } from "../../owner.ts";
import { t } from "../../words.ts";
import { currentNotebook, shownNow } from "./notebooks.ts";

type Owner = HasChat & { readonly view: ChatPage };

export function editorCommands(owner: Owner): Record<string, (...args: never[]) => unknown> {
  return {
    "pintle.askAbout": () => askAbout(owner),
    "pintle.explain": () => ask(owner, "Explain this."),
    "pintle.fix": (uri?: vscode.Uri, range?: vscode.Range) => fix(owner, uri, range),
    "pintle.addToPrompt": (uri?: vscode.Uri, all?: vscode.Uri[]) => addToPrompt(owner, uri, all),
  };
}

export function registerCodeActions(): vscode.Disposable {
  const kinds = [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite];
  return vscode.languages.registerCodeActionsProvider({ scheme: "file" }, new Actions(), {
    providedCodeActionKinds: kinds,
  });
}

class Actions implements vscode.CodeActionProvider {
  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range | vscode.Selection,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const action = (
      title: string,
      kind: vscode.CodeActionKind,
      command: string,
      args: unknown[],
    ): vscode.CodeAction => {
      const made = new vscode.CodeAction(title, kind);
      made.command = { title, command, arguments: args };
      return made;
    };
    const { QuickFix, RefactorRewrite } = vscode.CodeActionKind;
    if (context.diagnostics.length > 0) {
      const [first] = context.diagnostics;
      const fix = action(t("Fix with Pintle"), QuickFix, "pintle.fix", [document.uri, first?.range ?? range]);
      fix.diagnostics = [...context.diagnostics];
      return [fix];
    }
    if (range.isEmpty) return [];
    return [
      action(t("Edit with Pintle…"), RefactorRewrite, "pintle.editLines", []),
      action(t("Explain with Pintle"), RefactorRewrite, "pintle.explain", []),
      action(t("Ask Pintle About the Selection…"), RefactorRewrite, "pintle.askAbout", []),
    ];
  }
}

/** Asks about what is selected, or about the whole file. */
async function askAbout(owner: Owner): Promise<void> {
  if (owner.view.saysHidden()) return;
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void vscode.window.showInformationMessage(t("Open a file to ask about it."));
    return;
  }
  const title = t("Pintle: about {0}", vscode.workspace.asRelativePath(editor.document.uri));
  const text = await vscode.window.showInputBox({ title, prompt: t("What should be done?") });
  if (text !== undefined && text.trim() !== "") await ask(owner, text);
}

async function ask(owner: Owner, text: string, attached?: Input[]): Promise<void> {
  if (owner.view.saysHidden()) return;
  const shown = shownNow();
  const inputs = attached ?? (shown === undefined ? [] : attach(shown));
  if (inputs.length === 0) {
    void vscode.window.showInformationMessage(t("Open a file to ask about it."));
    return;
  }
  await owner.view.focus();
  await say(owner, text, inputs);
}

/** Sends a message: now, or after the turn that runs. */
export async function say({ chat }: HasChat, text: string, attached: Input[] = []): Promise<void> {
  const isIdle = (chat?.state?.activity ?? "idle") === "idle";
  await (isIdle ? chat?.send(text, attached) : chat?.queue(text, attached));
}

/** Asks for a repair of the problems that touch a place. */
async function fix(owner: Owner, uri?: vscode.Uri, range?: vscode.Range): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const file = uri ?? editor?.document.uri;
  const place = range ?? editor?.selection;
  if (file === undefined || place === undefined) return;
  const items = vscode.languages
    .getDiagnostics(file)
    .filter((each) => each.range.intersection(place) !== undefined)
    .map((each) => ({
      line: each.range.start.line + 1,
      severity: (["error", "warning", "information", "hint"] as const)[each.severity] ?? "information",
      message: each.message,
      ...(each.source === undefined ? {} : { source: each.source }),
    }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(t("There is no problem here."));
    return;
  }
  const document = await vscode.workspace.openTextDocument(file);
  const lines = new vscode.Range(place.start.line, 0, place.end.line + 1, 0);
  const selection: Input = {
    type: "selection",
    path: file.fsPath,
    range: { start: place.start.line + 1, end: place.end.line + 1 },
    text: document.getText(lines),
  };
  const problems: Input = { type: "diagnostics", path: file.fsPath, items };
  await ask(owner, items.length === 1 ? "Fix this problem." : "Fix these problems.", [selection, problems]);
}

/** Attaches the selection of the editor, or files of a list, to what stands in the prompt box. */
async function addToPrompt(owner: Owner, uri?: vscode.Uri, all?: vscode.Uri[]): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const files = (all ?? (uri === undefined ? [] : [uri])).filter((each) => each.scheme === "file");
  const isEditor =
    editor !== undefined && (uri === undefined || editor.document.uri.toString() === uri.toString());
  const inputs: Input[] =
    isEditor && (all ?? []).length < 2
      ? attach((currentNotebook() === undefined ? undefined : shownNow()) ?? shown(editor)).filter(
          ({ type }) => type !== "diagnostics",
        )
      : files.map(({ fsPath: path }) => ({ type: "file", path }));
  if (inputs.length === 0 || owner.view.saysHidden()) return;
  await owner.view.focus();
  owner.view.attach(inputs);
}
