/** The files with open hunks, and the hunks in them; a click opens the native diff editor, or goes to the hunk. */
import type { Hunk } from "pintle-client";
import * as vscode from "vscode";
import type { HasFolder, HasReview } from "../../owner.ts";
import { labelOf, split } from "../../paths.ts";
import { plural, t } from "../../words.ts";
import { countsOf, hunkLabel, stateWord } from "../hunks.ts";
import type { ReviewedFile } from "../review.ts";

export type Node =
  | { kind: "file"; path: string; file: ReviewedFile }
  | { kind: "hunk"; path: string; hunk: string; changedSeq: number; value: Hunk };

export class ChangesTree implements vscode.TreeDataProvider<Node> {
  readonly #owner: HasReview & HasFolder;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<Node>;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(owner: HasReview & HasFolder) {
    this.#owner = owner;
    this.#view = vscode.window.createTreeView("pintle.changes", { treeDataProvider: this });
  }

  refresh(): void {
    const count = this.#owner.review?.hunks.length ?? 0;
    const tooltip = openHunks(count);
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip };
    this.#changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      const files = this.#owner.review?.files ?? [];
      return files.map((file) => ({ kind: "file", path: file.path, file }));
    }
    if (node.kind === "hunk") return [];
    return node.file.hunks.map((value) => ({
      kind: "hunk",
      path: value.path,
      hunk: value.id,
      changedSeq: value.changedSeq,
      value,
    }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === "file" ? this.#file(node.file) : hunkItem(node);
  }

  #file({ path, hunks }: ReviewedFile): vscode.TreeItem {
    const item = new vscode.TreeItem(vscode.Uri.file(path), vscode.TreeItemCollapsibleState.Collapsed);
    const label = labelOf(this.#owner.folderPath, path);
    const { folder, name } = split(label);
    const [removed, added] = [sum(hunks, "before"), sum(hunks, "after")];
    item.id = path;
    item.label = name;
    item.description = [folder, `−${removed} +${added}`].filter((each) => each !== "").join(" · ");
    item.tooltip = `${path}\n${openHunks(hunks.length)}`;
    item.contextValue = "pintleFile";
    item.command = { command: "pintle.openDiff", title: t("Open Diff"), arguments: [{ path }] };
    return item;
  }

  getParent(): undefined {
    return undefined;
  }

  dispose(): void {
    this.#view.dispose();
    this.#changed.dispose();
  }
}

function hunkItem(node: Node & { kind: "hunk" }): vscode.TreeItem {
  const { value } = node;
  const item = new vscode.TreeItem(hunkLabel(value) || t("(empty line)"));
  const word = stateWord(value);
  const state = word === "" ? "" : ` · ${word}`;
  item.id = `${value.id} ${value.changedSeq}`;
  item.description = `${countsOf(value)}${state}`;
  item.contextValue = "pintleHunk";
  item.command = { command: "pintle.showHunk", title: t("Show"), arguments: [node] };
  return item;
}

function openHunks(count: number): string {
  return plural(count, "{0} open hunk", "{0} open hunks");
}

function sum(hunks: Hunk[], side: "before" | "after"): number {
  return hunks.reduce((all, hunk) => all + hunk[side].count, 0);
}
