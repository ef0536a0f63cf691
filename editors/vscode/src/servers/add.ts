/** Adds a server to the text of `.mcp.json`. Pure. */
import { t } from "../words.ts";

/** A server as `.mcp.json` has it. */
export type ServerEntry = { command: string; args: string[] } | { url: string };

/** The reason is for the user. */
export class AddError extends Error {}

/** Reads an address or a command line. Quotes hold words together, as in a shell; nothing is expanded. */
export function entryOf(line: string): ServerEntry {
  const given = line.trim();
  if (/^https?:\/\//i.test(given)) {
    if (!URL.canParse(given) || /\s/.test(given)) throw new AddError(t("{0} is not a valid address.", given));
    return { url: given };
  }
  const [command, ...args] = wordsOf(given);
  if (command === undefined || command === "")
    throw new AddError(t("Enter a command, such as uvx mcp-server-time, or an address."));
  return { command, args };
}

function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const char of line) {
    if (quote !== "") {
      if (char === quote) quote = "";
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== "") throw new AddError(t("A closing {0} is missing.", quote));
  return word === undefined ? words : [...words, word];
}

/** Parts of names that say nothing of a server. */
const COMMON = new Set(["mcp", "server", "servers", "www", "api"]);

/** Proposes a name for the server: that of its package, file or host. */
export function nameFor(entry: ServerEntry): string {
  const source = "url" in entry ? new URL(entry.url).hostname : packageOf(entry);
  const base = source.replace(/(?<=.)@[^/@]*$/, "").replace(/^.*[/\\]/, "");
  const [, stem = base] = /^(.+)\.\w+$/.exec(base) ?? [];
  const parts = stem.split(/[^a-z0-9]+/i).filter((part) => part !== "");
  const telling = parts.filter((part) => !COMMON.has(part.toLowerCase()));
  return (telling.length > 0 ? telling : parts).join("-");
}

/** The first argument that names something: `npx -y PACKAGE`, `python3 FILE`; otherwise the program. */
function packageOf({ command, args }: { command: string; args: string[] }): string {
  return args.find((arg) => !arg.startsWith("-") && arg !== "run") ?? command;
}

/** Returns why the name cannot be used. */
export function nameProblem(text: string, name: string): string | undefined {
  if (!/^[\w-]{1,64}$/.test(name)) return t("Use letters, digits, - and _, at most 64.");
  return Object.hasOwn(serversOf(text).servers, name) ? t("A server {0} exists already.", name) : undefined;
}

/** Returns the file's text with the server. Everything else in it stays, and so does its indentation. */
export function withServer(text: string, name: string, entry: ServerEntry): string {
  const problem = nameProblem(text, name);
  if (problem !== undefined) throw new AddError(problem);
  const { root, servers } = serversOf(text);
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  const body = JSON.stringify({ ...root, mcpServers: { ...servers, [name]: entry } }, undefined, indent);
  return text.includes("\r\n") ? body.replaceAll("\n", "\r\n") + "\r\n" : `${body}\n`;
}

type Fields = Record<string, unknown>;

function serversOf(text: string): { root: Fields; servers: Fields } {
  const plain = text.replace(/^\u{feff}/u, "");
  if (plain.trim() === "") return { root: {}, servers: {} };
  let root: unknown;
  try {
    root = JSON.parse(plain);
  } catch (error) {
    throw new AddError(t(".mcp.json is not valid JSON: {0}", (error as Error).message));
  }
  if (!isFields(root)) throw new AddError(t(".mcp.json is not a JSON object."));
  const servers = root["mcpServers"] ?? {};
  if (!isFields(servers)) throw new AddError(t("mcpServers in .mcp.json is not a JSON object."));
  return { root, servers };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
