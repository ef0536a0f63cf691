/** Output of programs as a terminal shows it. It grows at its end; only the last line is drawn anew. */
import type { Look, Piece } from "../transcript/ansi.ts";
import { readAnsi } from "../transcript/ansi.ts";
import { t } from "../words.ts";
import { el } from "./dom.ts";

/** Lines that stay while output streams; the first ones go. */
const MOST_LINES = 1000;

export class TerminalText {
  readonly element = el("pre", {
    class: "output terminal",
    attributes: { tabindex: "0", role: "group", "aria-label": t("Output") },
  });
  /** Holds the lines: with `column-reverse`, the box itself must have a single child. */
  readonly #lines = el("code", { class: "lines" });
  /** The last line as it came, and the look that it begins with. */
  #open = "";
  #look: Look = {};

  constructor() {
    this.element.append(this.#lines);
  }

  get isEmpty(): boolean {
    return this.#lines.childElementCount === 0;
  }

  set(text: string): void {
    this.#lines.replaceChildren();
    this.#open = "";
    this.#look = {};
    this.append(text);
  }

  append(text: string): void {
    if (text === "") return;
    if (this.#open !== "") this.#lines.lastElementChild?.remove();
    const all = this.#open + text;
    const end = all.lastIndexOf("\n") + 1;
    const { lines, look } = readAnsi(all.slice(0, end), this.#look);
    // Behind the last line end nothing stands yet.
    for (const pieces of lines.slice(0, -1)) this.#line(pieces);
    this.#look = look;
    this.#open = all.slice(end);
    if (this.#open !== "") this.#line(readAnsi(this.#open, look).lines[0] ?? []);
    while (this.#lines.childElementCount > MOST_LINES) this.#lines.firstElementChild?.remove();
  }

  #line(pieces: Piece[]): void {
    const line = el("span", { class: "line" });
    for (const { text, look } of pieces) line.append(isPlain(look) ? text : drawn(text, look));
    this.#lines.append(line);
  }
}

function isPlain(look: Look): boolean {
  return Object.keys(look).length === 0;
}

function drawn(text: string, look: Look): HTMLElement {
  const { front, back, inverse, ...rest } = look;
  const classes = Object.keys(rest);
  const [over, under] = inverse === true ? [back ?? "under", front ?? "over"] : [front, back];
  if (typeof over === "number") classes.push(`front${over}`);
  if (typeof under === "number") classes.push(`back${under}`);
  if (over === "under" || under === "over") classes.push("inverse");
  const element = el("span", { class: classes.join(" ") }, text);
  if (typeof over === "string" && over !== "under") element.style.color = over;
  if (typeof under === "string" && under !== "over") element.style.backgroundColor = under;
  return element;
}
