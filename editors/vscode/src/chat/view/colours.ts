/** The colours of code in VS Code: which grammars there are, and which theme is shown. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { HasContext } from "../../owner.ts";
import type { Contribution, Rule } from "../highlight.ts";
import { Highlighter, readLanguages, readTheme } from "../highlight.ts";

interface Theme {
  id?: string;
  label: string;
  uiTheme?: string;
  path: string;
}

interface Contributes {
  contributes?: Omit<Contribution, "folder"> & { themes?: Theme[] };
}

const KINDS: Record<vscode.ColorThemeKind, string> = {
  [vscode.ColorThemeKind.Light]: "vs",
  [vscode.ColorThemeKind.Dark]: "vs-dark",
  [vscode.ColorThemeKind.HighContrast]: "hc-black",
  [vscode.ColorThemeKind.HighContrastLight]: "hc-light",
};

/** The setting that names the theme of each kind, where VS Code follows the system. */
const FOLLOWING: Record<vscode.ColorThemeKind, string> = {
  [vscode.ColorThemeKind.Light]: "preferredLightColorTheme",
  [vscode.ColorThemeKind.Dark]: "preferredDarkColorTheme",
  [vscode.ColorThemeKind.HighContrast]: "preferredHighContrastColorTheme",
  [vscode.ColorThemeKind.HighContrastLight]: "preferredHighContrastLightColorTheme",
};

const read = (file: string): Promise<string> => fs.readFile(file, "utf8");

export function makeHighlighter({ context }: HasContext): Highlighter {
  const contributions = vscode.extensions.all.map(({ extensionPath, packageJSON }) => ({
    ...(packageJSON as Contributes).contributes,
    folder: extensionPath,
  }));
  const wasm = vscode.Uri.joinPath(context.extensionUri, "dist/onig.wasm").fsPath;
  return new Highlighter(
    readLanguages(contributions, (folder, file) => path.join(folder, file)),
    read,
    () => fs.readFile(wasm),
    rules,
  );
}

/** The rules of the theme that is shown, and the person's own after them. */
async function rules(): Promise<Rule[]> {
  const file = themeFile();
  const found = file === undefined ? [] : await readTheme(file, read);
  const own = vscode.workspace
    .getConfiguration("editor")
    .get<{ textMateRules?: Rule[] }>("tokenColorCustomizations")?.textMateRules;
  return [...found, ...(own ?? [])];
}

function themeFile(): string | undefined {
  const workbench = vscode.workspace.getConfiguration("workbench");
  const follows = vscode.workspace.getConfiguration("window").get<boolean>("autoDetectColorScheme") === true;
  const setting = follows ? FOLLOWING[vscode.window.activeColorTheme.kind] : "colorTheme";
  // Older names of VS Code's own themes hold on.
  const wanted = workbench.get<string>(setting)?.replace(/^Default (?!High Contrast)/, "");
  const { kind } = vscode.window.activeColorTheme;
  let alike: string | undefined;
  for (const { extensionPath, packageJSON } of vscode.extensions.all) {
    for (const { id, label, uiTheme, path: file } of (packageJSON as Contributes).contributes?.themes ?? []) {
      if ((id ?? label) === wanted || label === wanted) return path.join(extensionPath, file);
      if (uiTheme === KINDS[kind]) alike ??= path.join(extensionPath, file);
    }
  }
  return alike;
}
