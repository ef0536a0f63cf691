/**
 * The few words that a window keeps for the next one: which session is shown, and what stands in the prompt box.
 *
 * A file of our own, written at once: VS Code's own values are written later, and a reload in between loses them. It does
 * not lie in the workspace's storage either: VS Code gives a window another one while the window before it still ends.
 * Windows on the same folder share it; the engine lets only one of them have the session.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";

interface Kept {
  session?: string;
  draft?: string;
}

export class Memory {
  readonly #file: string;
  #kept: Kept;

  /** What belongs to `workspace`, kept below `folder`. */
  constructor(folder: string, workspace: string) {
    const name = createHash("sha256").update(workspace).digest("hex").slice(0, 16);
    this.#file = path.join(folder, `${name}.json`);
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

function read(file: string): Kept {
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
