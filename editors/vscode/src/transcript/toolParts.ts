/** Parts of a tool's card: readable arguments, file text without line numbers, the hit count of a search. Pure. */
import { plural, t } from "../words.ts";

/** An argument with its value as text. */
export interface Argument {
  name: string;
  value: string;
}

/** Returns the arguments in order. Input that is not an object becomes a single value without a name. */
export function argumentsOf(input: unknown): Argument[] {
  if (input === undefined || input === null) return [];
  if (typeof input !== "object" || Array.isArray(input)) return [{ name: "", value: valueText(input) }];
  return Object.entries(input)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ({ name, value: valueText(value) }));
}

/** Formats a value as lines, indented by depth. */
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

/** Formats the value of a nested field, on new lines if it has fields or items. */
function nested(value: unknown, indent: string): string {
  const text = valueText(value, indent);
  const isBlock = typeof value === "object" && value !== null && text.startsWith(indent);
  return isBlock ? `\n${text}` : text;
}

/** Line number formats of tools. */
const NUMBERED = [/^ *(\d+)\t/, /^(\d+): /, /^L(\d+): /];

export interface FileText {
  text: string;
  /** Number of the first line. */
  firstLine: number;
  /** The tool's note below the text, without its advice to the model. */
  note: string;
}

/** Separates the file's text from line numbers and the note. `line` is the first line, unless the text has numbers. */
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

/** A line with a match. */
const MATCH = /^.+?:\d+: /;

/** Describes the number of hits of a search. */
export function foundText(output: string): string {
  const { text } = fileText(output);
  if (/^No (matches|files) found/.test(text)) return t("no results");
  const lines = text.split("\n").filter((each) => each.trim() !== "");
  const matches = lines.filter((each) => MATCH.test(each)).length;
  const count = matches > 0 ? matches : lines.length;
  if (/ limit reached/.test(output)) return t("{0}+ results", count);
  return plural(count, "{0} result", "{0} results");
}

/** Returns the file extension, which determines the language. */
export function languageOf(path: string): string {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** Returns the file name without its directories. */
export function nameOf(path: string): string {
  return /[^/\\]+$/.exec(path)?.[0] ?? path;
}
