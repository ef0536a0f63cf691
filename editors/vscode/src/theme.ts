/** A colour theme's rules for code, read from the files that VS Code has them in. */
import * as path from "node:path";

export interface Rule {
  scope?: string | string[];
  settings: { foreground?: string; background?: string; fontStyle?: string };
}

/** Files of extensions. */
export type Read = (file: string) => Promise<string>;

interface ThemeFile {
  include?: string;
  colors?: Record<string, string>;
  tokenColors?: Rule[] | string;
  /** In a theme of TextMate. */
  settings?: Rule[];
}

/** More files than this that include each other are a circle. */
const MOST_INCLUDED = 10;

/** Reads the rules of a theme; the first one is the colour of all other text. */
export async function readTheme(file: string, read: Read): Promise<Rule[]> {
  const { colors, rules } = await load(file, read, MOST_INCLUDED);
  const foreground = colors["editor.foreground"];
  return foreground === undefined ? rules : [{ settings: { foreground } }, ...rules];
}

async function load(
  file: string,
  read: Read,
  left: number,
): Promise<{ colors: Record<string, string>; rules: Rule[] }> {
  if (left === 0 || !file.endsWith(".json")) return { colors: {}, rules: [] };
  const theme = parseJsonc(await read(file)) as ThemeFile;
  const beside = (name: string): string => path.join(path.dirname(file), name);
  const base =
    theme.include === undefined
      ? { colors: {}, rules: [] }
      : await load(beside(theme.include), read, left - 1);
  const named =
    typeof theme.tokenColors === "string" ? await load(beside(theme.tokenColors), read, left - 1) : undefined;
  const own = Array.isArray(theme.tokenColors) ? theme.tokenColors : (named?.rules ?? theme.settings ?? []);
  return { colors: { ...base.colors, ...theme.colors }, rules: [...base.rules, ...own] };
}

/** JSON with comments, and with commas behind the last of a list. */
export function parseJsonc(text: string): unknown {
  const bare = text.replaceAll(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g,
    (_, string: string | undefined) => string ?? "",
  );
  return JSON.parse(
    bare.replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? ""),
  );
}
