/** Draws a unified diff: each run of lines in one element, so that a long one stays light. */
import { heightOf, runsOf } from "../review/changes.ts";
import { t } from "../words.ts";
import { button, el } from "./dom.ts";

const SIGNS = { same: " ", added: "+", removed: "-", place: "", folded: "… " };
/** Lines that are in sight before one asks for all of them. */
const IN_SIGHT = 16;

/** Lines of a unified diff, coloured. */
export function diffLines(diff: string): HTMLElement {
  const pre = el("pre", {
    class: "diff",
    attributes: { tabindex: "0", role: "group", "aria-label": t("Diff") },
  });
  for (const { kind, lines } of runsOf(diff)) {
    const text = lines.map((line) => `${SIGNS[kind]}${line}\n`).join("");
    pre.append(el("span", { class: kind }, text));
  }
  return pre;
}

/** The same in a box that scrolls, and grows when asked. */
export function diffBox(diff: string): HTMLElement {
  const lines = heightOf(runsOf(diff));
  const pre = diffLines(diff);
  if (lines <= IN_SIGHT) return pre;
  pre.className = "diff folded";
  const more = button(
    t("Show all {0} lines", lines),
    () => {
      pre.className = "diff";
      more.hidden = true;
    },
    "link",
  );
  return el("div", { class: "diffBox" }, pre, more);
}
