/** Draws the entries of the transcript. Each has one element, updated in place. */
import type { ViewEntry } from "../chat/messages.ts";
import { sentences, t } from "../words.ts";
import type { Colours } from "./code.ts";
import { el, icon, sender } from "./dom.ts";
import { Markdown } from "./markdown.ts";
import { messageActions } from "./messageActions.ts";
import { drawTold } from "./told.ts";
import { ToolCard } from "./toolCard.ts";
import { turnEnd } from "./turnEnd.ts";
import type { Drawn, Send } from "./types.ts";

/** Draws an entry, with its time on the page for who points at it. */
export function drawEntry(entry: ViewEntry, send: Send, colours: Colours): Drawn {
  const drawn = draw(entry, send, colours);
  drawn.element.dataset["key"] = entry.key;
  if (entry.atMs > 0) drawn.element.title = timeText(entry.atMs, Date.now());
  return drawn;
}

/** When something was: the time alone of today. */
export function timeText(atMs: number, nowMs: number): string {
  const date = new Date(atMs);
  const isToday = date.toDateString() === new Date(nowMs).toDateString();
  const time = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return isToday ? time : `${date.toLocaleDateString(undefined, { dateStyle: "medium" })}, ${time}`;
}

function draw(entry: ViewEntry, send: Send, colours: Colours): Drawn {
  switch (entry.kind) {
    case "user":
      return user(entry, send);
    case "agent":
      return agent(entry, send, colours);
    case "reasoning":
      return reasoning(entry.text, entry.isOver);
    case "tool":
      return new ToolCard(entry, send, colours, drawEntry);
    case "notice":
      return fixed(`notice ${entry.notice.level}`, entry, (each) =>
        each.kind === "notice" ? sentences(each.notice.message, each.notice.hint) : "",
      );
    case "told":
      return drawTold(entry);
    case "turnEnd":
      return turnEnd(entry, send);
  }
}

function user(entry: Extract<ViewEntry, { kind: "user" }>, send: Send): Drawn {
  let said = entry.text;
  const actions = messageActions("user", entry.key, () => said, send);
  const element = el("article", { class: "entry user", attributes: { "aria-label": t("You") } });
  const update = (next: ViewEntry): boolean => {
    if (next.kind !== "user") return false;
    const { text, chips, from } = next;
    said = text;
    const rows = chips.map(({ icon: name, label, title }) =>
      el("li", { class: "chip", title }, icon(name), el("span", {}, label)),
    );
    const above = sender(from);
    const list =
      rows.length > 0
        ? el("ul", { class: "attachments", attributes: { "aria-label": t("Attached") } }, ...rows)
        : undefined;
    element.replaceChildren(...[above, text, list, actions].filter((each) => each !== undefined));
    return true;
  };
  update(entry);
  return { element, update, append: () => undefined };
}

function fixed(name: string, entry: ViewEntry, text: (entry: ViewEntry) => string): Drawn {
  const element = el("article", { class: `entry ${name}` }, text(entry));
  return {
    element,
    update: (next) => {
      if (next.kind !== entry.kind) return false;
      element.replaceChildren(text(next));
      return true;
    },
    append: () => undefined,
  };
}

function agent(
  entry: Extract<ViewEntry, { kind: "agent" | "reasoning" }>,
  send: Send,
  colours: Colours,
): Drawn {
  const markdown = new Markdown(entry.text, entry.isOver, send, colours);
  const cut = el("p", { class: "cut" }, icon("warning"), t("The reply was cut off here."));
  cut.hidden = !isCut(entry);
  const element = el(
    "article",
    { class: "entry agent", attributes: { "aria-label": t("Agent") } },
    markdown.element,
    cut,
    messageActions("agent", entry.key, () => markdown.text, send),
  );
  return {
    element,
    // Models often send empty text between calls.
    get isBetween() {
      return markdown.text.trim() === "";
    },
    update: (next) => {
      if (next.kind !== "agent") return false;
      markdown.set(next.text, next.isOver);
      cut.hidden = !isCut(next);
      return true;
    },
    append: (append) => markdown.append(append.text),
  };
}

/** Whether a person has read a part of something that has no end. */
function isCut({ isCut, text }: { isCut: boolean; text: string }): boolean {
  return isCut && text.trim() !== "";
}

function reasoning(text: string, isOver: boolean): Drawn {
  const body = el("div", { class: "body" }, text);
  const words = el("span", {}, thought(isOver));
  const summary = el("summary", {}, icon("lightbulb"), words, icon("chevron-right"));
  const element = el("article", { class: "entry reasoning" }, el("details", {}, summary, body));
  return {
    element,
    isBetween: true,
    update: (next) => {
      if (next.kind !== "reasoning") return false;
      body.textContent = next.text;
      words.textContent = thought(next.isOver);
      return true;
    },
    append: (append) => body.append(append.text),
  };
}

function thought(isOver: boolean): string {
  return isOver ? t("Thought") : t("Thinking…");
}
