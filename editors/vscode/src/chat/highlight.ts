/**
 * Code in the colours of the editor's theme: the grammars and themes are those that VS Code's extensions bring, read when they are needed
 * from the files that VS Code has them in.
 *
 * It imports no `vscode`.
 */
import * as path from "node:path";
import type { IGrammar, Registry, StateStack } from "vscode-textmate";
import type { Run } from "./messages.ts";

/** What extensions say of their languages and grammars. */
export interface Languages {
  /** The language of a name that stands behind a fence: an id, an alias, or the end of a file's name. */
  named: Map<string, string>;
  /** The scope of a language. */
  scopes: Map<string, string>;
  /** The file of a scope's grammar. */
  files: Map<string, string>;
}

export interface Contribution {
  folder: string;
  languages?: { id: string; aliases?: string[]; extensions?: string[] }[];
  grammars?: { language?: string; scopeName: string; path: string }[];
}

/** A line that takes longer stays without colours. */
const MOST_LINE_MS = 1000;
const FOREGROUND = { mask: 0b00000000111111111000000000000000, shift: 15 };
const STYLE = { mask: 0b00000000000000000111100000000000, shift: 11 };
const STYLES = ["italic", "bold", "underline"];

export function readLanguages(
  contributions: Contribution[],
  join: (folder: string, file: string) => string,
): Languages {
  const all: Languages = { named: new Map(), scopes: new Map(), files: new Map() };
  const name = (key: string, id: string): void => {
    if (!all.named.has(key)) all.named.set(key, id);
  };
  for (const { languages = [] } of contributions) for (const { id } of languages) name(id.toLowerCase(), id);
  for (const { folder, languages = [], grammars = [] } of contributions) {
    for (const { id, aliases = [], extensions = [] } of languages) {
      for (const each of aliases) name(each.toLowerCase(), id);
      for (const each of extensions) name(each.replace(/^\./, "").toLowerCase(), id);
    }
    for (const { language, scopeName, path } of grammars) {
      if (language !== undefined && !all.scopes.has(language)) all.scopes.set(language, scopeName);
      if (!all.files.has(scopeName)) all.files.set(scopeName, join(folder, path));
    }
  }
  return all;
}

export class Highlighter {
  readonly #languages: Languages;
  readonly #read: Read;
  readonly #wasm: () => Promise<Uint8Array>;
  readonly #theme: () => Promise<Rule[]>;
  #registry: Promise<Registry> | undefined;

  /** `wasm` reads the program of regular expressions that grammars are written for. */
  constructor(
    languages: Languages,
    read: Read,
    wasm: () => Promise<Uint8Array>,
    theme: () => Promise<Rule[]>,
  ) {
    this.#languages = languages;
    this.#read = read;
    this.#wasm = wasm;
    this.#theme = theme;
  }

  /** Another theme: it is read when it is needed. */
  themeChanged(): void {
    this.#registry = undefined;
  }

  /** The lines of code in runs of one colour; none where there is no grammar for it. */
  async lines(language: string, code: string): Promise<Run[][]> {
    const id = this.#languages.named.get(language.toLowerCase());
    const scope = id === undefined ? undefined : this.#languages.scopes.get(id);
    if (scope === undefined) return [];
    this.#registry ??= this.#load();
    const registry = await this.#registry;
    const grammar = await registry.loadGrammar(scope);
    return grammar === null ? [] : runsOf(grammar, registry.getColorMap(), code);
  }

  async #load(): Promise<Registry> {
    const [textmate, oniguruma, settings] = await Promise.all([
      import("vscode-textmate").then(whole),
      import("vscode-oniguruma").then(whole),
      this.#theme(),
    ]);
    await oniguruma.loadWASM(await this.#wasm());
    const registry = new textmate.Registry({
      onigLib: Promise.resolve({
        createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
        createOnigString: (text) => new oniguruma.OnigString(text),
      }),
      loadGrammar: async (scope) => {
        const file = this.#languages.files.get(scope);
        return file === undefined ? null : textmate.parseRawGrammar(await this.#read(file), file);
      },
    });
    registry.setTheme({ name: "theme", settings });
    return registry;
  }
}

/** Modules of the older kind come with or without their names. */
function whole<T>(module: T): T {
  return (module as { default?: T }).default ?? module;
}

function runsOf(grammar: IGrammar, colors: string[], code: string): Run[][] {
  let stack: StateStack | null = null;
  return code.split("\n").map((line) => {
    const result = grammar.tokenizeLine2(line, stack, MOST_LINE_MS);
    stack = result.ruleStack;
    const { tokens } = result;
    const runs: Run[] = [];
    for (let at = 0; at < tokens.length; at += 2) {
      const text = line.slice(tokens[at], tokens[at + 2] ?? line.length);
      if (text === "") continue;
      const metadata = tokens[at + 1] ?? 0;
      const bits = (metadata & STYLE.mask) >>> STYLE.shift;
      const style = STYLES.filter((_, bit) => (bits & (1 << bit)) !== 0).join(" ");
      const color = colors[(metadata & FOREGROUND.mask) >>> FOREGROUND.shift];
      const last = runs.at(-1);
      if (last !== undefined && last.color === color && last.style === style) last.text += text;
      else runs.push({ text, color, style });
    }
    return runs;
  });
}

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
