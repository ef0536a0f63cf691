/**
 * The few words that a window keeps for the next one: which session is shown, and what stands in the prompt box of each session.
 *
 * A file of our own, written at once: VS Code's own values are written later, and a reload in between loses them. It does not lie in the
 * workspace's storage either: VS Code gives a window another one while the window before it still ends.
 *
 * Windows on the same folder have a file each, locked with the id of their process. A window that is loaded anew gets the file of the one
 * that just ended; a further window waits for that in vain, and gets one that nobody uses.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { keyOf } from "../paths.ts";

interface Kept {
  session?: string;
  /** Sessions that were left and went on. */
  others?: string[];
  /** By session; what stands under no session is for a new one. */
  drafts?: Record<string, string>;
}

interface Slot {
  number: number;
  isTaken: boolean;
  /** When it was written last. */
  atMs: number;
}

/** How long the window before may take to end. */
const PATIENCE_MS = 3000;
const LOOK_MS = 100;
const DRAFTS_KEPT = 50;

export class Memory {
  readonly #prefix: string;
  readonly #known: { resolve: () => void };
  /** Resolves when the file of this window is taken and read. */
  readonly isKnown: Promise<void>;
  /** Undefined before `claim`, and after `release`: then nothing is written. */
  #number: number | undefined;
  #kept: Kept = {};

  /** What belongs to `workspace`, kept below `folder`. */
  constructor(folder: string, workspace: string) {
    const name = createHash("sha256").update(keyOf(workspace)).digest("hex").slice(0, 16);
    this.#prefix = path.join(folder, name);
    let resolve = (): void => undefined;
    this.isKnown = new Promise((known) => (resolve = known));
    this.#known = { resolve };
  }

  /** Takes the file of this window. What was said before goes before what stands there. */
  async claim(patienceMs = PATIENCE_MS): Promise<void> {
    const said = this.#kept;
    const number = await this.#choose(patienceMs);
    this.#number = number;
    this.#kept = { ...read(this.#file(number)), ...said };
    if (this.#kept.session === undefined) {
      const newest = this.#slots().find((each) => each.number !== number && each.atMs > 0);
      const session = newest && read(this.#file(newest.number)).session;
      // A further window begins with what the other one shows; its drafts are its own.
      if (session !== undefined && !fs.existsSync(this.#file(number)))
        this.#kept = { ...this.#kept, session };
    }
    if (Object.keys(said).length > 0) this.#write(this.#kept);
    this.#known.resolve();
  }

  /** Leaves the file to the next window. */
  release(): void {
    if (this.#number === undefined) return;
    fs.rmSync(this.#lock(this.#number), { force: true });
    this.#number = undefined;
  }

  get session(): string | undefined {
    return this.#kept.session;
  }

  set session(session: string | undefined) {
    const kept = { ...this.#kept };
    if (session === undefined) delete kept.session;
    else kept.session = session;
    this.#write(kept);
  }

  get others(): string[] {
    return this.#kept.others ?? [];
  }

  set others(others: string[]) {
    if (others.join(" ") !== this.others.join(" ")) this.#write({ ...this.#kept, others });
  }

  /** What stands in the prompt box of a session; under no id, of the next new one. */
  draft(session: string | undefined): string {
    return this.#kept.drafts?.[session ?? ""] ?? "";
  }

  setDraft(session: string | undefined, text: string): void {
    const others = Object.entries(this.#kept.drafts ?? {}).filter(([id]) => id !== (session ?? ""));
    const drafts = text === "" ? others : [...others, [session ?? "", text] as const];
    this.#write({ ...this.#kept, drafts: Object.fromEntries(drafts.slice(-DRAFTS_KEPT)) });
  }

  /** Puts text back into the prompt box of a session that is not shown. */
  giveBack(session: string, text: string): void {
    this.setDraft(session, [text, this.draft(session)].filter((each) => each !== "").join("\n\n"));
  }

  #file(number: number): string {
    return `${this.#prefix}${number === 0 ? "" : `-${number}`}.json`;
  }

  #lock(number: number): string {
    return `${this.#prefix}-${number}.lock`;
  }

  async #choose(patienceMs: number): Promise<number> {
    const taken = this.#slots().filter((each) => each.isTaken);
    const until = Date.now() + patienceMs;
    while (taken.length > 0 && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      for (const { number } of taken) if (this.#take(number)) return number;
    }
    for (const { number, isTaken } of this.#slots()) if (!isTaken && this.#take(number)) return number;
    let number = 0;
    while (!this.#take(number)) number += 1;
    return number;
  }

  /** The files there are, the one that was written last first. */
  #slots(): Slot[] {
    const slots: Slot[] = [];
    for (let number = 0; ; number++) {
      const stat = fs.statSync(this.#file(number), { throwIfNoEntry: false });
      const isTaken = isAlive(this.#lock(number));
      if (stat === undefined && !isTaken) break;
      slots.push({ number, isTaken, atMs: stat?.mtimeMs ?? 0 });
    }
    return slots.sort((a, b) => b.atMs - a.atMs);
  }

  #take(number: number): boolean {
    const lock = this.#lock(number);
    if (isAlive(lock)) return false;
    try {
      fs.mkdirSync(path.dirname(lock), { recursive: true });
      fs.rmSync(lock, { force: true });
      fs.writeFileSync(lock, String(process.pid), { flag: "wx" });
      return true;
    } catch (error) {
      // Where nothing can be written, nothing is kept: that must not stop the work.
      return (error as NodeJS.ErrnoException).code !== "EEXIST";
    }
  }

  #write(kept: Kept): void {
    this.#kept = kept;
    if (this.#number === undefined) return;
    const file = this.#file(this.#number);
    try {
      const next = `${file}.${process.pid}`;
      fs.writeFileSync(next, JSON.stringify(kept));
      fs.renameSync(next, file);
    } catch {
      // A full disk must not stop the work; the next window begins without a session.
    }
  }
}

/** Whether the process that made a lock runs. */
function isAlive(lock: string): boolean {
  try {
    process.kill(Number(fs.readFileSync(lock, "utf8")), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function read(file: string): Kept {
  try {
    const { session, others, drafts, draft } = JSON.parse(fs.readFileSync(file, "utf8")) as Record<
      string,
      unknown
    >;
    const texts = Object.entries(typeof drafts === "object" && drafts !== null ? drafts : {}).filter(
      (each): each is [string, string] => typeof each[1] === "string",
    );
    // Versions before kept one draft.
    if (typeof draft === "string" && draft !== "")
      texts.push([typeof session === "string" ? session : "", draft]);
    return {
      ...(typeof session === "string" ? { session } : {}),
      ...(Array.isArray(others)
        ? { others: others.filter((each): each is string => typeof each === "string") }
        : {}),
      ...(texts.length === 0 ? {} : { drafts: Object.fromEntries(texts) }),
    };
  } catch {
    return {};
  }
}
