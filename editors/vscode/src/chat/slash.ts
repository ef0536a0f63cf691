/** Commands that come with the prompt box, after a slash. Pure. */
import { t } from "../words.ts";

export interface SlashCommand {
  name: string;
  description: string;
  /** What stands behind its name is for it; otherwise a message that goes on is no command. */
  takesText: boolean;
}

export function slashCommands(): SlashCommand[] {
  const command = (name: string, description: string, takesText = false): SlashCommand => ({
    name,
    description,
    takesText,
  });
  return [
    command("compact", t("Summarize the conversation to free context"), true),
    command("context", t("Show what fills the context window")),
    command("model", t("Choose the model")),
    command("mode", t("Choose what runs without asking")),
    command("review", t("Review all changes")),
    command("plan", t("Plan first, before anything is changed"), true),
    command("new", t("Start a new session"), true),
    command("rewind", t("Go back to before a message")),
    command("help", t("Show the guides")),
  ];
}

/** The command that a message is, and the text behind it. */
export function slashOf(text: string): { name: string; rest: string } | undefined {
  const [, name = "", rest = ""] = /^\/(\w+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  const found = slashCommands().find((each) => each.name === name);
  return found === undefined || (rest !== "" && !found.takesText) ? undefined : { name, rest };
}
