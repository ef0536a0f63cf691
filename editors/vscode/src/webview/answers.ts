/** The answers to a permission question: buttons for this call, and a menu of answers that apply longer, with their rules. */
import type { Approval, ApprovalOption } from "pintle-client";
import { consequence } from "../chat/approvals.ts";
import { t } from "../words.ts";
import { button, el, icon } from "./dom.ts";
import type { Send } from "./types.ts";

/** Space between the menu and what is around it, in pixels. */
const GAP = 4;

export interface Answers {
  element: HTMLElement;
  /** Enables the answers that allow the call. */
  enable(): void;
}

/** Until `enable` is called, allowing calls `toUnread` instead, which focuses the unread text. */
export function drawAnswers(
  approval: Approval,
  canAnswer: boolean,
  toUnread: () => void,
  send: Send,
): Answers {
  const { approvalId, options } = approval;
  let isRead = false;
  const waiting: HTMLButtonElement[] = [];
  const why = el("span", { class: "said" }, t("Read to the end first, or choose Show All."));
  why.id = `unread-${approvalId}`;
  const answer = (option: ApprovalOption, kind: string): HTMLButtonElement => {
    const element = el("button", { class: `button ${kind}`.trim() }, option.label);
    element.type = "button";
    element.disabled = !canAnswer;
    const allows = option.decision === "allow";
    // `aria-disabled` keeps the button reachable by keyboard, with its explanation.
    if (allows && canAnswer) {
      element.setAttribute("aria-disabled", "true");
      element.setAttribute("aria-describedby", why.id);
      element.title = why.textContent;
      waiting.push(element);
    }
    element.addEventListener("click", (event) => {
      // Ignore the second half of a double click, which was aimed at the previous card.
      if (event.detail > 1) return;
      if (allows && !isRead) return toUnread();
      send({ type: "answer", approvalId, optionId: option.optionId });
    });
    return element;
  };
  const isPlain = ({ scope, decision }: ApprovalOption): boolean => scope === "once" && decision !== "abort";
  const plain = options.filter(isPlain);
  const others = options.filter((option) => !isPlain(option));
  const menu = drawMenu(
    others.map((option) => {
      const element = answer(option, "secondary");
      return el("li", {}, element, el("span", { class: "rules" }, consequence(option)));
    }),
  );
  const allow = plain.filter(({ decision }) => decision === "allow").map((option) => answer(option, ""));
  const deny = plain
    .filter(({ decision }) => decision !== "allow")
    .map((option) => answer(option, "secondary deny"));
  menu.button.hidden = others.length === 0;
  const split = el("span", { class: "split" }, ...allow, menu.button);
  const enable = (): void => {
    isRead = true;
    for (const element of waiting) {
      element.setAttribute("aria-disabled", "false");
      element.removeAttribute("aria-describedby");
      element.title = "";
    }
  };
  return { element: el("div", { class: "options" }, split, ...deny, why, menu.list), enable };
}

/** A button with a menu in the top layer, so that no container clips it. */
function drawMenu(rows: HTMLElement[]): { button: HTMLButtonElement; list: HTMLElement } {
  const list = el("ul", {
    class: "answers",
    attributes: { "aria-label": t("More answers"), popover: "auto", tabindex: "-1" },
  });
  list.append(...rows);
  const more = button("", () => list.togglePopover(), "more", t("More answers, and the rules they add"));
  more.replaceChildren(icon("chevron-down"));
  more.setAttribute("aria-label", t("More answers"));
  more.setAttribute("aria-haspopup", "true");
  more.setAttribute("aria-expanded", "false");
  list.addEventListener("toggle", (event) => {
    const isOpen = event.newState === "open";
    more.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    place(list, more.getBoundingClientRect());
    // Focus the menu, not an answer: Enter must not answer yet.
    list.focus();
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = at < 0 ? (step > 0 ? 0 : buttons.length - 1) : (at + step + buttons.length) % buttons.length;
    buttons[next]?.focus();
  });
  return { button: more, list };
}

/** Places the menu above its button, or below it if there is more room. */
function place(list: HTMLElement, { top, bottom, left }: DOMRect): void {
  const above = top - 2 * GAP;
  const below = innerHeight - bottom - 2 * GAP;
  const isAbove = above >= Math.min(list.scrollHeight, below);
  list.style.maxHeight = `${isAbove ? above : below}px`;
  list.style.top = isAbove ? "auto" : `${bottom + GAP}px`;
  list.style.bottom = isAbove ? `${innerHeight - top + GAP}px` : "auto";
  list.style.left = `${Math.max(GAP, Math.min(left, innerWidth - list.offsetWidth - GAP))}px`;
}
