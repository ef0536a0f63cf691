/**
 * `pintle-proposal:`, a file system for the texts of open permission questions.
 *
 * Proposed files can be edited; an answer that allows the call includes the edits, saved or not. Other texts are read-only.
 */
import type { Approval, ProposalEdit } from "pintle-client";
import * as vscode from "vscode";
import { t } from "../../words.ts";

const SCHEME = "pintle-proposal";

interface Proposal {
  uri: vscode.Uri;
  approval: string;
  /** The proposed file's path, as spelled by the engine; undefined for a read-only text. */
  path: string | undefined;
  proposed: string;
  /** The text as last saved. */
  text: string;
  mtime: number;
  /** This window has answered the question. */
  isAnswered: boolean;
  /** The user has been told that the edits were not used. */
  isTold: boolean;
}

export class ProposalFiles implements vscode.FileSystemProvider {
  readonly #proposals = new Map<string, Proposal>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #registration: vscode.Disposable;
  readonly onDidChangeFile = this.#changed.event;

  /** `edited` is called when the user edits a proposal. */
  constructor(edited: () => void) {
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === SCHEME) edited();
      }),
    );
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  /** Adds a question's text, editable if it has a `path`. Showing it again keeps the user's edits. */
  show(approval: string, name: string, text: string, path?: string): vscode.Uri {
    const uri = vscode.Uri.file(name).with({ scheme: SCHEME, query: JSON.stringify({ approval }) });
    const key = uri.toString();
    const before = this.#proposals.get(key);
    if (before !== undefined && (before.proposed === text || this.#editOf(before) !== undefined)) return uri;
    const mtime = Math.max(Date.now(), (before?.mtime ?? 0) + 1);
    this.#proposals.set(key, {
      uri,
      approval,
      path,
      proposed: text,
      text,
      mtime,
      isAnswered: false,
      isTold: false,
    });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    return uri;
  }

  /** Returns the user's edits to a call's proposed files. */
  edits({ approvalId }: Approval): ProposalEdit[] {
    const own = [...this.#proposals.values()].filter(({ approval }) => approval === approvalId);
    return own.flatMap((proposal) => this.#editOf(proposal) ?? []);
  }

  /** Records that this window answers the question, so its texts are no longer needed. */
  answered(id: string): void {
    for (const proposal of this.#proposals.values()) proposal.isAnswered ||= proposal.approval === id;
  }

  /** Returns true if a text has unused edits, because the question was answered elsewhere. */
  isLeftOver(uri: vscode.Uri): boolean {
    const proposal = this.#proposals.get(uri.toString());
    return proposal !== undefined && !proposal.isAnswered && this.#editOf(proposal) !== undefined;
  }

  /** Returns the path of such a text on the first call, to report it once. */
  tellLeftOver(uri: vscode.Uri): string | undefined {
    const proposal = this.#proposals.get(uri.toString());
    if (proposal === undefined || proposal.isTold || !this.isLeftOver(uri)) return undefined;
    proposal.isTold = true;
    return proposal.path;
  }

  /** Forgets the texts of closed questions, except for unused edits. */
  forget(isOpen: (approval: string) => boolean): void {
    for (const [key, { approval, uri }] of this.#proposals) {
      if (!isOpen(approval) && !this.isLeftOver(uri)) this.#proposals.delete(key);
    }
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { path, text, mtime } = this.#find(uri);
    const stat = { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text) };
    return path === undefined ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return new TextEncoder().encode(this.#find(uri).text);
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const proposal = this.#find(uri);
    if (proposal.path === undefined) throw vscode.FileSystemError.NoPermissions("read-only");
    proposal.text = new TextDecoder().decode(content);
    proposal.mtime = Math.max(Date.now(), proposal.mtime + 1);
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions("read-only");
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions("read-only");
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions("read-only");
  }

  #find(uri: vscode.Uri): Proposal {
    const proposal = this.#proposals.get(uri.toString());
    if (proposal === undefined) throw vscode.FileSystemError.Unavailable(t("the question is no longer open"));
    return proposal;
  }

  #editOf({ uri, path, proposed, text }: Proposal): ProposalEdit | undefined {
    if (path === undefined) return undefined;
    const key = uri.toString();
    const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === key);
    const now = open?.isDirty === true ? open.getText() : text;
    return plain(now) === plain(proposed) ? undefined : { path, proposed, text: now };
  }
}

/** Returns the id of the question that a text belongs to. */
export function approvalOf(uri: vscode.Uri): string | undefined {
  if (uri.scheme !== SCHEME) return undefined;
  try {
    const { approval } = JSON.parse(uri.query) as { approval?: unknown };
    return typeof approval === "string" ? approval : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a text without a byte order mark and with LF line endings. */
function plain(text: string): string {
  return text.replace(/^\u{feff}/u, "").replaceAll("\r\n", "\n");
}
