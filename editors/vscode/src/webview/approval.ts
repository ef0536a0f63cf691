/**
 * A permission question: everything that the call would do, above answers that stay in view.
 *
 * Invariant: no part of the call is omitted, it cannot be allowed before its end has been in view, and no answer has the focus unless the
 * user moves it there.
 */
import type { Approval, ApprovalDetail, DetailKind, FileChange } from "pintle-client";
import { programsOf, reasonOf, titleOfApproval, warningOf } from "../chat/consent.ts";
import type { Head } from "../chat/messages.ts";
import { visible } from "../chat/visible.ts";
import { labelOf } from "../paths.ts";
import { plural, t, wordOf } from "../words.ts";
import { drawAnswers } from "./answers.ts";
import { diffLines } from "./diff.ts";
import { button, el, icon } from "./dom.ts";
import type { Send } from "./types.ts";
import { linesOf, wholeText } from "./wholeText.ts";

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

/** The texts of a card whose ends have not been in view. */
class Unread {
  readonly #texts = new Set<HTMLElement>();
  #whenRead: () => void = () => undefined;

  add(text: HTMLElement): () => void {
    this.#texts.add(text);
    return () => {
      if (this.#texts.delete(text) && this.#texts.size === 0) this.#whenRead();
    };
  }

  /** Calls back once all are read, possibly at once. */
  whenRead(callback: () => void): void {
    this.#whenRead = callback;
    if (this.#texts.size === 0) callback();
  }

  /** Focuses the first unread text. */
  go(): void {
    const [first] = this.#texts;
    first?.scrollIntoView({ block: "nearest" });
    first?.focus();
  }
}

export function drawApproval(
  approval: Approval,
  workspace: Workspace,
  canAnswer: boolean,
  edited: HTMLElement,
  send: Send,
): HTMLElement {
  const title = titleOfApproval(approval);
  const warning = warningOf(approval);
  const unread = new Unread();
  const answers = drawAnswers(approval, canAnswer, () => unread.go(), send);
  const heading = el("p", { class: "title", title: reasonOf(approval) }, title);
  const body = el(
    "div",
    { class: "body" },
    heading,
    warning === undefined ? undefined : el("p", { class: "warning" }, icon("warning"), capital(warning)),
    ...drawPrograms(approval),
    ...(approval.changes ?? []).map((change) => drawChange(approval, change, workspace, unread, send)),
    ...drawDetails(approval, unread, send),
  );
  unread.whenRead(() => answers.enable());
  return el(
    "article",
    {
      class: "approval",
      attributes: {
        "aria-label": t("Permission: {0}", title),
        "aria-description": reasonOf(approval),
        tabindex: "-1",
        "data-id": approval.approvalId,
      },
    },
    body,
    edited,
    answers.element,
  );
}

/** Lists the files that the user has edited, in a line of a question. */
export function showEdited(line: HTMLElement, edited: string[], { folder, system }: Workspace): void {
  const names = edited.map((path) => visible(labelOf(folder, path, system))).join(", ");
  line.hidden = names === "";
  line.textContent = names === "" ? "" : t("Allow includes your edits to {0}.", names);
}

/** The programs found by the engine, shown before the command. */
function drawPrograms(approval: Approval): HTMLElement[] {
  const programs = programsOf(approval);
  if (programs.length === 0) return [];
  const [before = "", after = ""] = t("Needs permission for {0}").split("{0}");
  const names = programs.flatMap((each, at) => [at === 0 ? "" : ", ", el("code", {}, each)]);
  return [el("p", { class: "programs" }, before, ...names, after)];
}

function drawChange(
  approval: Approval,
  change: FileChange,
  { folder, system }: Workspace,
  unread: Unread,
  send: Send,
): HTMLElement {
  const { path, oldPath, op, added, removed, diff } = change;
  const label = (oldPath === undefined ? [path] : [oldPath, path])
    .map((each) => labelOf(folder, each, system))
    .join(" → ");
  const openWhole = (): void => send({ type: "openProposed", approvalId: approval.approvalId, path });
  const open = button(
    visible(label),
    openWhole,
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
  if (diff === "") {
    return el("div", { class: "change" }, line, op === "move" ? undefined : el("p", {}, t("Not text.")));
  }
  return el("div", { class: "change" }, line, drawDiff(diff, unread, openWhole));
}

/** A diff without the unchanged lines. */
function wholeDiff(diff: string): { body: HTMLElement; lines: string[] } {
  const body = diffLines(diff, true);
  return { body, lines: [...body.children].map(({ textContent }) => (textContent ?? "").trimEnd()) };
}

function drawDiff(diff: string, unread: Unread, openWhole: (() => void) | undefined): HTMLElement {
  const { body, lines } = wholeDiff(diff);
  return wholeText({ body, lines, openWhole, read: unread.add(body) });
}

/** The details, complete, with the model's own description apart. Details that repeat the changes are folded. */
function drawDetails(approval: Approval, unread: Unread, send: Send): HTMLElement[] {
  const changed = new Set((approval.changes ?? []).flatMap(({ path, oldPath }) => [path, oldPath ?? path]));
  const isShown = ({ kind, text }: ApprovalDetail): boolean =>
    changed.size > 0 && (kind === "diff" || kind === "content" || (kind === "path" && changed.has(text)));
  const details = approval.details ?? [];
  const apart = details.flatMap((detail, at) => {
    if (isShown(detail)) return [];
    const openWhole = (): void => send({ type: "openDetail", approvalId: approval.approvalId, at });
    return drawDetail(detail, unread, openWhole);
  });
  const folded = details.filter((detail) => isShown(detail) && detail.kind !== "path");
  if (folded.length === 0) return apart;
  const summary = el("summary", {}, icon("chevron-right"), t("As the model sent it"));
  const sent = folded.flatMap(({ kind, text }) => [
    el("p", { class: "detail" }, wordOf(HEADINGS, kind)),
    kind === "diff" ? diffLines(text) : plainText(text, kind).body,
  ]);
  return [...apart, el("details", { class: "sent" }, summary, ...sent)];
}

function drawDetail({ kind, text }: ApprovalDetail, unread: Unread, openWhole: () => void): HTMLElement[] {
  const { body, lines } = kind === "diff" ? wholeDiff(text) : plainText(text, kind);
  // The title already names commands and files.
  const heading = kind === "command" || kind === "path" || kind === "address" ? "" : wordOf(HEADINGS, kind);
  const count = lines.length > 1 ? plural(lines.length, "{0} line", "{0} lines") : "";
  const words = [heading, count].filter((each) => each !== "").join(" · ");
  const box = wholeText({ body, lines, openWhole, read: unread.add(body) });
  return [...(words === "" ? [] : [el("p", { class: "detail" }, words)]), box];
}

function plainText(text: string, kind: DetailKind): { body: HTMLElement; lines: string[] } {
  const attributes = { tabindex: "0", role: "group", "aria-label": wordOf(HEADINGS, kind) };
  const { lines, elements } = linesOf(text);
  return { body: el("pre", { class: `input ${kind}`, attributes }, ...elements), lines };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
