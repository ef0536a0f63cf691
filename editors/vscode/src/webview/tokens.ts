/** Builds elements of the tokens that the Markdown parser gives. HTML in a text stays text; pictures become links. */
import MarkdownIt from "markdown-it";
import { t } from "../words.ts";
import { el } from "./dom.ts";
import type { Send } from "./types.ts";

const parser = new MarkdownIt({ html: false, linkify: true });
// Only whole addresses: names of files look like those of hosts.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// The page itself opens nothing, so a link to a file is as harmless as its path.
const isLink = parser.validateLink.bind(parser);
parser.validateLink = (href) => /^file:\/\//i.test(href) || isLink(href);

export type Token = ReturnType<typeof parser.parse>[number];

export function parse(text: string): Token[] {
  return parser.parse(text, {});
}

/** Draws code of a fence or an indented block. */
export type DrawCode = (text: string, info: string) => HTMLElement;

const TASK = /^\[([ xX])\] /;
/** A file with a line, as in `src/a.ts:12` or `src/a.ts#L12`. */
const PLACE = /^(?:[A-Za-z]:[/\\])?[\w@./\\~+ -]*[\w-]\.\w{1,12}(?::\d+(?::\d+)?|#L\d+(?:-L?\d+)?)$/;

/** The code of a fence or an indented block. */
export function codeOf({ content }: Token): string {
  return content.replace(/\n$/, "");
}

/** Builds the elements of whole blocks. */
export function build(tokens: Token[], drawCode: DrawCode, send: Send): HTMLElement[] {
  const root = el("div");
  const open: HTMLElement[] = [root];
  const into = (): HTMLElement => open.at(-1) ?? root;
  for (const token of tokens) {
    if (token.type === "inline") into().append(...inline(token.children ?? [], send));
    else if (token.type === "fence" || token.type === "code_block") {
      into().append(drawCode(codeOf(token), token.info));
    } else if (token.type === "hr") into().append(el("hr"));
    else if (token.nesting === 1) open.push(opened(token));
    else if (token.nesting === -1) {
      const done = open.pop();
      if (done === undefined || open.length === 0) continue;
      if (token.hidden) into().append(...done.childNodes);
      else into().append(done.tagName === "TABLE" ? el("div", { class: "table" }, done) : done);
    }
  }
  return [...root.children] as HTMLElement[];
}

function opened(token: Token): HTMLElement {
  if (token.type === "heading_open") {
    const level = String(Number(token.tag.slice(1)) + 1);
    return el("p", {
      class: `heading level${token.tag.slice(1)}`,
      attributes: { role: "heading", "aria-level": level },
    });
  }
  const element = el(token.tag as "p");
  const start = token.attrGet("start");
  if (start !== null) element.setAttribute("start", String(start));
  const align = /text-align:(\w+)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  if (align !== undefined) element.style.textAlign = align;
  return element;
}

function inline(tokens: Token[], send: Send): (Node | string)[] {
  const root = el("span");
  const open: HTMLElement[] = [root];
  for (const [at, token] of tokens.entries()) {
    const into = open.at(-1) ?? root;
    switch (token.type) {
      case "text": {
        const task = at === 0 ? TASK.exec(token.content) : null;
        if (task === null) into.append(token.content);
        else into.append(checkbox(task[1] !== " "), token.content.slice(4));
        break;
      }
      case "code_inline":
        into.append(inlineCode(token.content, send));
        break;
      case "softbreak":
        into.append("\n");
        break;
      case "hardbreak":
        into.append(el("br"));
        break;
      case "image":
        into.append(link(String(token.attrGet("src") ?? ""), send, token.content || "picture"));
        break;
      case "link_open":
        open.push(link(String(token.attrGet("href") ?? ""), send));
        break;
      default:
        if (token.nesting === 1) open.push(el(token.tag as "em"));
        else if (token.nesting === 0) into.append(token.content);
    }
    if (token.nesting === -1 && open.length > 1) {
      const done = open.pop();
      if (done !== undefined) (open.at(-1) ?? root).append(done);
    }
  }
  return [...root.childNodes];
}

function checkbox(isChecked: boolean): HTMLElement {
  const box = el("input", {
    attributes: { type: "checkbox", "aria-label": isChecked ? t("done") : t("to do") },
  });
  box.checked = isChecked;
  box.disabled = true;
  return box;
}

/** A link that the extension host opens: the page itself goes nowhere. */
function link(href: string, send: Send, text = ""): HTMLElement {
  const element = el("a", { title: href, attributes: { href: "#" } }, text);
  element.addEventListener("click", (event) => {
    event.preventDefault();
    send({ type: "openLink", href });
  });
  return element;
}

function inlineCode(text: string, send: Send): HTMLElement {
  const code = el("code", {}, text);
  if (!PLACE.test(text)) return code;
  const element = link(text, send);
  element.append(code);
  return element;
}
