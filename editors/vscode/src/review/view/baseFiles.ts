/**
 * `pintle-base:`, a read-only file system with what files held when a person accepted them last, as the engine tells it.
 *
 * A file system and not a content provider, so that a diff that was left open is resolved after a window reload.
 */
import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import { lineOf, problemOf } from "../../connection/problem.ts";
import type { HasChat } from "../../owner.ts";
import { t } from "../../words.ts";

const BASE_SCHEME = "pintle-base";

/** Whose baseline; the file on disk without one. */
interface Place {
  session?: string;
}

interface Kept {
  bytes: Uint8Array;
  mtime: number;
}

export class BaseFiles implements vscode.FileSystemProvider {
  readonly #owner: HasChat;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #registration: vscode.Disposable;
  readonly #watched = new Map<string, vscode.Uri>();
  readonly #served = new Map<string, Kept>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(owner: HasChat) {
    this.#owner = owner;
    this.#registration = vscode.workspace.registerFileSystemProvider(BASE_SCHEME, this, {
      isCaseSensitive: true,
      isReadonly: true,
    });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  uri(session: string, path: string): vscode.Uri {
    return uriOf(path, { session });
  }

  /** The file as it is on disk, for comparing with an editor's unsaved text. */
  diskUri(path: string): vscode.Uri {
    return uriOf(path, {});
  }

  /** Baselines may have changed: whoever looks at one of these reads it again. */
  changed(): void {
    const uris = new Map(this.#watched);
    // A gutter reads its baseline once and watches nothing.
    for (const key of this.#served.keys()) uris.set(key, vscode.Uri.parse(key, true));
    const events = [...uris.values()].map((uri) => ({ type: vscode.FileChangeType.Changed, uri }));
    if (events.length > 0) this.#changed.fire(events);
  }

  watch(uri: vscode.Uri): vscode.Disposable {
    this.#watched.set(uri.toString(), uri);
    return new vscode.Disposable(() => this.#watched.delete(uri.toString()));
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime } = await this.#serve(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime,
      size: bytes.length,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#serve(uri)).bytes;
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions("read-only");
  }

  writeFile(): void {
    throw vscode.FileSystemError.NoPermissions("read-only");
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions("read-only");
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions("read-only");
  }

  /** `mtime` changes exactly when the text does. */
  async #serve(uri: vscode.Uri): Promise<Kept> {
    const bytes = await this.#bytes(uri);
    const key = uri.toString();
    const before = this.#served.get(key);
    if (before !== undefined && Buffer.compare(before.bytes, bytes) === 0) return before;
    const kept = { bytes, mtime: Math.max(Date.now(), (before?.mtime ?? 0) + 1) };
    this.#served.set(key, kept);
    return kept;
  }

  async #bytes(uri: vscode.Uri): Promise<Uint8Array> {
    const { session } = parsePlace(uri);
    // With the server of a UNC path.
    const path = uri.with({ scheme: "file", query: "" }).fsPath;
    if (session === undefined) return fs.readFile(path).catch(() => new Uint8Array());
    const { chat } = this.#owner;
    if (chat === undefined) throw vscode.FileSystemError.Unavailable(t("the engine is not available"));
    try {
      await chat.settled();
      const { exists, text } = await chat.request("review/baseline", { sessionId: session, path });
      if (text !== undefined || !exists) return new TextEncoder().encode(text ?? "");
    } catch (error) {
      throw vscode.FileSystemError.Unavailable(lineOf(problemOf(error)));
    }
    throw vscode.FileSystemError.Unavailable(t("the previous content is not text"));
  }
}

function uriOf(path: string, place: Place): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: BASE_SCHEME, query: JSON.stringify(place) });
}

function parsePlace(uri: vscode.Uri): Place {
  try {
    const { session } = JSON.parse(uri.query) as Partial<Place>;
    return typeof session === "string" ? { session } : {};
  } catch {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
}
