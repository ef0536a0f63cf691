/** What stands outside of the extension: the machine that it runs on, and what is open in the window. */
import * as fs from "node:fs";
import * as os from "node:os";
import type { Diagnostic } from "pintle-client";
import * as vscode from "vscode";
import type { Shown } from "./chat/input.ts";
import type { Machine } from "./connection/locate.ts";
import { real } from "./documents/documents.ts";
import { isSame } from "./paths.ts";
import { t } from "./words.ts";

/** The folder of the workspace that the engine works in. */
export function firstFolder(): vscode.WorkspaceFolder | undefined {
  return allFolders()[0];
}

/** The folders of the workspace that are files. */
export function allFolders(): vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((each) => each.uri.scheme === "file");
}

/** Whether a document of a file is open. */
export function isShown(path: string): boolean {
  const wanted = real(path);
  return vscode.workspace.textDocuments.some(
    ({ uri }) => uri.scheme === "file" && (isSame(uri.fsPath, path) || isSame(real(uri.fsPath), wanted)),
  );
}

/** Opens a page of the web. Whatever else an address names is none. A code that is to be entered there is shown first. */
export function openPage(url: string, code?: string): void {
  if (!/^https?:\/\//i.test(url)) return;
  const page = vscode.Uri.parse(url, true);
  if (code === undefined) void vscode.env.openExternal(page);
  else void showCode(page, code);
}

async function showCode(page: vscode.Uri, code: string): Promise<void> {
  const copy = t("Copy and Open Page");
  const text = t("Your code is {0}", code);
  const detail = t("Enter it at {0}.", page.toString(true));
  const choice = await vscode.window.showInformationMessage(text, { modal: true, detail }, copy);
  if (choice !== copy) return;
  await vscode.env.clipboard.writeText(code);
  await vscode.env.openExternal(page);
}

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    arch: process.arch,
    home: os.homedir(),
    variable: (name) => process.env[name],
    isExecutable: (file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
      } catch {
        return false;
      }
    },
    realPath: (file) => {
      try {
        return fs.realpathSync(file);
      } catch {
        return file;
      }
    },
  };
}

/** The problems of a file, as they are attached. */
export function problemsOf(uri: vscode.Uri): Diagnostic[] {
  const severities = ["error", "warning", "information", "hint"] as const;
  return vscode.languages.getDiagnostics(uri).map((each) => ({
    line: each.range.start.line + 1,
    severity: severities[each.severity] ?? "information",
    message: each.message,
    ...(each.source === undefined ? {} : { source: each.source }),
  }));
}

export function shown(editor: vscode.TextEditor): Shown {
  const { document, selection } = editor;
  return {
    path: document.uri.scheme === "file" ? document.uri.fsPath : document.uri.toString(true),
    text: document.getText(),
    dirty: document.isDirty || document.uri.scheme !== "file",
    selected: {
      startLine: selection.start.line,
      endLine: selection.end.line,
      endColumn: selection.end.character,
      text: document.getText(selection),
    },
    diagnostics: problemsOf(document.uri),
  };
}
