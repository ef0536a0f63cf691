/** Reads the attachments that only the editor has: a terminal's last command, git's diff, the workspace's problems. */
import type { Input } from "pintle-client";
import * as vscode from "vscode";
import { DIFF, GitError, repositoryOf, runGit } from "../../documents/view/git.ts";
import { currentEditor } from "../../documents/view/currentEditor.ts";
import { problemsOf } from "../../machine.ts";
import type { HasFolder } from "../../owner.ts";
import { isInside } from "../../paths.ts";
import { t } from "../../words.ts";
import type { Source } from "../sources.ts";
import { diffInput, problemInputs, terminalInput } from "../sources.ts";
import { lastRun } from "./terminals.ts";

/** Returns what a source has now, or the reason why it has nothing. */
export async function readSource(owner: HasFolder, source: Source): Promise<Input[] | string> {
  if (source === "terminal") return terminal();
  if (source === "allProblems") return allProblems(owner);
  // A repository can configure programs that git runs.
  if (!vscode.workspace.isTrusted) return t("Git does not run in a folder that is not trusted.");
  try {
    return await diff(owner);
  } catch (error) {
    if (error instanceof GitError) return error.message;
    throw error;
  }
}

function terminal(): Input[] | string {
  const { activeTerminal } = vscode.window;
  if (activeTerminal === undefined) return t("No terminal is open.");
  const { name } = activeTerminal;
  const run = lastRun(activeTerminal);
  if (run !== undefined) return [terminalInput(name, run)];
  return activeTerminal.shellIntegration === undefined
    ? t("The terminal {0} has no shell integration, so its output cannot be read.", name)
    : t("No command has run in the terminal {0} yet.", name);
}

async function diff({ folder }: HasFolder): Promise<Input[] | string> {
  const file = currentEditor()?.document.uri;
  const here = file === undefined ? undefined : vscode.workspace.getWorkspaceFolder(file);
  const repository = await repositoryOf((here ?? folder)?.uri);
  const text = await runGit(repository, [...DIFF, "HEAD"]);
  if (text === "") return t("No tracked file has changed since the last commit.");
  return [diffInput(["diff", "HEAD"], text)];
}

function allProblems({ folderPaths }: HasFolder): Input[] | string {
  const files = vscode.languages
    .getDiagnostics()
    .filter(([{ scheme, fsPath }]) => scheme === "file" && folderPaths.some((each) => isInside(each, fsPath)))
    .map(([uri]) => ({ path: uri.fsPath, items: problemsOf(uri) }));
  const inputs = problemInputs(files);
  return inputs.length === 0 ? t("The workspace has no problems.") : inputs;
}
