/** Sessions that work in a copy of the project: created, applied to the user's files, and discarded. */
import type { AppliedFile, IsolationRequest } from "pintle-client";
import * as vscode from "vscode";
import { problemOf } from "../../connection/problem.ts";
import { plural, t } from "../../words.ts";
import type { Session } from "../session.ts";
import type { SessionOwner } from "./sessionCommands.ts";

export function isolationCommands(owner: SessionOwner): Record<string, () => unknown> {
  return {
    "pintle.newIsolatedSession": () => newIsolatedSession(owner),
    "pintle.applyIsolation": () => applyIsolation(owner),
    "pintle.discardIsolation": () => discardIsolation(owner),
  };
}

async function newIsolatedSession(owner: SessionOwner): Promise<void> {
  const rows: (vscode.QuickPickItem & { isolation: IsolationRequest })[] = [
    {
      label: t("Git worktree of the last commit"),
      detail: t("Shares the repository; your uncommitted changes are not in it."),
      isolation: { kind: "worktree" },
    },
    {
      label: t("Git worktree with uncommitted changes"),
      detail: t("Shares the repository, and starts from your files as they are."),
      isolation: { kind: "worktree", uncommitted: true },
    },
    {
      label: t("Copy of the folder"),
      detail: t("Needs no git, and starts from your files as they are."),
      isolation: { kind: "copy" },
    },
  ];
  const title = t("Work in a Copy of the Project");
  const picked = await vscode.window.showQuickPick(rows, { title });
  if (picked === undefined) return;
  await owner.chat?.newSession(picked.isolation);
  await owner.view.focus();
}

/** The session that is shown, if it works in a copy; otherwise a message explains that. */
function isolated(owner: SessionOwner): Session | undefined {
  const session = owner.chat?.session;
  if (session?.state.isolation !== undefined) return session;
  void vscode.window.showInformationMessage(t("This session works on your files, not on a copy."));
  return undefined;
}

async function applyIsolation(owner: SessionOwner): Promise<void> {
  const session = isolated(owner);
  if (session === undefined || owner.chat === undefined) return;
  try {
    const { files } = await owner.chat.request("isolation/apply", { sessionId: session.id });
    const conflicts = files.filter(isConflict);
    if (conflicts.length > 0) {
      const paths = conflicts.map(({ path }) => vscode.workspace.asRelativePath(path)).join(", ");
      void vscode.window.showWarningMessage(t("Changes applied, with conflicts in: {0}", paths));
    } else void vscode.window.showInformationMessage(applied(files.length));
  } catch (error) {
    void vscode.window.showErrorMessage(t("Could not apply the changes: {0}", problemOf(error).text));
  }
}

function applied(files: number): string {
  if (files === 0) return t("There are no changes to apply.");
  return plural(files, "Changes applied to {0} file.", "Changes applied to {0} files.");
}

function isConflict({ outcome }: AppliedFile): boolean {
  return outcome === "conflict" || outcome === "kept";
}

async function discardIsolation(owner: SessionOwner): Promise<void> {
  const session = isolated(owner);
  const { chat } = owner;
  if (session === undefined || chat === undefined) return;
  const detail = t("Changes that are not applied are lost. The conversation stays.");
  const question = t("Discard this session's copy of the project?");
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, t("Discard"));
  if (answer === undefined) return;
  try {
    await chat.stopSession(session.id);
    await chat.request("isolation/discard", { sessionId: session.id });
  } catch (error) {
    void vscode.window.showErrorMessage(t("Could not discard the copy: {0}", problemOf(error).text));
  }
  owner.sessions.refresh();
}
