/** A transcript line about the conversation; it expands to the message that the model read. */
import type { ViewEntry } from "../chat/messages.ts";
import { el, icon } from "./dom.ts";
import type { Drawn } from "./types.ts";

type Told = Extract<ViewEntry, { kind: "told" }>;

export function drawTold(entry: Told): Drawn {
  const element = el("article", { class: "entry told" }, body(entry));
  const update = (next: ViewEntry): boolean => {
    if (next.kind !== "told") return false;
    element.replaceChildren(body(next));
    return true;
  };
  return { element, update, append: () => undefined };
}

function body({ line, text }: Told): HTMLElement {
  if (text === "") return el("span", {}, line);
  const summary = el("summary", {}, el("span", {}, line), icon("chevron-right"));
  return el("details", {}, summary, el("div", { class: "toldText" }, text));
}
