/** Draws a unified diff: each line with its number, changed lines in the theme's colours. */
import type { Row } from "../review/diffRows.ts";
import { diffRows } from "../review/diffRows.ts";
import { t } from "../words.ts";
import { el } from "./dom.ts";

const SIGNS = { gap: "", same: " ", added: "+", removed: "-", folded: "… " } satisfies Record<
  Row["kind"],
  string
>;

/** Lines of a unified diff, coloured. `isCompact` leaves out the unchanged lines that are not next to a changed one. */
export function diffLines(diff: string, isCompact = false): HTMLElement {
  const rows = diffRows(diff, isCompact);
  const numbers = rows.map(({ number }) => number ?? 0);
  const pre = el("pre", {
    class: "diff",
    attributes: { tabindex: "0", role: "group", "aria-label": t("Diff") },
  });
  // Numbers are drawn by the style sheet: they are no part of the text that a person copies.
  pre.dataset["digits"] = String(Math.min(7, Math.max(0, ...numbers).toString().length));
  if (numbers.every((each) => each === 0)) pre.dataset["digits"] = "0";
  pre.append(...rows.flatMap(drawRow));
  return pre;
}

function drawRow({ kind, text, number }: Row, at: number): HTMLElement[] {
  // A hunk that begins the diff, without a heading, needs no mark.
  if (kind === "gap" && text === "" && at === 0) return [];
  const line = el("span", { class: `line ${kind}` }, `${SIGNS[kind]}${text}\n`);
  line.dataset["number"] = number === undefined ? (kind === "gap" ? "⋯" : "") : String(number);
  return [line];
}
