/**
 * A question of permission: all that the call would do, and one row of answers.
 *
 * Invariant: nothing of the call is left out, and no answer is under the keyboard before a person goes there.
 */
import type { Approval, ApprovalOption, DetailKind, FileChange } from "pintle-client";
import { consequence, visible } from "../chat/approvals.ts";
import type { Head } from "../chat/messages.ts";
import { labelOf } from "../paths.ts";
import { t, wordOf } from "../words.ts";
import { diffBox, diffLines } from "./diff.ts";
import { button, el, icon } from "./dom.ts";
import type { Send } from "./types.ts";

const HEADINGS = {
  command: () => t("Command"),
  path: () => t("File"),
  content: () => t("Content"),
  diff: () => t("Change"),
  address: () => t("Address"),
  arguments: () => t("Arguments"),
  modelText: () => t("In the model's words"),
} satisfies Record<DetailKind, () => string>;

const OPERATIONS = {
  add: () => t("new file"),
  modify: () => "",
  delete: () => t("is deleted"),
  move: () => t("is moved"),
} satisfies Record<FileChange["op"], () => string>;

/** The folder that paths are shown relative to. */
type Workspace = Pick<Head, "folder" | "system">;

export function drawApproval(
  approval: Approval,
  workspace: Workspace,
  canAnswer: boolean,
  send: Send,
): HTMLElement {
  const { title, reason, decidedBy } = approval;
  const changes = approval.changes ?? [];
  const why = decidedBy === undefined ? t("Reason: {0}", reason) : t("Reason: {0} ({1})", reason, decidedBy);
  return el(
    "article",
    {
      class: "approval",
      attributes: {
        "aria-label": t("Permission: {0}", visible(title)),
        tabindex: "-1",
        "data-id": approval.approvalId,
      },
    },
    el("p", { class: "title" }, visible(title)),
    el("p", { class: "reason" }, why),
    ...changes.map((change) => drawChange(approval, change, workspace, send)),
    ...drawDetails(approval),
    ...drawAnswers(approval, canAnswer, send),
  );
}

function drawChange(
  approval: Approval,
  change: FileChange,
  { folder, system }: Workspace,
  send: Send,
): HTMLElement {
  const { path, oldPath, op, added, removed, diff } = change;
  const label = (oldPath === undefined ? [path] : [oldPath, path])
    .map((each) => labelOf(folder, each, system))
    .join(" → ");
  const open = button(
    visible(label),
    () => send({ type: "openProposed", approvalId: approval.approvalId, path }),
    "link",
    t("Open the change of {0} in a diff editor", visible(path)),
  );
  open.disabled = diff === "";
  const line = el(
    "div",
    { class: "file" },
    open,
    el("span", { class: "counts" }, `${wordOf(OPERATIONS, op)} `),
    el(
      "span",
      { class: "counts" },
      el("span", { class: "added" }, `+${added}`),
      el("span", { class: "removed" }, `−${removed}`),
    ),
  );
  const body =
    diff === "" ? (op === "move" ? undefined : el("p", { class: "reason" }, t("Not text."))) : diffBox(diff);
  return el("div", { class: "change" }, line, body);
}

/** All that runs, whole, and apart from it what the model says of it. What the changes show already is behind a fold. */
function drawDetails(approval: Approval): HTMLElement[] {
  const changed = new Set((approval.changes ?? []).flatMap(({ path, oldPath }) => [path, oldPath ?? path]));
  const isShown = (kind: DetailKind, text: string): boolean =>
    changed.size > 0 && (kind === "diff" || kind === "content" || (kind === "path" && changed.has(text)));
  const draw = ({ kind, text }: { kind: DetailKind; text: string }): HTMLElement[] => [
    el("p", { class: "detail" }, wordOf(HEADINGS, kind)),
    kind === "diff" ? diffLines(text) : el("pre", { class: "input", attributes: { tabindex: "0" } }, text),
  ];
  const details = approval.details ?? [];
  const apart = details.filter(({ kind, text }) => !isShown(kind, text));
  const folded = details.filter(({ kind, text }) => isShown(kind, text) && kind !== "path");
  const fold =
    folded.length === 0
      ? []
      : [
          el(
            "details",
            { class: "sent" },
            el("summary", {}, t("As the model sent it")),
            ...folded.flatMap(draw),
          ),
        ];
  return [...apart.flatMap(draw), ...fold];
}

/** Once is a press away; what holds longer, with the rules that it adds, is one more. */
function drawAnswers(approval: Approval, canAnswer: boolean, send: Send): HTMLElement[] {
  const { approvalId, options } = approval;
  const answer = (option: ApprovalOption, kind: string): HTMLElement => {
    const element = el("button", { class: `button ${kind}`.trim() }, option.label);
    element.type = "button";
    element.disabled = !canAnswer;
    element.addEventListener("click", (event) => {
      // The second half of a double click was meant for what stood here before.
      if (event.detail <= 1) send({ type: "answer", approvalId, optionId: option.optionId });
    });
    return element;
  };
  const isPlain = ({ scope, decision }: ApprovalOption): boolean => scope === "once" && decision !== "abort";
  const plain = options.filter(isPlain);
  const others = options.filter((option) => !isPlain(option));
  const menu = el(
    "ul",
    { class: "answers", attributes: { "aria-label": t("More answers") } },
    ...others.map((option) =>
      el("li", {}, answer(option, "secondary"), el("span", { class: "rules" }, consequence(option))),
    ),
  );
  menu.hidden = true;
  const more = button(
    "",
    () => {
      menu.hidden = !menu.hidden;
      more.setAttribute("aria-expanded", String(!menu.hidden));
    },
    "more",
    t("More answers, and the rules they add"),
  );
  more.replaceChildren(icon("chevron-down"));
  more.setAttribute("aria-label", t("More answers"));
  more.setAttribute("aria-expanded", "false");
  more.hidden = others.length === 0;
  const allow = plain.filter(({ decision }) => decision === "allow").map((option) => answer(option, ""));
  const deny = plain
    .filter(({ decision }) => decision !== "allow")
    .map((option) => answer(option, "secondary deny"));
  const split = el("span", { class: "split" }, ...allow, more);
  return [el("div", { class: "options" }, split, ...deny), menu];
}
