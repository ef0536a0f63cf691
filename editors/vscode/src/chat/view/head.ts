/** What stands around the transcript, read from where it is known. */
import * as vscode from "vscode";
import type { Status } from "../../connection/engine.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { HERE, labelOf } from "../../paths.ts";
import { stalledMs } from "../../sessions/session.ts";
import { t } from "../../words.ts";
import type { Chat } from "../chat.ts";
import type { Head } from "../messages.ts";
import { costText, meterOf } from "../usage.ts";

export function headOf(owner: HasChat & HasFolder, unsaved: string[]): Head {
  const { chat, folder, folderPath } = owner;
  const state = chat?.state;
  // What it does in another window is nothing that can be stopped or answered here.
  const isHeld = chat?.problem?.isConflict === true && chat.session?.isOpen !== true;
  const own = isHeld ? { approvals: [], questions: [] } : state;
  const setting = (name: string): string =>
    vscode.workspace.getConfiguration("pintle", folder ?? null).get<string>(name) ?? "";
  const engine = chat === undefined ? noEngine(folder !== undefined) : describe(chat.engine.status);
  return {
    engine,
    problem: chat?.problem,
    activity: engine.kind === "ready" && !isHeld ? (state?.activity ?? "idle") : "idle",
    stalledSeconds: stalledSeconds(chat),
    folder: folderPath,
    system: HERE,
    title: state?.title ?? "",
    // Without a session, what a new one would have.
    model: state?.model ?? setting("model"),
    permissionMode: state?.permissionMode ?? setting("permissionMode"),
    mode: state?.mode ?? chat?.nextMode ?? "act",
    isolation: isolationOf(chat),
    cost: costText(state?.costNanoUsd),
    context: meterOf(state?.context),
    queue: state?.queue.map((each) => ({ ...each, from: state.senders.get(each.itemId) })) ?? [],
    // What a session that was left asks is shown there, and in the list of questions.
    approvals: (chat?.asked.approvals(own?.approvals ?? []) ?? []).filter(
      ({ approval }) => chat?.isElsewhere(approval.sessionId) !== true,
    ),
    questions: (chat?.asked.questions(own?.questions ?? []) ?? []).filter(
      ({ question }) => chat?.isElsewhere(question.sessionId) !== true,
    ),
    plan: state?.plan?.items ?? [],
    unsaved: unsaved.map((path) => ({ path, label: labelOf(folderPath, path) })),
  };
}

function isolationOf(chat: Chat | undefined): Head["isolation"] {
  const state = chat?.state;
  const kind = state === undefined ? chat?.nextIsolation?.kind : state.isolation?.kind;
  return kind === undefined ? undefined : { kind, isNext: state === undefined };
}

function stalledSeconds(chat: Chat | undefined): number | undefined {
  const silentMs = stalledMs(chat?.state, chat?.session?.lastSignMs ?? 0, Date.now());
  return silentMs === undefined ? undefined : Math.round(silentMs / 1000);
}

function noEngine(hasFolder: boolean): Head["engine"] {
  if (!hasFolder) return { kind: "none", text: t("Open a folder to work in."), hint: "", cause: "noFolder" };
  return {
    kind: "none",
    cause: "notTrusted",
    text: t("This folder is not trusted."),
    hint: t("The engine starts once you trust it."),
  };
}

function describe(status: Status): Head["engine"] {
  const { kind } = status;
  switch (status.kind) {
    case "off":
      return { kind, text: t("The engine is off."), hint: "" };
    case "starting":
      return { kind, text: t("The engine is starting…"), hint: "" };
    case "waiting":
      return { kind, text: status.problem, hint: t("It is restarting.") };
    case "failed":
      return { kind, text: status.problem, hint: status.hint, cause: status.cause };
    case "ready":
      return { kind, text: t("Engine {0}", status.info.engine.version), hint: "" };
  }
}
