/** Git, through VS Code's extension for it: its repositories, their input boxes, and the program that it found. */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { t } from "../../words.ts";

/** The part of a repository that is used here. */
export interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
}

/** The part of the extension's API that is used here. */
interface Git {
  readonly git: { readonly path: string };
  readonly repositories: Repository[];
  getRepository(uri: vscode.Uri): Repository | null;
  openRepository(root: vscode.Uri): Promise<Repository | null>;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): Git;
}

/** No program that a repository configures is run for a diff, and no lock is taken that another git would wait for. */
const SAFE = ["-c", "core.fsmonitor=false", "--no-optional-locks"];
export const DIFF = ["diff", "--no-color", "--no-ext-diff", "--no-textconv"];
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** The reason is for the user. */
export class GitError extends Error {}

async function git(): Promise<Git> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const exports = await extension?.activate();
  if (exports?.enabled !== true) throw new GitError(t("VS Code's Git extension is turned off."));
  return exports.getAPI(1);
}

/** The repository of a folder or file; without one, the only one that is open. */
export async function repositoryOf(uri: vscode.Uri | undefined): Promise<Repository> {
  const api = await git();
  const found =
    uri === undefined
      ? api.repositories.length === 1
        ? api.repositories[0]
        : undefined
      : (api.getRepository(uri) ?? (await api.openRepository(uri).catch(() => null)));
  if (found === undefined || found === null) throw new GitError(t("There is no Git repository here."));
  return found;
}

/** Runs git in a repository, and returns its output. */
export async function runGit(repository: Repository, args: string[]): Promise<string> {
  const { git: program } = await git();
  const options = {
    cwd: repository.rootUri.fsPath,
    env: { ...process.env, LC_ALL: "C" },
    timeout: TIMEOUT_MS,
    maxBuffer: MOST_BYTES,
  };
  return new Promise((resolve, reject) => {
    execFile(program.path, [...SAFE, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.killed === true)
        reject(new GitError(t("Git took too long, or its output is too long.")));
      else if (stderr.includes("'HEAD'")) reject(new GitError(t("The repository has no commits yet.")));
      else reject(new GitError(t("Git failed: {0}", stderr.trim() || error.message)));
    });
  });
}
