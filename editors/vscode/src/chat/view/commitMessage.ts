/** Writes a commit message into the input box of Source Control. */
import * as vscode from "vscode";
import { currentEditor } from "../../documents/view/currentEditor.ts";
import type { Repository } from "../../documents/view/git.ts";
import { DIFF, GitError, repositoryOf, runGit } from "../../documents/view/git.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { sessionConfig } from "../../settings/settings.ts";
import { t } from "../../words.ts";
import type { Chat } from "../chat.ts";
import type { Changes } from "../commit.ts";
import { INSTRUCTIONS, messageOf, requestOf } from "../commit.ts";
import { showFailure } from "./problemNotice.ts";

type Owner = HasChat & HasFolder;

export function commitCommands(owner: Owner): Record<string, (...args: never[]) => unknown> {
  return {
    "pintle.writeCommitMessage": (control?: { rootUri?: vscode.Uri }) => write(owner, control?.rootUri),
  };
}

/** Repositories whose message is being written. */
const busy = new Set<string>();

async function write(owner: Owner, root: vscode.Uri | undefined): Promise<void> {
  const { chat } = owner;
  if (chat === undefined) {
    void vscode.window.showWarningMessage(t("Open and trust a folder first."));
    return;
  }
  try {
    const file = currentEditor()?.document.uri;
    const here = file === undefined ? undefined : vscode.workspace.getWorkspaceFolder(file);
    const repository = await repositoryOf(root ?? (here ?? owner.folder)?.uri);
    const key = repository.rootUri.toString();
    if (busy.has(key)) return;
    busy.add(key);
    try {
      await writeFor(chat, repository);
    } finally {
      busy.delete(key);
    }
  } catch (error) {
    await report(error);
  }
}

async function writeFor(chat: Chat, repository: Repository): Promise<void> {
  const changes = await changesOf(repository);
  if (changes === undefined) {
    void vscode.window.showInformationMessage(t("There are no changes to commit."));
    return;
  }
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: t("Writing the commit message…"),
    cancellable: true,
  };
  const message = await vscode.window.withProgress(options, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    await chat.start();
    const errand = {
      cwd: repository.rootUri.fsPath,
      title: t("Commit message"),
      instructions: INSTRUCTIONS,
      model: chat.state?.model ?? sessionConfig(chat.window.around.settings()).model,
      input: requestOf(changes),
    };
    try {
      return messageOf(await chat.window.errands.run(errand, abort.signal));
    } catch (error) {
      if (abort.signal.aborted) return undefined;
      throw error;
    }
  });
  if (message === undefined) return;
  if (message === "") throw new GitError(t("The model returned no message."));
  await put(repository, message);
}

/** The staged changes; without any, those of the working tree, with new files. */
async function changesOf(repository: Repository): Promise<Changes | undefined> {
  const diff = async (...more: string[]): Promise<Pick<Changes, "args" | "diff">> => ({
    args: ["diff", ...more],
    diff: await runGit(repository, [...DIFF, "--stat", "--patch", ...more]),
  });
  const staged = await diff("--cached");
  const shown = staged.diff === "" ? await diff() : staged;
  const names = staged.diff === "" ? ["ls-files", "--others", "--exclude-standard", "-z"] : undefined;
  const added =
    names === undefined ? [] : (await runGit(repository, names)).split("\0").filter((each) => each !== "");
  if (shown.diff === "" && added.length === 0) return undefined;
  // A new repository has no log.
  const log = await runGit(repository, [
    "log",
    "-10",
    "--no-color",
    "--no-show-signature",
    "--format=%s",
  ]).catch(() => "");
  const subjects = log.split("\n").filter((each) => each !== "");
  return { ...shown, added, subjects, draft: repository.inputBox.value };
}

/** Text in the box may be a draft, or typed meanwhile: it is not replaced without a question. */
async function put({ inputBox }: Repository, message: string): Promise<void> {
  const before = inputBox.value;
  if (before.trim() === "" || before.trim() === message) {
    inputBox.value = message;
    return;
  }
  const [replace, above] = [t("Replace"), t("Insert Above")];
  const subject = message.split("\n")[0] ?? "";
  const text = t("The input box contains text. Replace it with “{0}”?", subject);
  const choice = await vscode.window.showInformationMessage(text, replace, above);
  if (choice === replace) inputBox.value = message;
  if (choice === above) inputBox.value = `${message}\n\n${inputBox.value}`;
}

async function report(error: unknown): Promise<void> {
  if (error instanceof GitError) {
    void vscode.window.showWarningMessage(error.message);
    return;
  }
  await showFailure(error, (reason) => t("Could not write the commit message: {0}", reason));
}
