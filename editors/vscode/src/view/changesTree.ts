/** The files that the session's turns changed, newest turn first; a click opens the native diff editor. */
import * as vscode from "vscode";
import type { ChangedFile, ChangedTurn } from "../changes.ts";
import { changedTurns } from "../changes.ts";
import { labelOf } from "../project.ts";
import type { Extension } from "../root.ts";

export type Node = { kind: "turn"; turn: ChangedTurn } | { kind: "file"; file: ChangedFile };

export class ChangesTree implements vscode.TreeDataProvider<Node> {
  readonly #extension: Extension;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #view: vscode.TreeView<Node>;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(extension: Extension) {
    this.#extension = extension;
    this.#view = vscode.window.createTreeView("pintle.changes", { treeDataProvider: this });
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    if (node?.kind === "turn") return node.turn.files.map((file) => ({ kind: "file", file }));
    const state = this.#extension.chat?.state;
    if (node !== undefined || state === undefined) return [];
    return changedTurns(state)
      .toReversed()
      .map((turn) => ({ kind: "turn", turn }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === "turn") {
      const { turn } = node;
      const item = new vscode.TreeItem(turn.title || "Turn", vscode.TreeItemCollapsibleState.Expanded);
      item.id = turn.turnId;
      item.description = turn.files.length === 1 ? "1 file" : `${turn.files.length} files`;
      item.contextValue = "pintleTurn";
      return item;
    }
    const { file } = node;
    const uri = vscode.Uri.file(file.path);
    const item = new vscode.TreeItem(uri);
    const label = labelOf(this.#extension.folderPath, file.path);
    const slash = label.lastIndexOf("/");
    item.id = `${file.turnId} ${file.path}`;
    item.label = label.slice(slash + 1);
    item.description = [slash > 0 ? label.slice(0, slash) : "", `+${file.added} −${file.removed}`]
      .filter((each) => each !== "")
      .join(" · ");
    item.tooltip = `${file.path}\n${file.op}, ${file.added} lines added, ${file.removed} removed`;
    item.contextValue = "pintleFile";
    item.command = { command: "pintle.openDiff", title: "Open Diff", arguments: [node] };
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
