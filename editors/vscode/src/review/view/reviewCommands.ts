/** What a person decides about hunks: which ones are meant, and what is said of the outcome. The engine decides whether it can be done. */
import type { ReviewAction, ReviewDecideResult, ReviewTarget, SessionId } from "pintle-client";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { HasChat } from "../../owner.ts";
import { labelOf } from "../../paths.ts";
import { sentence, t } from "../../words.ts";
import { placeAt, targetOf, whole } from "../hunks.ts";
import type { Review } from "../review.ts";
import { sessionOf } from "../review.ts";
import { conflictText, wordsOf } from "../decision.ts";
import type { DiffOwner } from "./diffs.ts";
import { openDiff, openReview } from "./diffs.ts";
import type { Overlay } from "./overlay.ts";

export type ReviewOwner = DiffOwner & HasChat & { readonly overlay: Overlay };

type Scope = "hunk" | "file" | "turn" | "all";
type Verb = "keep" | "undo";

/** What commands get from lenses, trees, the Source Control view and the peek. */
interface Named {
  hunk?: string;
  changedSeq?: number;
  /** The number of a decision that waits. */
  waiting?: number;
  path?: string;
  /** The session whose changes of the file are meant. */
  session?: SessionId;
  /** The sessions whose changes are meant. */
  sessions?: SessionId[];
  resourceUri?: vscode.Uri;
}

export function reviewCommands(owner: ReviewOwner): Record<string, (...args: never[]) => unknown> {
  const decisions = new Decisions(owner);
  const run =
    (verb: Verb, scope: Scope) =>
    (named?: unknown, changes?: unknown, index?: unknown): Promise<void> =>
      decisions.decide(verb, scope, named, changes, index);
  return {
    "pintle.review": () => openReview(owner),
    "pintle.openDiff": (named: Named) => openDiff(owner, pathOf(named) ?? ""),
    "pintle.openFile": (named: Named) => {
      const path = pathOf(named);
      return path === undefined ? undefined : vscode.window.showTextDocument(vscode.Uri.file(path));
    },
    "pintle.showHunk": (named: Named) => showHunk(owner, named),
    "pintle.keep": run("keep", "hunk"),
    "pintle.keepFile": run("keep", "file"),
    "pintle.keepTurn": run("keep", "turn"),
    "pintle.keepAll": run("keep", "all"),
    "pintle.undo": run("undo", "hunk"),
    "pintle.undoFile": run("undo", "file"),
    "pintle.undoTurn": run("undo", "turn"),
    "pintle.undoAll": run("undo", "all"),
    "pintle.comment": (named?: Named) => decisions.comment(named),
    "pintle.revertDecision": (named?: Named) => decisions.revert(named),
    "pintle.nextHunk": () => jump(owner, 1),
    "pintle.previousHunk": () => jump(owner, -1),
    "pintle.nextChange": () => nextChange(owner),
  };
}

class Decisions {
  readonly #owner: ReviewOwner;

  constructor(owner: ReviewOwner) {
    this.#owner = owner;
  }

  async decide(verb: Verb, scope: Scope, named: unknown, changes: unknown, index: unknown): Promise<void> {
    const review = this.#review();
    const targets = review && this.#targets(review, scope, named, changes, index);
    if (review === undefined || targets === undefined) return;
    const actions = targets.map((target) => ({ type: verb, target }));
    const { session, sessions = [session] } = (named ?? {}) as Named;
    for (const each of sessions) await this.#send(review, actions, each);
  }

  async comment(named: Named | undefined): Promise<void> {
    const review = this.#review();
    if (review === undefined) return;
    const editor = vscode.window.activeTextEditor;
    const places = editor === undefined ? [] : this.#owner.overlay.places(editor.document);
    const place =
      named?.hunk === undefined
        ? editor && placeAt(places, editor.selection.active.line)
        : places.find((each) => each.hunk.id === named.hunk);
    const hunk = place?.hunk ?? (named?.hunk === undefined ? undefined : review.hunk(named.hunk));
    if (hunk === undefined) return say(t("No hunk at the cursor; Pintle: Review All Changes shows all."));
    // Only of what is selected, where a part of the hunk is.
    const target =
      editor !== undefined && place !== undefined && named?.hunk === undefined && !editor.selection.isEmpty
        ? targetOf(place, ...linesOf(editor.selection))
        : undefined;
    const lines = target?.type === "lines" ? target.lines.new : undefined;
    const prompt = t("Comment on this hunk. The model reads it at its next turn.");
    const text = (await vscode.window.showInputBox({ title: t("Comment"), prompt }))?.trim() ?? "";
    if (text === "") return;
    const side = hunk.after.count > 0 ? "new" : "old";
    const action = { type: "comment", hunk: hunk.id, side, text } as const;
    await this.#send(review, [lines === undefined ? action : { ...action, lines }]);
  }

  /** Undoes the newest decision that was not undone; again, the one before it. One that waits is withdrawn where it is named. */
  async revert(named: Named | undefined): Promise<void> {
    const review = this.#review();
    if (review === undefined) return;
    const decision = named?.waiting ?? (await this.#lastDecision());
    if (decision === undefined) return say(t("There is no decision to revert."));
    const session = named?.hunk === undefined ? undefined : sessionOf(named.hunk);
    await this.#send(review, [{ type: "revert", decision }], session);
  }

  /** The newest decision of the session that is shown; it may stand before what was read of it. */
  async #lastDecision(): Promise<number | undefined> {
    const session = this.#owner.chat?.session;
    while (session?.state.decisions.length === 0 && session.hasEarlier) await session.readEarlier();
    return session?.state.decisions.at(-1);
  }

  #review(): Review | undefined {
    const { review, chat } = this.#owner;
    if (review !== undefined && (chat?.openIds() ?? []).length > 0) return review;
    say(t("There is no session, so there is nothing to review."));
    return undefined;
  }

  /** What a decision is about. Undefined when there is nothing, and that was said. */
  #targets(
    review: Review,
    scope: Scope,
    named: unknown,
    changes: unknown,
    index: unknown,
  ): ReviewTarget[] | undefined {
    if (scope === "all") return [{ type: "all" }];
    if (scope === "turn") {
      const turnId = review.lastTurn;
      if (turnId === undefined) return say(t("No turn has open hunks."));
      return [{ type: "turn", turnId }];
    }
    if (scope === "file") {
      const path = pathOf(named) ?? vscode.window.activeTextEditor?.document.uri.fsPath;
      const file = path === undefined ? undefined : review.file(path, (named as Named | undefined)?.session);
      if (file === undefined) {
        return say(t("No open hunks in this file; Pintle: Review All Changes shows all."));
      }
      return [{ type: "file", path: file.path }];
    }
    const { hunk, changedSeq } = (named ?? {}) as Named;
    if (hunk !== undefined) {
      return [{ type: "hunk", hunk, ...(changedSeq === undefined ? {} : { changedSeq }) }];
    }
    return this.#atCursor(peeked(named, changes, index));
  }

  /** The hunk at the cursor or in the peek, or the selected lines of hunks. */
  #atCursor(peek: { uri: vscode.Uri; row: number } | undefined): ReviewTarget[] | undefined {
    const { overlay } = this.#owner;
    const editor = vscode.window.activeTextEditor;
    const document =
      peek === undefined
        ? editor?.document
        : vscode.workspace.textDocuments.find((each) => each.uri.toString() === peek.uri.toString());
    const places = document === undefined ? [] : overlay.places(document);
    if (peek === undefined && editor !== undefined && !editor.selection.isEmpty) {
      const [first, last] = linesOf(editor.selection);
      const targets = places.flatMap((place) => targetOf(place, first, last) ?? []);
      if (targets.length > 0) return targets;
      return say(t("No hunk in these lines; Pintle: Review All Changes shows all."));
    }
    const place = placeAt(places, peek?.row ?? editor?.selection.active.line ?? -1);
    if (place === undefined) {
      return say(t("No hunk at the cursor; Pintle: Review All Changes shows all."));
    }
    return [whole(place.hunk)];
  }

  /** Sends actions one after the other, and says at the end what came of all. */
  async #send(review: Review, actions: ReviewAction[], session?: SessionId): Promise<void> {
    const results: ReviewDecideResult[] = [];
    try {
      for (const action of actions) results.push(...(await review.decide(action, session)));
    } catch (error) {
      void vscode.window.showErrorMessage(t("Could not decide: {0}", lineOf(problemOf(error))));
    }
    const { text, conflicts } = wordsOf(results);
    if (text !== "") vscode.window.setStatusBarMessage(t("Pintle: {0}", text), 5000);
    if (results.some((each) => each.queued === true)) say(sentence(text));
    const discard = t("Undo My Lines Too");
    const undone = actions.filter((action) => action.type === "undo");
    for (const part of conflicts) {
      const words = conflictText(labelOf(this.#owner.folderPath, part.path), part);
      const choices = part.effect === "undo" && undone.length > 0 ? [discard] : [];
      void vscode.window.showWarningMessage(words, ...choices).then((choice) => {
        if (choice !== discard) return;
        const target: ReviewTarget = { type: "hunk", hunk: part.hunk };
        return this.#send(review, [{ type: "undo", target, discardEdits: true }]);
      });
    }
  }
}

function say(text: string): undefined {
  void vscode.window.showInformationMessage(text);
}

function pathOf(named: unknown): string | undefined {
  if (typeof named !== "object" || named === null) return undefined;
  const { path, resourceUri } = named as Named;
  return (
    resourceUri?.fsPath ?? (typeof path === "string" && !(named instanceof vscode.Uri) ? path : undefined)
  );
}

/** The first and the last selected line. A selection of whole lines ends at the beginning of the next one. */
function linesOf({ start, end }: vscode.Selection): [first: number, last: number] {
  return [start.line, end.character === 0 ? Math.max(start.line, end.line - 1) : end.line];
}

/** Where the peek of the gutter stands: it gives the file, all its changes, and which one. */
function peeked(
  uri: unknown,
  changes: unknown,
  index: unknown,
): { uri: vscode.Uri; row: number } | undefined {
  if (!(uri instanceof vscode.Uri) || !Array.isArray(changes) || typeof index !== "number") return undefined;
  const change = changes[index] as { modifiedStartLineNumber?: unknown; modifiedEndLineNumber?: unknown };
  const { modifiedStartLineNumber: start, modifiedEndLineNumber: end } = change ?? {};
  if (typeof start !== "number") return undefined;
  // Where lines are only gone it names the line before them.
  return { uri, row: end === 0 ? start : start - 1 };
}

async function showHunk(owner: ReviewOwner, { path, hunk }: Named): Promise<void> {
  if (path === undefined) return;
  const value = owner.review?.hunk(hunk ?? "");
  if (value?.kind === "file" && value.newText === "") return openDiff(owner, path);
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
  // Its baseline may not have been asked for yet.
  await owner.review?.refresh();
  const place = owner.overlay.places(editor.document).find((each) => each.hunk.id === hunk);
  if (place !== undefined) reveal(editor, place.row);
}

/** Goes to the next hunk of the file, or to the one before. */
function jump(owner: ReviewOwner, by: 1 | -1): void {
  const editor = vscode.window.activeTextEditor;
  const at = editor?.selection.active.line ?? 0;
  const places = editor === undefined ? [] : owner.overlay.places(editor.document);
  const place = by === 1 ? places.find((each) => each.row > at) : places.findLast((each) => each.row < at);
  if (editor !== undefined && place !== undefined) return reveal(editor, place.row);
  say(
    by === 1
      ? t("No hunk below in this file; Pintle: Review All Changes shows all.")
      : t("No hunk above in this file; Pintle: Review All Changes shows all."),
  );
}

/** Goes to the next hunk after the cursor, in this file or the next one, wrapping around. */
async function nextChange(owner: ReviewOwner): Promise<void> {
  const { review, overlay } = owner;
  const files = review?.files ?? [];
  const editor = vscode.window.activeTextEditor;
  const here = editor === undefined ? undefined : review?.file(editor.document.uri.fsPath);
  if (editor !== undefined && here !== undefined) {
    const at = editor.selection.active.line;
    const place = overlay.places(editor.document).find((each) => each.row > at);
    if (place !== undefined) {
      const { viewColumn } = editor;
      const options = viewColumn === undefined ? {} : { viewColumn };
      return reveal(await vscode.window.showTextDocument(editor.document, options), place.row);
    }
  }
  const next = files[(here === undefined ? 0 : files.indexOf(here) + 1) % Math.max(1, files.length)];
  const [first] = next?.hunks ?? [];
  if (next === undefined || first === undefined) return say(t("There are no open hunks."));
  await showHunk(owner, { path: next.path, hunk: first.id });
}

function reveal(editor: vscode.TextEditor, row: number): void {
  const line = Math.min(row, editor.document.lineCount - 1);
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
