/** The banners above the prompt. The first button of each is the recommended action. */
import type { Head } from "../chat/messages.ts";
import type { Need } from "../connection/problem.ts";
import { t } from "../words.ts";
import { button, el } from "./dom.ts";
import type { Send } from "./types.ts";

export function drawBanners(head: Head, retry: () => void, send: Send): HTMLElement[] {
  const banners: HTMLElement[] = [];
  const { engine, problem } = head;
  if (engine.kind !== "ready") {
    const kind = engine.kind === "failed" ? "error" : engine.cause === undefined ? "info" : "warning";
    banners.push(banner(kind, engine.text, engine.hint, engineActions(engine, retry, send)));
  }
  if (problem !== undefined) {
    const attach = button(t("Attach"), () => send({ type: "attach" }));
    const needs = drawNeed(problem.need, send);
    const word = problem.isConflict && !problem.canAttach ? t("Open Here") : t("Retry");
    const again = button(word, retry, problem.canAttach || needs.length > 0 ? "secondary" : "");
    const actions = problem.canAttach ? [attach, again] : [...needs, again];
    if (problem.isConflict) {
      actions.push(button(t("New Session"), () => send({ type: "newSession" }), "secondary"));
    }
    // A model to choose is a first step, and nothing that went wrong.
    const kind = problem.need?.kind === "model" ? "info" : problem.isConflict ? "warning" : "error";
    banners.push(banner(kind, problem.text, problem.hint, actions));
  }
  if (head.isolation !== undefined)
    banners.push(drawIsolation(head.isolation, head.activity === "idle", send));
  if (head.stalledSeconds !== undefined) {
    const text = t("No data from the model for {0} s.", head.stalledSeconds);
    const hint = t("A response may still arrive; trying again stops the turn and resends your message.");
    banners.push(
      banner("warning", text, hint, [
        button(t("Try Again"), () => send({ type: "tryAgain" })),
        button(t("Stop"), () => send({ type: "stop" }), "secondary"),
      ]),
    );
  }
  for (const { path, label } of head.unsaved) {
    const text = t("{0} changed on disk while your editor has unsaved text. Your text was kept.", label);
    const compare = button(t("Compare"), () => send({ type: "compareUnsaved", path }));
    banners.push(banner("warning", text, "", [compare]));
  }
  return banners;
}

function drawIsolation(
  { kind, isNext }: NonNullable<Head["isolation"]>,
  isIdle: boolean,
  send: Send,
): HTMLElement {
  const inWorktree = isNext
    ? t("The next session works in a git worktree.")
    : t("This session works in a git worktree.");
  const inCopy = isNext ? t("The next session works in a copy.") : t("This session works in a copy.");
  const hint = t("Your files do not change until you apply its changes.");
  const actions =
    isNext || !isIdle
      ? []
      : [
          button(t("Apply Changes"), () => send({ type: "applyIsolation" })),
          button(t("Discard…"), () => send({ type: "discardIsolation" }), "secondary"),
        ];
  return banner("info", kind === "worktree" ? inWorktree : inCopy, hint, actions);
}

function engineActions({ kind, cause }: Head["engine"], retry: () => void, send: Send): HTMLElement[] {
  const settings = (setting: string, look = ""): HTMLElement =>
    button(t("Settings"), () => send({ type: "openSettings", setting }), look);
  const install = (look: string): HTMLElement =>
    button(t("Install…"), () => send({ type: "installEngine" }), look);
  const locate = (look: string): HTMLElement =>
    button(t("Locate…"), () => send({ type: "locateEngine" }), look);
  const log = button(t("Log"), () => send({ type: "showLog" }), "secondary");
  switch (cause) {
    case "noFolder":
      return [button(t("Open Folder"), () => send({ type: "openFolder" }))];
    case "notTrusted":
      return [button(t("Manage Trust"), () => send({ type: "trust" }))];
    case "notFound":
      return [install(""), locate("secondary"), button(t("Retry"), retry, "secondary")];
    case "path":
      return [
        locate(""),
        settings("pintle.path", "secondary"),
        install("secondary"),
        button(t("Retry"), retry, "secondary"),
      ];
    case "arguments":
      return [settings("pintle.arguments"), button(t("Retry"), retry, "secondary"), log];
    case undefined:
      return kind === "failed" ? [button(t("Retry"), retry), settings("pintle.path", "secondary"), log] : [];
  }
}

/** The buttons that supply a missing model or key. */
function drawNeed(need: Need | undefined, send: Send): HTMLElement[] {
  if (need === undefined) return [];
  const choose = (kind: string): HTMLElement =>
    button(t("Choose Model…"), () => send({ type: "chooseModel" }), kind);
  if (need.kind === "model") return [choose("")];
  const { provider } = need;
  return [
    button(t("Set Up Provider…"), () => send({ type: "setUpProvider", provider })),
    choose("secondary"),
  ];
}

function banner(kind: string, text: string, hint: string, actions: HTMLElement[]): HTMLElement {
  return el(
    "div",
    { class: `banner ${kind}` },
    el("span", {}, [text, hint].filter((each) => each !== "").join(" ")),
    actions.length > 0 ? el("span", { class: "actions" }, ...actions) : undefined,
  );
}
