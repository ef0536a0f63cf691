/** Candidates for the prompt: prompts and skills of the engine; files, symbols, the selection and problems of VS Code. */
import type { NamedPrompt } from "pintle-client";
import * as vscode from "vscode";
import { shownNow } from "../../documents/view/notebooks.ts";
import type { HasChat, HasFolder } from "../../owner.ts";
import { labelOf, withSlashes } from "../../paths.ts";
import { t } from "../../words.ts";
import type { Candidate, Word } from "../complete.ts";
import { fileCandidate, MOST_CANDIDATES, rank } from "../complete.ts";
import { attach } from "../input.ts";
import { slashCommands } from "../slash.ts";
import { sourceCandidates } from "../sources.ts";

/** Files that are looked through. */
const MOST_FILES = 20_000;
/** From so many characters on symbols are looked for: each query asks every language's extension. */
const SYMBOL_QUERY = 2;

/** Tells the candidates: at once those that are quick to find, and again with symbols, which may take their time. */
export async function candidates(
  owner: HasChat & HasFolder,
  { sign, query }: Pick<Word, "sign" | "query">,
  tell: (candidates: Candidate[]) => void,
): Promise<void> {
  if (sign === "/") return tell(await prompts(owner, query));
  const here = [
    ...rank(query, editorCandidates(owner.folderPath), ({ label }) => label),
    ...sourceCandidates(query),
  ];
  const files = rank(withSlashes(query), await fileNames(owner.folderPath), (path) => path).map(
    fileCandidate,
  );
  tell([...here, ...files].slice(0, MOST_CANDIDATES));
  const found = await symbols(owner.folderPath, query);
  if (found.length === 0) return;
  tell([...[...here, ...files].slice(0, MOST_CANDIDATES - found.length), ...found]);
}

async function prompts(owner: HasChat, query: string): Promise<Candidate[]> {
  const own = await namedPrompts(owner);
  const names = new Set(own.map(({ name }) => name));
  const candidate = (prompt: NamedPrompt): Candidate => ({
    label: `/${prompt.name}`,
    description: [prompt.argumentHint, prompt.description].filter((each) => each !== undefined).join(" · "),
    insert: `/${prompt.name} `,
    attach: [],
  });
  // Prompts hide commands of the same name.
  const commands = slashCommands()
    .filter(({ name }) => !names.has(name))
    .map(({ name, description }): Candidate => ({
      label: `/${name}`,
      description,
      insert: "",
      attach: [],
      command: name,
    }));
  return rank(query, [...own.map(candidate), ...commands], ({ label }) => label.slice(1));
}

/** Returns the prompts and skills of the open session. */
export async function namedPrompts({ chat }: HasChat): Promise<NamedPrompt[]> {
  const sessionId = chat?.openId();
  if (chat === undefined || sessionId === undefined) return [];
  const [{ prompts: found }, { skills }] = await Promise.all([
    chat.request("prompt/list", { sessionId }),
    chat.request("skill/list", { sessionId }),
  ]);
  return [...found, ...skills];
}

/** Paths in the folder, those of open editors first. */
async function fileNames(folder: string): Promise<string[]> {
  const found = await vscode.workspace.findFiles("**/*", undefined, MOST_FILES);
  const open = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const paths = [...open, ...found]
    .filter(({ scheme }) => scheme === "file")
    .map(({ fsPath }) => withSlashes(labelOf(folder, fsPath)));
  return [...new Set(paths)];
}

/** What is selected, and what is wrong, in the editor that is in front. */
function editorCandidates(folder: string): Candidate[] {
  const what = shownNow();
  if (what === undefined) return [];
  const label = labelOf(folder, what.path);
  const all = attach(what);
  const rows: Candidate[] = [];
  if (what.selected.text !== "") {
    const selection = all.filter(({ type }) => type === "selection");
    rows.push({ label: t("selection"), description: t("of {0}", label), insert: "", attach: selection });
  }
  if (what.diagnostics.length > 0) {
    const problems = [{ type: "diagnostics" as const, path: what.path, items: what.diagnostics }];
    const words = t("{0} of {1}", what.diagnostics.length, label);
    rows.push({ label: t("problems"), description: words, insert: "", attach: problems });
  }
  return rows;
}

async function symbols(folder: string, query: string): Promise<Candidate[]> {
  if (query.length < SYMBOL_QUERY) return [];
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    "vscode.executeWorkspaceSymbolProvider",
    query,
  );
  const inFiles = (found ?? []).filter(({ location }) => location.uri.scheme === "file");
  return inFiles.slice(0, 4).map(({ name, location: { uri, range } }) => ({
    label: name,
    description: t("{0}, line {1}", labelOf(folder, uri.fsPath), range.start.line + 1),
    insert: "",
    attach: [
      { type: "file", path: uri.fsPath, range: { start: range.start.line + 1, end: range.end.line + 1 } },
    ],
  }));
}
