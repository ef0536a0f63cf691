/**
 * Draws Markdown that grows at its end while it streams: only the last block is drawn anew, so that a long answer costs no more than a
 * short one.
 */
import type { Colours } from "./code.ts";
import { codeBlock } from "./code.ts";
import { el } from "./dom.ts";
import type { Send } from "./types.ts";
import type { Token } from "./tokens.ts";
import { build, codeOf, parse } from "./tokens.ts";

const FENCE = /^ {0,3}(```+|~~~+)/;
/** Paragraphs and code longer than this are drawn in parts, so that a part more costs no more than the last one. */
const LONG = 3000;

/** A block, or a part of a long paragraph. */
interface Part {
  tokens: Token[];
  /** Where it begins in the text. */
  at: number;
  /** More of it may come. */
  isOpen: boolean;
}

export class Markdown {
  readonly element = el("div", { class: "markdown" });
  readonly #send: Send;
  readonly #colours: Colours;
  #text = "";
  /** Where the last block begins; all before it is final. */
  #openAt = 0;
  #openNodes: HTMLElement[] = [];
  /** The code of a fence that is not closed yet. */
  #openCode: HTMLElement | undefined;
  /** The code that was drawn last, and what stood behind its fence. */
  #lastCode: { element: HTMLElement; info: string } | undefined;
  #isOver = false;

  constructor(text: string, isOver: boolean, send: Send, colours: Colours) {
    this.#send = send;
    this.#colours = colours;
    this.set(text, isOver);
  }

  get text(): string {
    return this.#text;
  }

  append(text: string): void {
    this.#grow(text);
  }

  /** Draws another value; `isOver` when no more comes. */
  set(text: string, isOver: boolean): void {
    const ends = isOver && !this.#isOver;
    this.#isOver = isOver;
    if (!text.startsWith(this.#text)) {
      this.#text = "";
      this.#openAt = 0;
      this.#openNodes = [];
      this.#openCode = undefined;
      this.#lastCode = undefined;
      this.element.replaceChildren();
    }
    const more = text.slice(this.#text.length);
    if (more !== "") this.#grow(more);
    if (ends) this.#draw();
  }

  #grow(more: string): void {
    if (more === "") return;
    this.#text += more;
    if (!this.#growsCode(more)) this.#draw();
  }

  /** Code that is still open grows in place: drawing a long block anew for each line would stutter. */
  #growsCode(more: string): boolean {
    const code = this.#openCode;
    if (code === undefined || /[`~]/.test(more)) return false;
    const source = this.#text.slice(this.#openAt, -more.length);
    // While the fence's own line is not complete, or a line may become the closing fence, the block is drawn anew.
    const lines = source.trimEnd().split("\n");
    if (!source.includes("\n") || (lines.length > 1 && FENCE.test(lines.at(-1) ?? ""))) return false;
    const body = this.#text.slice(this.#openAt).trimEnd();
    addCode(code, body.slice(body.indexOf("\n") + 1 + code.textContent.length));
    return true;
  }

  #draw(): void {
    const parts = this.#parts();
    this.#openCode = undefined;
    const [first] = parts;
    const shown = first === undefined ? undefined : this.#shownCode(first);
    if (first === undefined || shown === undefined) {
      for (const each of this.#openNodes) each.remove();
    } else {
      // Its fence or the message ended. It stays where it is: moving a long block costs a layout of all of it.
      parts.shift();
      this.#openAt = first.at;
      this.#settle(shown.element, shown.info, first);
    }
    for (const part of parts) {
      const draw = (text: string, info: string): HTMLElement => this.#code(text, info, part);
      this.#openNodes = build(part.tokens, draw, this.#send);
      this.element.append(...this.#openNodes);
      this.#openAt = part.at;
    }
  }

  /** The element on the page that shows this fence already, with the same text and language; undefined if none does. */
  #shownCode({ tokens }: Part): { element: HTMLElement; info: string } | undefined {
    const [fence] = tokens;
    const [node, ...others] = this.#openNodes;
    const last = this.#lastCode;
    if (fence?.type !== "fence" || last === undefined || others.length > 0) return undefined;
    const isSame = last.info === fence.info && last.element.textContent === codeOf(fence);
    const isThere = node?.className === "codeBlock" && node.contains(last.element);
    return isSame && isThere ? last : undefined;
  }

  /** The blocks from the open one on, each with where it begins; a long paragraph in parts. */
  #parts(): Part[] {
    const tail = this.#text.slice(this.#openAt);
    const starts = lineStarts(tail);
    const blocks = topLevel(parse(tail)).map((tokens) => ({
      tokens,
      at: this.#openAt + (starts[tokens[0]?.map?.[0] ?? 0] ?? 0),
      isOpen: false,
    }));
    const last = blocks.at(-1);
    if (last === undefined || this.#isOver) return blocks;
    last.isOpen = true;
    if (last.tokens[0]?.type !== "paragraph_open") return blocks;
    const pieces = inParts(this.#text.slice(last.at));
    if (pieces.length === 1) return blocks;
    let at = last.at;
    const parts = pieces.map((piece, index) => {
      const part = { tokens: parse(piece), at, isOpen: index === pieces.length - 1 };
      at += piece.length;
      return part;
    });
    return [...blocks.slice(0, -1), ...parts];
  }

  #code(text: string, info: string, part: Part): HTMLElement {
    const before = this.#lastCode?.element;
    const element = before?.textContent === text ? before : el("code");
    if (element !== before) addCode(element, text);
    this.#lastCode = { element, info };
    this.#settle(element, info, part);
    return codeBlock(element, info, this.#send);
  }

  /** Code that is not complete grows on; other code gets its colours. */
  #settle(code: HTMLElement, info: string, { tokens, isOpen }: Part): void {
    const isFence = tokens[0]?.type === "fence";
    if (isOpen && isFence && isUnclosed(this.#text)) this.#openCode = code;
    else if (!isOpen || isFence) this.#colours.colour(code, info.trim().split(/[\s{]/, 1)[0] ?? "");
  }
}

/** Whether the text ends inside of a fence. Only asked where the last block is code. */
function isUnclosed(text: string): boolean {
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  return !FENCE.test(last) || last.trim() !== FENCE.exec(last)?.[1] || !text.trimEnd().includes("\n");
}

/** Tokens by the block that they belong to. */
function topLevel(tokens: Token[]): Token[][] {
  const blocks: Token[][] = [];
  for (const token of tokens) {
    const isFirst = token.level === 0 && token.nesting >= 0 && token.type !== "inline";
    if (isFirst) blocks.push([token]);
    else blocks.at(-1)?.push(token);
  }
  return blocks;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function inParts(source: string): string[] {
  const parts: string[] = [];
  while (source.length > LONG) {
    const space = Math.max(source.lastIndexOf(". ", LONG) + 1, source.lastIndexOf("\n", LONG));
    const at = space > 0 ? space + 1 : source.lastIndexOf(" ", LONG) + 1;
    if (at <= 0) break;
    parts.push(source.slice(0, at));
    source = source.slice(at);
  }
  return [...parts, source];
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
