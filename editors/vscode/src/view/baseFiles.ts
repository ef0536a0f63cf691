/**
 * `pintle-base:`, a read-only file system with what files were before (and after) a turn.
 *
 * A file system and not a content provider, so that a diff that was left open is resolved after a window reload.
 * A text is made from the file on disk by taking the recorded changes back; the first time it succeeds it is kept, since
 * the file may change in ways that cannot be taken back.
 */
import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import type { Side } from "../changes.ts";
import { changedTurns, textAt } from "../changes.ts";
import type { Extension } from "../root.ts";

export const BASE_SCHEME = "pintle-base";

interface Place {
  session: string;
  turn: string;
  side: Side | "disk";
}

interface Kept {
  bytes: Uint8Array;
  mtime: number;
}

export class BaseFiles implements vscode.FileSystemProvider {
  readonly #extension: Extension;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #registration: vscode.Disposable;
  readonly #watched = new Map<string, vscode.Uri>();
  readonly #served = new Map<string, Kept>();
  readonly #baselines = new Map<string, string>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(extension: Extension) {
    this.#extension = extension;
    this.#registration = vscode.workspace.registerFileSystemProvider(BASE_SCHEME, this, {
      isCaseSensitive: true,
      isReadonly: true,
    });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  uri(session: string, turn: string, path: string, side: Side): vscode.Uri {
    const query = JSON.stringify({ session, turn, side } satisfies Place);
    return vscode.Uri.file(path).with({ scheme: BASE_SCHEME, query });
  }

  /** The file as it is on disk, for comparing with an editor's unsaved text. */
  diskUri(path: string): vscode.Uri {
    const query = JSON.stringify({ session: "", turn: "", side: "disk" } satisfies Place);
    return vscode.Uri.file(path).with({ scheme: BASE_SCHEME, query });
  }

  /** Files changed: whoever looks at one of these reads it again. */
  changed(): void {
    void this.#captureBaselines();
    const events = [...this.#watched.values()].map((uri) => ({ type: vscode.FileChangeType.Changed, uri }));
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
    const bytes = new TextEncoder().encode(await this.#text(uri));
    const key = uri.toString();
    const before = this.#served.get(key);
    if (before !== undefined && Buffer.compare(before.bytes, bytes) === 0) return before;
    const kept = { bytes, mtime: Math.max(Date.now(), (before?.mtime ?? 0) + 1) };
    this.#served.set(key, kept);
    return kept;
  }

  async #text(uri: vscode.Uri): Promise<string> {
    const place = parsePlace(uri);
    const path = vscode.Uri.file(uri.path).fsPath;
    const now = await readText(path);
    if (place.side === "disk") return now ?? "";
    const kept = place.side === "before" ? this.#baselines.get(keyOf(place, path)) : undefined;
    if (kept !== undefined) return kept;
    const state = await this.#extension.chat?.stateOf(place.session);
    if (state === undefined) throw vscode.FileSystemError.Unavailable("the engine is not there");
    const text = textAt(changedTurns(state), place.turn, path, place.side, now);
    if (text === undefined) {
      throw vscode.FileSystemError.Unavailable(
        "the file has changed too much since this turn to show what it was; the tool's card shows its hunks",
      );
    }
    if (place.side === "before") this.#baselines.set(keyOf(place, path), text);
    return text;
  }

  /** Keeps what the files of the newest turn were, while the disk still holds what the agent wrote. */
  async #captureBaselines(): Promise<void> {
    const session = this.#extension.chat?.session;
    if (session === undefined) return;
    const turns = changedTurns(session.state);
    const turn = turns.at(-1);
    for (const file of turn?.files ?? []) {
      const key = keyOf({ session: session.id, turn: file.turnId }, file.path);
      if (this.#baselines.has(key)) continue;
      const text = textAt(turns, file.turnId, file.path, "before", await readText(file.path));
      if (text !== undefined) this.#baselines.set(key, text);
    }
  }
}

function keyOf(place: Pick<Place, "session" | "turn">, path: string): string {
  return `${place.session} ${place.turn} ${path}`;
}

function parsePlace(uri: vscode.Uri): Place {
  try {
    const place = JSON.parse(uri.query) as Partial<Place>;
    const { session, turn, side } = place;
    if (typeof session === "string" && typeof turn === "string") {
      if (side === "before" || side === "after" || side === "disk") return { session, turn, side };
    }
  } catch {
    // Said below.
  }
  throw vscode.FileSystemError.FileNotFound(uri);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const bytes = await fs.readFile(path);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
