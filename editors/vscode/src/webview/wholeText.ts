/**
 * A text shown for consent. A long one shows its first and last lines, with a mark in between, and reports when its end has been in view.
 */
import { plural, t } from "../words.ts";
import { button, el, icon } from "./dom.ts";

/** Lines at the end that stay in sight below the mark, and the most characters of each. */
const LAST_LINES = 2;
const MOST_LAST = 160;
/** A text with more lines is drawn as one piece, so that it stays light. */
const MOST_PIECES = 5000;
/** A text is shown whole if no more than this is left, in pixels: the mark and the last lines would take as much room. */
const SLACK = 120;
/** Room for rounding between a text's height and its box. */
const NEARLY = 4;

interface Options {
  /** The text itself, whole: what scrolls. */
  body: HTMLElement;
  /** Its lines as they are drawn. */
  lines: string[];
  /** Opens the text in an editor; undefined where it has its own way there. */
  openWhole: (() => void) | undefined;
  /** Called when the end was in sight for the first time, or the text was opened. */
  read: () => void;
}

/** Draws the box. Call `body.focus()` to bring the keyboard to the text. */
export function wholeText({ body, lines, openWhole, read }: Options): HTMLElement {
  const end = el("span", { class: "lastLine" });
  body.append(end);
  const between = el("span");
  const last = el(
    "pre",
    { class: "last", attributes: { "aria-hidden": "true" } },
    el("span", {}, lines.slice(-LAST_LINES).map(shortened).join("\n")),
  );
  const unfold = button("", () => unfoldBody(), "link", t("Show these lines here"));
  unfold.replaceChildren(icon("unfold"), between);
  const all = button(
    t("Show All"),
    () => {
      read();
      openWhole?.();
    },
    "link",
    t("Open the whole text in an editor"),
  );
  all.hidden = openWhole === undefined;
  const rest = el("div", { class: "rest" }, el("div", { class: "mark" }, unfold, all), last);
  rest.hidden = true;
  const box = el("div", { class: "wholeText" }, body, rest);
  const unfoldBody = (): void => {
    box.classList.add("unfolded");
    rest.hidden = true;
    body.focus();
  };
  const measure = (): void => {
    const below = body.scrollHeight - body.scrollTop - body.clientHeight;
    if (below > NEARLY && body.scrollTop === 0 && below <= SLACK) box.classList.add("unfolded");
    const isBelow = below > NEARLY && !box.classList.contains("unfolded");
    rest.hidden = !isBelow;
    if (!isBelow) return;
    const count = linesBelow(body, lines.length);
    between.textContent =
      lines.length === 1
        ? t("The middle is not shown")
        : plural(Math.max(1, count), "{0} more line", "{0} more lines");
  };
  body.addEventListener("scroll", measure, { passive: true });
  observe(body, end, measure, read);
  return box;
}

/** Draws a text line by line. */
export function linesOf(text: string): { lines: string[]; elements: (HTMLElement | string)[] } {
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length > MOST_PIECES) return { lines, elements: [text] };
  return { lines, elements: lines.map((line) => el("span", { class: "line" }, line === "" ? "\n" : line)) };
}

/** The lines that begin below what is in sight; estimated where they are drawn as one piece. */
function linesBelow(body: HTMLElement, count: number): number {
  const bottom = body.scrollTop + body.clientHeight;
  const elements = body.querySelectorAll<HTMLElement>(".line");
  if (elements.length === 0) return Math.round((count * (body.scrollHeight - bottom)) / body.scrollHeight);
  let [from, to] = [0, elements.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((elements[middle]?.offsetTop ?? 0) - body.offsetTop < bottom) from = middle + 1;
    else to = middle;
  }
  return elements.length - from;
}

function shortened(line: string): string {
  return line.length > MOST_LAST ? `…${line.slice(-MOST_LAST)}` : line;
}

/** Watches the size of the text and, until it was in sight, its end. */
function observe(body: HTMLElement, end: HTMLElement, measure: () => void, read: () => void): void {
  new ResizeObserver(measure).observe(body);
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    read();
  });
  seen.observe(end);
}
