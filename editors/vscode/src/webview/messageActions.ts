/** What can be done with a message of the transcript, for who points at it or comes to it by the keyboard. */
import { t } from "../words.ts";
import { el, iconButton } from "./dom.ts";
import type { Send } from "./types.ts";

/** At a person's message: copy it, or go back to before it and edit it. At an answer: copy it, or ask for it again. */
export function messageActions(
  kind: "user" | "agent",
  key: string,
  text: () => string,
  send: Send,
): HTMLElement {
  const copy = iconButton("copy", t("Copy"), () => send({ type: "copy", text: text() }));
  const again =
    kind === "user"
      ? iconButton("edit", t("Edit and Restore…"), () => send({ type: "restore", itemId: key }))
      : iconButton("refresh", t("Retry"), () => send({ type: "again", itemId: key }));
  // While a turn runs, there is no going back.
  again.classList.add("whenIdle");
  const name = kind === "user" ? t("Your message") : t("Answer");
  return el(
    "div",
    { class: "messageActions", attributes: { role: "toolbar", "aria-label": name } },
    copy,
    again,
  );
}
