/**
 * The few words that a window keeps for the next one: which session is shown, and what stands in the prompt box.
 *
 * A file of our own, written at once: VS Code's own storage is written later, and a reload in between loses it.
 */
import * as fs from "node:fs";
import * as path from "node:path";

interface Kept {
  session?: string;
  draft?: string;
}

export class Memory {
  readonly #file: string | undefined;
  #kept: Kept;

  /** Without a folder it remembers as long as it lives. */
  constructor(folder: string | undefined) {
    this.#file = folder === undefined ? undefined : path.join(folder, "window.json");
    this.#kept = read(this.#file);
  }

  get session(): string | undefined {
    return this.#kept.session;
  }

  set session(session: string | undefined) {
    const { draft } = this.#kept;
    this.#write({ ...(session === undefined ? {} : { session }), ...(draft === undefined ? {} : { draft }) });
  }

  get draft(): string {
    return this.#kept.draft ?? "";
  }

  set draft(draft: string) {
    this.#write({ ...this.#kept, draft });
  }

  #write(kept: Kept): void {
    this.#kept = kept;
    if (this.#file === undefined) return;
    try {
      fs.mkdirSync(path.dirname(this.#file), { recursive: true });
      const next = `${this.#file}.${process.pid}`;
      fs.writeFileSync(next, JSON.stringify(kept));
      fs.renameSync(next, this.#file);
    } catch {
      // A full disk must not stop the work; the next window begins without a session.
    }
  }
}

function read(file: string | undefined): Kept {
  if (file === undefined) return {};
  try {
    const { session, draft } = JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, unknown>;
    return {
      ...(typeof session === "string" ? { session } : {}),
      ...(typeof draft === "string" ? { draft } : {}),
    };
  } catch {
    return {};
  }
}
