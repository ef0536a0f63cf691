/** The parts of a tool's card: arguments in lines, the text of a file without its numbers, how much a search found. Pure. */
import { plural, t } from "../words.ts";

/** An argument as a row: its name, and its value as text. */
export interface Argument {
  name: string;
  value: string;
}

/** Arguments as names and values. Anything but an object is one value without a name. */
export function argumentsOf(input: unknown): Argument[] {
  if (input === undefined || input === null) return [];
  if (typeof input !== "object" || Array.isArray(input)) return [{ name: "", value: valueText(input) }];
  return Object.entries(input)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ({ name, value: valueText(value) }));
}

/** A value in lines that are indented by depth. Texts stand as they are. */
function valueText(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return t("(none)");
    return value.map((each) => `${indent}- ${valueText(each, `${indent}  `).trimStart()}`).join("\n");
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return t("(none)");
    return entries.map(([name, each]) => `${indent}${name}: ${nested(each, `${indent}  `)}`).join("\n");
  }
  if (typeof value !== "string") return String(value);
  return indent === "" ? value : value.replaceAll("\n", `\n${indent}`);
}

/** What stands behind a name: on its line, or below it where it has lines of its own. */
function nested(value: unknown, indent: string): string {
  const text = valueText(value, indent);
  const isBlock = typeof value === "object" && value !== null && text.startsWith(indent);
  return isBlock ? `\n${text}` : text;
}

/** The forms in which tools number lines. */
const NUMBERED = [/^ *(\d+)\t/, /^(\d+): /, /^L(\d+): /];

export interface FileText {
  text: string;
  /** The number of its first line. */
  firstLine: number;
  /** What the tool said below the text, without its advice to the model. */
  note: string;
}

/** The text that a tool read from a file. `line` is where it began; numbers in the text itself say it better. */
export function fileText(output: string, line = 1): FileText {
  const [, body = output, told = ""] = /^([^]*?)\n\n\[([^\n]*)\]$/.exec(output) ?? [];
  const note = told.replace(/(?<=\.) Use .*$/, "");
  const lines = body.split("\n");
  for (const form of NUMBERED) {
    const first = Number(form.exec(lines[0] ?? "")?.[1] ?? "0");
    if (first === 0 || !lines.every((each, at) => form.exec(each)?.[1] === String(first + at))) continue;
    return { text: lines.map((each) => each.replace(form, "")).join("\n"), firstLine: first, note };
  }
  return { text: body, firstLine: line, note };
}

/** A line of a search that shows a match. */
const MATCH = /^.+?:\d+: /;

/** How much a search found, in words. */
export function foundText(output: string): string {
  const { text } = fileText(output);
  if (/^No (matches|files) found/.test(text)) return t("no results");
  const lines = text.split("\n").filter((each) => each.trim() !== "");
  const matches = lines.filter((each) => MATCH.test(each)).length;
  const count = matches > 0 ? matches : lines.length;
  if (/ limit reached/.test(output)) return t("{0}+ results", count);
  return plural(count, "{0} result", "{0} results");
}

/** The end of a file's name, by which its language is known. */
export function languageOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** The name of a file without its folders; a place behind it stays. */
export function nameOf(path: string): string {
  return /[^/\\]+$/.exec(path)?.[0] ?? path;
}
