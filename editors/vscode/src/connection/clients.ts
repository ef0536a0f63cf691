/** The clients of a session, as events name them (`cause.clientId`): this window, other windows, other editors. Pure. */
import { t } from "../words.ts";

/** The name of this extension, with which the ids of its windows begin. */
export const CLIENT_NAME = "pintle-vscode";

/** Characters of an id that are shown. */
const MOST_SHOWN = 40;

/** The beginning of the ids of Neovims. */
const NEOVIM = "pintle.nvim";

/**
 * The name of another client; undefined for this window. An earlier run of this window had another id, so that windows are told apart
 * only by what came since this one has been there (`isNew`).
 */
export function nameOfOther(id: string | undefined, own: string, isNew: boolean): string | undefined {
  if (id === undefined || id === "" || id === own) return undefined;
  if (id.startsWith(CLIENT_NAME)) return isNew ? t("another window") : undefined;
  if (id.startsWith(NEOVIM)) return "Neovim";
  return id.length > MOST_SHOWN ? `${id.slice(0, MOST_SHOWN)}…` : id;
}
