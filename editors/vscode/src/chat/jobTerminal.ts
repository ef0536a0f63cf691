/** A job's terminal: its screen is followed, and what the user types is sent. Needs no editor. */
import type { JobId, SessionId, TerminalScreen } from "pintle-client";
import { problemOf } from "../connection/problem.ts";
import { t } from "../words.ts";
import type { Ask } from "./turns.ts";

/**
 * The text that paints a screen over the contents of a terminal of this height. `lines` have left the screen and go into the scrollback. A
 * lower terminal shows the part with the cursor and the last text.
 */
export function paint({ rows: all, cursor }: TerminalScreen, lines: string, height: number): string {
  let used = all.length;
  while (used > (cursor?.row ?? 0) + 1 && all[used - 1] === "") used--;
  const first = Math.max(0, Math.min(used - height, cursor?.row ?? used));
  const rows = all.slice(first, first + height);
  // The cursor is hidden meanwhile, and long rows do not wrap.
  const parts = ["\x1b[?25l\x1b[?7l\x1b[H"];
  if (lines !== "") parts.push("\x1b[J", lines.replaceAll("\n", "\r\n"), "\r\n".repeat(height - 1), "\x1b[H");
  parts.push(rows.map((row) => `\x1b[0m\x1b[K${row}`).join("\r\n"), "\x1b[0m");
  if (rows.length < height) parts.push("\r\n\x1b[J");
  if (cursor !== undefined) parts.push(`\x1b[${cursor.row - first + 1};${cursor.column + 1}H\x1b[?25h`);
  return parts.join("");
}

/** The text that a terminal ends with: its last lines, or the screen if they are not known, and why it ends. */
function ending(lines: string | undefined, why: string): string {
  const last = lines === undefined ? "\x1b[999;1H\r\n" : `\x1b[H\x1b[J${lines.replaceAll("\n", "\r\n")}`;
  return `\x1b[?25h\x1b[?7h${last}\x1b[2m${why}\x1b[0m\r\n`;
}

export class JobTerminal {
  readonly #ask: Ask;
  readonly #sessionId: SessionId;
  readonly #jobId: JobId;
  readonly #write: (text: string) => void;
  #height: number;
  #screen: TerminalScreen | undefined;
  /** What was typed and not sent. */
  #typed = "";
  #isSending = false;
  #hasEnded = false;
  #isClosed = false;

  /** `height` is that of the terminal, in rows. */
  constructor(ask: Ask, sessionId: SessionId, jobId: JobId, height: number, write: (text: string) => void) {
    this.#ask = ask;
    this.#sessionId = sessionId;
    this.#jobId = jobId;
    this.#height = height;
    this.#write = write;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Shows the screen now and whenever it changes, until the job ends or nobody looks. */
  async follow(): Promise<void> {
    const params = { sessionId: this.#sessionId, jobId: this.#jobId };
    let after: string | undefined;
    try {
      while (!this.#isClosed) {
        const { screen, lines, mark, ended } = await this.#ask("shell/screen", {
          ...params,
          ...(after === undefined ? {} : { after }),
        });
        after = mark;
        if (ended === true) {
          this.#end(lines, t("The command has ended. Press a key to close this terminal."));
          return;
        }
        if (screen !== undefined) {
          this.#screen = screen;
          this.#write(paint(screen, lines, this.#height));
        }
      }
    } catch (error) {
      this.#end(undefined, problemOf(error).text);
    }
  }

  /** The terminal has another height. */
  resize(height: number): void {
    this.#height = height;
    if (this.#screen !== undefined && !this.#hasEnded) this.#write(paint(this.#screen, "", height));
  }

  /** Types a text as the keyboard sends it. */
  async type(text: string): Promise<void> {
    this.#typed += text;
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      // In order: the next text waits for the one before it.
      while (this.#typed !== "" && !this.#hasEnded) {
        const typed = this.#typed;
        this.#typed = "";
        const params = { sessionId: this.#sessionId, jobId: this.#jobId, text: typed, wantsScreen: false };
        await this.#ask("shell/write", params);
      }
    } finally {
      this.#typed = "";
      this.#isSending = false;
    }
  }

  /** Nobody looks any more. The job goes on. */
  close(): void {
    this.#isClosed = true;
  }

  #end(lines: string | undefined, why: string): void {
    this.#hasEnded = true;
    if (!this.#isClosed) this.#write(ending(lines, why));
  }
}
