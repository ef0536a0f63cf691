/**
 * Draws the part of Markdown that models write: headings, lists, quotes, fenced code, bold, emphasis and inline code.
 *
 * Text grows at its end while it streams: only the last block is drawn anew, so that a long answer costs no more
 * than a short one.
 */
import { el } from "./dom.ts";

interface Block {
  kind: "text" | "code" | "heading" | "list" | "quote";
  source: string;
}

export class Markdown {
  readonly element = el("div", { class: "markdown" });
  #text = "";
  /** Where the last block begins; all before it is final. */
  #openAt = 0;
  #openCount = 0;

  constructor(text: string) {
    this.#grow(text);
  }

  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    this.#grow(text);
  }

  set(text: string): void {
    if (text === this.#text) return;
    if (text.startsWith(this.#text)) {
      this.#grow(text.slice(this.#text.length));
      return;
    }
    this.#text = "";
    this.#openAt = 0;
    this.#openCount = 0;
    this.element.replaceChildren();
    this.#grow(text);
  }

  /** Code that is still open grows in place: drawing a long block anew for each line would stutter. */
  #growsCode(more: string): boolean {
    const open = this.element.lastElementChild;
    if (this.#openCount === 0 || open?.tagName !== "PRE" || more.includes("`") || more.includes("~"))
      return false;
    const source = this.#text.slice(this.#openAt, -more.length);
    // While the fence's own line is not complete, or a line may become the closing fence, the block is drawn anew.
    const lines = source.trimEnd().split("\n");
    if (!source.includes("\n") || (lines.length > 1 && FENCE.test(lines.at(-1) ?? ""))) return false;
    const code = open.firstElementChild;
    if (code === null) return false;
    const body = this.#text.slice(this.#openAt).trimEnd();
    addCode(code, body.slice(body.indexOf("\n") + 1 + code.textContent.length));
    return true;
  }

  #grow(more: string): void {
    if (more === "") return;
    this.#text += more;
    if (this.#growsCode(more)) return;
    for (let each = 0; each < this.#openCount; each++) this.element.lastChild?.remove();
    const blocks = split(this.#text.slice(this.#openAt)).flatMap(shorten);
    for (const block of blocks) this.element.append(draw(block));
    const last = blocks.at(-1);
    this.#openCount = last === undefined ? 0 : 1;
    this.#openAt = this.#text.length - (last?.source.length ?? 0);
  }
}

/** Paragraphs and code longer than this are drawn in parts, so that a part more costs no more than the last one. */
const LONG = 3000;

function shorten(block: Block): Block[] {
  const parts: Block[] = [];
  let rest = block.source;
  while (block.kind === "text" && rest.length > LONG) {
    const space = Math.max(rest.lastIndexOf(". ", LONG) + 1, rest.lastIndexOf("\n", LONG));
    const at = space > 0 ? space + 1 : rest.lastIndexOf(" ", LONG) + 1;
    if (at <= 0) break;
    parts.push({ kind: "text", source: rest.slice(0, at) });
    rest = rest.slice(at);
  }
  return [...parts, { kind: block.kind, source: rest }];
}

/** Adds code in parts that end with a line, so that a line more costs no more than the last part. */
function addCode(code: Element, more: string): void {
  while (more !== "") {
    let last = code.lastElementChild;
    let length = last?.textContent.length ?? 0;
    if (last === null || (length >= LONG && last.textContent.endsWith("\n"))) {
      last = el("span", { class: "part" });
      code.append(last);
      length = 0;
    }
    const end = more.length + length > LONG ? more.indexOf("\n", Math.max(0, LONG - length)) : -1;
    const piece = end < 0 ? more : more.slice(0, end + 1);
    if (last.firstChild instanceof Text) last.firstChild.appendData(piece);
    else last.append(piece);
    more = more.slice(piece.length);
  }
}

const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^(#{1,6})\s+/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+/;

/** Cuts text into blocks; their sources, joined, are the text from the first block that is not blank. */
function split(text: string): Block[] {
  const blocks: Block[] = [];
  let current: Block | undefined;
  let fence: string | undefined;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const opening = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (current !== undefined) current.source += line;
      if (opening?.startsWith(fence) === true && line.trim() === opening) {
        fence = undefined;
        current = undefined;
      }
      continue;
    }
    if (opening !== undefined) {
      fence = opening;
      current = { kind: "code", source: line };
      blocks.push(current);
      continue;
    }
    if (line.trim() === "") {
      // The blank belongs to the block before it, so that nothing of the text is lost from the count.
      const last = blocks.at(-1);
      if (last !== undefined) last.source += line;
      if (current?.kind !== "list") current = undefined;
      continue;
    }
    const kind = kindOf(line);
    const goesOn =
      current !== undefined &&
      (current.kind === kind || (kind === "text" && (current.kind === "list" || current.kind === "quote"))) &&
      !(current.kind === "list" && kind === "text" && /\n\s*\n$/.test(current.source) && !/^\s/.test(line)) &&
      kind !== "heading";
    if (current !== undefined && goesOn) current.source += line;
    else {
      current = { kind, source: line };
      blocks.push(current);
      if (kind === "heading") current = undefined;
    }
  }
  return blocks;
}

function kindOf(line: string): Block["kind"] {
  if (HEADING.test(line)) return "heading";
  if (ITEM.test(line)) return "list";
  return line.startsWith(">") ? "quote" : "text";
}

function draw(block: Block): HTMLElement {
  const source = block.source;
  switch (block.kind) {
    case "code": {
      const lines = source.trimEnd().split("\n");
      const isClosed = lines.length > 1 && FENCE.test(lines.at(-1) ?? "");
      const body = lines.slice(1, isClosed ? -1 : undefined).join("\n");
      const code = el("code");
      addCode(code, body);
      return el("pre", { class: "code" }, code);
    }
    case "heading": {
      const level = HEADING.exec(source)?.[1]?.length ?? 1;
      const text = inline(source.replace(HEADING, "").trim());
      return el(
        "p",
        { class: "heading", attributes: { role: "heading", "aria-level": String(level + 1) } },
        ...text,
      );
    }
    case "list":
      return list(source);
    case "quote":
      return el("blockquote", {}, ...inline(source.replace(/^>\s?/gm, "").trimEnd()));
    case "text":
      return el("p", {}, ...inline(source.trimEnd()));
  }
}

function list(source: string): HTMLElement {
  const isOrdered = /^\s*\d/.test(source);
  const element = el(isOrdered ? "ol" : "ul");
  const start = /^\s*(\d+)/.exec(source)?.[1];
  if (start !== undefined) element.setAttribute("start", start);
  let text = "";
  let indent = 0;
  const finish = (): void => {
    if (text === "") return;
    const item = el("li", {}, ...inline(text.trimEnd()));
    if (indent > 1) item.className = indent > 5 ? "deeper" : "deep";
    element.append(item);
  };
  for (const line of source.split("\n")) {
    const item = ITEM.exec(line);
    if (item === null) {
      text += `\n${line.trim()}`;
      continue;
    }
    finish();
    indent = item[1]?.length ?? 0;
    text = line.slice(item[0].length);
  }
  finish();
  return element;
}

const INLINE = /(`+)([^`](?:[\s\S]*?[^`])?)\1(?!`)|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*(?![\w*])/g;

function inline(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    const [whole, , code, bold, emphasis] = match;
    if (code !== undefined) parts.push(el("code", {}, code));
    else if (bold !== undefined) parts.push(el("strong", {}, bold));
    else parts.push(el("em", {}, emphasis ?? ""));
    from = match.index + whole.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
