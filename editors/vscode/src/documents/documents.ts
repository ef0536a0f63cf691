/**
 * The texts that stand in editors, told to the engine: it reads what is on the screen as long as that is not saved.
 *
 * It imports no `vscode`. Invariants: what a request asks comes after all that was typed before (`flush`), and an engine that takes
 * no documents is told of none.
 */
import * as fs from "node:fs";
import type { ApplyEditParams, ClientRequests, DocumentChange, InitializeResult } from "pintle-client";
import { Disconnected, ErrorCode, RequestFailed } from "pintle-client";
import { reasonOf } from "../connection/problem.ts";
import { isInside, isSame } from "../paths.ts";
import { t } from "../words.ts";

/** A text that the editor holds, as it stood when it was asked for. */
export interface OpenDocument {
  readonly path: string;
  readonly version: number;
  readonly dirty: boolean;
  /** Which line ends it has; any value, as long as it changes with them. */
  readonly eol: number;
  text(): string;
}

/** What is asked of the editor. */
export interface Editor {
  /** The open documents that stand for files, wherever they lie. */
  documents(): OpenDocument[];
  /** Makes an edit, all of it or nothing. False when it was not made. */
  apply(edit: ApplyEditParams): Promise<boolean>;
  /** Writes a document. False when it was not written. */
  save(path: string): Promise<boolean>;
  /** The engine does not see a document: it reads the file instead. */
  refused(path: string, why: string): void;
}

/** A connection, as far as it is needed here. */
interface Wire {
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
  ): Promise<ClientRequests[M]["result"]>;
}

/** How long a change without unsaved text is held back, in milliseconds. */
const HELD_MS = 30;

/** A document as the engine knows it. */
interface Told {
  version: number;
  dirty: boolean;
  eol: number;
  /** A change was not told yet. */
  isHeld?: boolean;
}

export class Documents {
  readonly #folders: () => string[];
  readonly #editor: Editor;
  readonly #told = new Map<string, Told>();
  readonly #refused = new Set<string>();
  readonly #inside = new Map<string, boolean>();
  #wire: Wire | undefined;
  #mostBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(folders: () => string[], editor: Editor) {
    this.#folders = folders;
    this.#editor = editor;
  }

  /** An engine is there, and knows nothing yet: it is told of all that is open. */
  connected(wire: Wire, info: InitializeResult): void {
    this.lost();
    if (info.capabilities.documents === undefined) return;
    this.#wire = wire;
    this.#mostBytes = info.limits.maxMessageBytes / 2;
    this.flush();
  }

  /** The engine has ended. */
  lost(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wire = undefined;
    this.#told.clear();
    this.#refused.clear();
  }

  /** A document was opened, or something of it changed. `changes` are those to its text, one after the other. */
  changed(document: OpenDocument, changes: DocumentChange[] = []): void {
    if (this.#wire === undefined || !this.#isOurs(document.path)) return;
    const told = this.#told.get(document.path);
    if (told === undefined) this.#open(document);
    else if (document.version === told.version) this.#look(document, told);
    else if (changes.length > 0 && !document.dirty) this.#hold(told);
    else this.#change(document, told, told.isHeld === true ? [] : changes);
  }

  /** The folders are others now: what is open in new ones is told. */
  foldersChanged(): void {
    this.#inside.clear();
    this.flush();
  }

  closed(path: string): void {
    this.#refused.delete(path);
    if (this.#told.delete(path)) this.#send("document/close", { path });
  }

  /** Tells all that was not told yet. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#wire === undefined) return;
    const gone = new Set(this.#told.keys());
    for (const document of this.#editor.documents()) {
      if (this.#isOurs(document.path)) gone.delete(document.path);
      const told = this.#told.get(document.path);
      // It is unsaved, and no change of its text has said so.
      const isNewlyDirty = told?.version === document.version && document.dirty && !told.dirty;
      if (isNewlyDirty) this.#open(document);
      else this.changed(document);
    }
    for (const path of gone) this.closed(path);
  }

  /** The open document of a path. */
  find(path: string): OpenDocument | undefined {
    return this.#editor.documents().find((each) => isSame(each.path, path));
  }

  // ----- inside

  #open(document: OpenDocument): void {
    const { path, version, dirty, eol } = document;
    const text = document.text();
    // What is escaped takes more room.
    if (Buffer.byteLength(text) > this.#mostBytes) {
      this.#refuse(path, t("too long"));
      return;
    }
    this.#told.set(path, { version, dirty, eol });
    this.#send("document/open", { path, version, text, dirty });
  }

  #change(document: OpenDocument, told: Told, changes: DocumentChange[]): void {
    const { path, version, dirty, eol } = document;
    // Other line ends change every line, and no change of the text says so.
    const isWhole = changes.length === 0 || eol !== told.eol;
    if (isWhole) {
      const text = document.text();
      if (Buffer.byteLength(text) > this.#mostBytes) {
        this.closed(path);
        this.#refuse(path, t("too long"));
        return;
      }
      changes = [{ text }];
    }
    this.#told.set(path, { version, dirty, eol });
    this.#send("document/change", { path, version, changes, dirty });
  }

  /**
   * A change without unsaved text was read from the disk, or is the first one that is typed: VS Code marks the document as unsaved only
   * afterwards. So it is told a little later.
   */
  #hold(told: Told): void {
    told.isHeld = true;
    this.#timer ??= setTimeout(() => this.flush(), HELD_MS);
  }

  /** The text is the same: it may have been saved, or be unsaved now. */
  #look(document: OpenDocument, told: Told): void {
    if (told.dirty === document.dirty) return;
    if (!document.dirty) {
      told.dirty = false;
      this.#send("document/save", { path: document.path, version: document.version });
      return;
    }
    // The change that made it so is on its way, and says so itself.
    this.#timer ??= setTimeout(() => this.flush(), 0);
  }

  #send<M extends "document/open" | "document/change" | "document/save" | "document/close">(
    method: M,
    params: ClientRequests[M]["params"],
  ): void {
    const wire = this.#wire;
    const told = this.#told.get(params.path);
    wire?.request(method, params).catch((error: unknown) => {
      if (error instanceof Disconnected || wire !== this.#wire || method === "document/close") return;
      if (told !== this.#told.get(params.path)) return;
      this.#told.delete(params.path);
      const isConflict = error instanceof RequestFailed && error.code === ErrorCode.conflict;
      if (isConflict && method !== "document/open") this.flush();
      else this.#refuse(params.path, reasonOf(error));
    });
  }

  #refuse(path: string, why: string): void {
    this.#told.delete(path);
    this.#refused.add(path);
    this.#editor.refused(path, why);
  }

  #isOurs(path: string): boolean {
    if (this.#refused.has(path)) return false;
    const known = this.#inside.get(path);
    if (known !== undefined) return known;
    const is = this.#folders().some((each) => isInside(each, path) || isInside(real(each), real(path)));
    this.#inside.set(path, is);
    return is;
  }
}

/** A path without symbolic links; as it is where there is no file. */
export function real(path: string): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return path;
  }
}
