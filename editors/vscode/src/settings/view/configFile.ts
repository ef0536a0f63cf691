/** Completes and explains the engine's `config.toml`, with the schema that the package holds: it needs no other extension and no network. */
import { readFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { explained, placeAt, proposals } from "../configFile.ts";
import type { Schema } from "../configFile.ts";

/** Extensions that complete a file which names its schema. */
const OTHERS = ["tamasfe.even-better-toml", "tombi-toml.tombi"];

class ConfigFile implements vscode.CompletionItemProvider, vscode.HoverProvider {
  readonly #file: string;
  #schema: Schema | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  get schema(): Schema {
    return (this.#schema ??= JSON.parse(readFileSync(this.#file, "utf8")) as Schema);
  }

  provideCompletionItems(document: vscode.TextDocument, at: vscode.Position): vscode.CompletionItem[] {
    const lines = linesOf(document);
    const place = isOthers(lines) ? undefined : placeAt(lines, at.line, at.character);
    if (place === undefined) return [];
    const range = new vscode.Range(at.line, place.start, at.line, at.character);
    const kind =
      place.kind === "value" ? vscode.CompletionItemKind.Value : vscode.CompletionItemKind.Property;
    return proposals(this.schema, lines, at.line, place).map((each, index) => {
      const item = new vscode.CompletionItem(each.label, kind);
      item.insertText = each.insert ?? each.label;
      item.range = range;
      item.sortText = String(index).padStart(4, "0");
      item.detail = each.detail ?? "";
      if (each.description !== undefined) item.documentation = new vscode.MarkdownString(each.description);
      return item;
    });
  }

  provideHover(document: vscode.TextDocument, at: vscode.Position): vscode.Hover | undefined {
    const lines = linesOf(document);
    const text = isOthers(lines) ? undefined : explained(this.schema, lines, at.line, at.character);
    return text === undefined ? undefined : new vscode.Hover(new vscode.MarkdownString(text));
  }
}

function linesOf(document: vscode.TextDocument): string[] {
  return document.getText().split(/\r?\n/);
}

/** Whether another extension completes this file. */
function isOthers(lines: readonly string[]): boolean {
  return (
    (lines[0]?.startsWith("#:schema ") ?? false) &&
    OTHERS.some((id) => vscode.extensions.getExtension(id) !== undefined)
  );
}

export function registerConfigFile(extensionPath: string): vscode.Disposable {
  const selector: vscode.DocumentFilter[] = [{ scheme: "file", pattern: "**/pintle/config.toml" }];
  const home = process.env["PINTLE_HOME"];
  if (home !== undefined && path.isAbsolute(home)) {
    selector.push({ scheme: "file", pattern: new vscode.RelativePattern(home, "config.toml") });
  }
  const provider = new ConfigFile(path.join(extensionPath, "dist", "config.schema.json"));
  return vscode.Disposable.from(
    vscode.languages.registerCompletionItemProvider(selector, provider, "[", ".", "="),
    vscode.languages.registerHoverProvider(selector, provider),
  );
}
