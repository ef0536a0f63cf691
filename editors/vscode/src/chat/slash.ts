/** Built-in slash commands of the prompt. Pure. */
import { t } from "../words.ts";

export interface SlashCommand {
  name: string;
  description: string;
  /** Text after the name belongs to the command; for other commands, such a message is sent as usual. */
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
    command("plan", t("Plan before making changes"), true),
    command("new", t("Start a new session"), true),
    command("rewind", t("Rewind to before a message")),
    command("help", t("Show the guides")),
  ];
}

/** Splits a message into a command and the text after it; undefined if it is not a command. */
export function slashOf(text: string): { name: string; rest: string } | undefined {
  const [, name = "", rest = ""] = /^\/(\w+)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  const found = slashCommands().find((each) => each.name === name);
  return found === undefined || (rest !== "" && !found.takesText) ? undefined : { name, rest };
}
