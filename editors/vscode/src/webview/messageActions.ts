/** Buttons at a message of the transcript, shown on hover and focus. */
import { t } from "../words.ts";
import { el, iconButton } from "./dom.ts";
import type { Send } from "./types.ts";

/** User messages can be copied, and edited after a rewind; answers can be copied, and requested again. */
export function messageActions(
  kind: "user" | "agent",
  key: string,
  text: () => string,
  send: Send,
): HTMLElement {
  const label = kind === "user" ? t("Copy Message") : t("Copy Answer");
  const copy = iconButton("copy", label, () => send({ type: "copy", text: text() }));
  const again =
    kind === "user"
      ? iconButton("edit", t("Edit and Restore…"), () => send({ type: "restore", itemId: key }))
      : iconButton("refresh", t("Retry Answer"), () => send({ type: "again", itemId: key }));
  // Hidden while a turn runs: only an idle session can be rewound.
  again.classList.add("whenIdle");
  const name = kind === "user" ? t("Your message") : t("Answer");
  return el(
    "div",
    { class: "messageActions", attributes: { role: "toolbar", "aria-label": name } },
    copy,
    again,
  );
}
