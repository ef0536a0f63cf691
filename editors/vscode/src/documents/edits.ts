/**
 * Edits of the engine in documents that are open: all of them or none, only to the very text that they were made for, and one
 * request after the other.
 *
 * It imports no `vscode`.
 */
import type { ApplyEditParams, ApplyEditResult } from "pintle-client";
import { reasonOf } from "../connection/problem.ts";
import type { Documents, Editor } from "./documents.ts";

/** How long a document may take to be written. The engine waits a few seconds longer. */
export const SAVE_MS = 10_000;

export class Edits {
  readonly #editor: Editor;
  readonly #documents: Documents;
  readonly #saveMs: number;
  #isBusy = false;

  constructor(editor: Editor, documents: Documents, saveMs = SAVE_MS) {
    this.#editor = editor;
    this.#documents = documents;
    this.#saveMs = saveMs;
  }

  /** Makes an edit, and says what came of it. It never rejects. */
  async apply(params: ApplyEditParams): Promise<ApplyEditResult> {
    if (this.#isBusy) return this.#refused("another edit is being made");
    this.#isBusy = true;
    try {
      return await this.#apply(params);
    } catch (error) {
      return this.#refused(reasonOf(error));
    } finally {
      this.#isBusy = false;
    }
  }

  async #apply(params: ApplyEditParams): Promise<ApplyEditResult> {
    this.#documents.flush();
    for (const { path, version } of params.edits) {
      const document = this.#documents.find(path);
      if (document === undefined) return this.#refused(`${path} is not open in the editor`);
      if (document.version !== version) {
        return this.#refused(`${path} has changed: it is at version ${document.version}, not ${version}`);
      }
    }
    if (!(await this.#editor.apply(params))) {
      return this.#refused("VS Code did not make the edit; it may have been typed into meanwhile");
    }
    const unsaved: string[] = [];
    for (const { path, version, save } of params.edits) {
      if (!save) continue;
      // An edit is one version: more is a person's text, and when that is written is for the person to say.
      const isTyped = (this.#documents.find(path)?.version ?? version) > version + 1;
      const why = isTyped ? "it was typed into meanwhile" : await this.#save(path);
      if (why !== undefined) unsaved.push(`${path} was changed in the editor, but not written: ${why}`);
    }
    // The engine hears of the changes before it hears that they were made.
    this.#documents.flush();
    const versions = params.edits.flatMap(({ path }) => {
      const document = this.#documents.find(path);
      return document === undefined ? [] : [{ path, version: document.version }];
    });
    return {
      applied: true,
      versions,
      ...(unsaved.length === 0 ? {} : { failureReason: unsaved.join("; ") }),
    };
  }

  /** Writes a document. Gives the reason when it was not written. */
  async #save(path: string): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`it took longer than ${this.#saveMs / 1000} s`), this.#saveMs);
    });
    const saved = this.#editor.save(path).then(
      (isSaved) => (isSaved ? undefined : "VS Code did not write it; the file may have changed on disk"),
      (error: unknown) => reasonOf(error),
    );
    try {
      return await Promise.race([saved, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #refused(failureReason: string): ApplyEditResult {
    this.#documents.flush();
    return { applied: false, failureReason };
  }
}
