/** The attach menu: files and folders, images, the selection and the problems of the active editor, the terminal, git's diff. */
import type { Input } from "pintle-client";
import * as vscode from "vscode";
import { shownNow } from "../../documents/view/notebooks.ts";
import type { HasFolder } from "../../owner.ts";
import { labelOf, withSlashes } from "../../paths.ts";
import { t } from "../../words.ts";
import { attach } from "../input.ts";
import type { FromPage, ToPage } from "../messages.ts";
import { readSource } from "./sources.ts";

type Owner = HasFolder & {
  readonly view: { attach(inputs: Input[]): void; post(message: ToPage): void; focus(): Promise<void> };
};

/** Supported image types by extension. */
const TYPES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};
/** Maximum size of an image; the engine scales down large ones. */
const MOST_BYTES = 20 * 1024 * 1024;

export async function attachFrom(
  owner: Owner,
  what: Extract<FromPage, { type: "attachFrom" }>["what"],
): Promise<void> {
  switch (what) {
    case "files":
      await attachFiles(owner);
      break;
    case "image":
      await attachImages(owner);
      break;
    case "selection":
    case "problems":
      attachEditor(owner, what);
      break;
    default: {
      const found = await readSource(owner, what);
      if (typeof found === "string") say(found);
      else owner.view.attach(found);
    }
  }
  await owner.view.focus();
}

/** Attaches files, and mentions folders in the text. */
async function attachFiles(owner: Owner): Promise<void> {
  const uris = await vscode.window.showOpenDialog({
    canSelectFiles: true,
    canSelectFolders: true,
    canSelectMany: true,
    title: t("Attach Files and Folders"),
    openLabel: t("Attach Files"),
    ...(owner.folder === undefined ? {} : { defaultUri: owner.folder.uri }),
  });
  const files: Input[] = [];
  for (const uri of uris ?? []) {
    const { type } = await vscode.workspace.fs.stat(uri);
    const isFolder = (type & vscode.FileType.Directory) !== 0;
    const label = withSlashes(labelOf(owner.folderPath, uri.fsPath));
    if (isFolder) owner.view.post({ type: "insert", text: `@${label}/ ` });
    else files.push({ type: "file", path: uri.fsPath });
  }
  if (files.length > 0) owner.view.attach(files);
}

async function attachImages(owner: Owner): Promise<void> {
  const uris = await vscode.window.showOpenDialog({
    canSelectMany: true,
    title: t("Attach Images"),
    openLabel: t("Attach Files"),
    filters: { [t("Images")]: Object.keys(TYPES) },
  });
  const images: Input[] = [];
  for (const uri of uris ?? []) {
    const mimeType = TYPES[/\.(\w+)$/.exec(uri.path)?.[1]?.toLowerCase() ?? ""];
    const { size } = await vscode.workspace.fs.stat(uri);
    if (mimeType === undefined) say(t("Only images can be attached this way: PNG, JPEG, GIF or WebP."));
    else if (size > MOST_BYTES) say(t("Images over 20 MB cannot be attached."));
    else {
      const bytes = await vscode.workspace.fs.readFile(uri);
      images.push({ type: "image", mimeType, data: Buffer.from(bytes).toString("base64") });
    }
  }
  if (images.length > 0) owner.view.attach(images);
}

function attachEditor(owner: Owner, what: "selection" | "problems"): void {
  const view = shownNow();
  if (view === undefined) return say(t("No editor is open."));
  if (what === "selection") {
    if (view.selected.text === "") return say(t("Nothing is selected in the editor."));
    return owner.view.attach(attach(view).filter(({ type }) => type === "selection"));
  }
  if (view.diagnostics.length === 0) return say(t("The active file has no problems."));
  owner.view.attach([{ type: "diagnostics", path: view.path, items: view.diagnostics }]);
}

function say(text: string): void {
  void vscode.window.showInformationMessage(text);
}
