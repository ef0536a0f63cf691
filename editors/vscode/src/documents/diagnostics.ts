/**
 * What the editor finds wrong, on its way to the engine: gathered, so that a file is told of once for many changes, and only
 * for files in the session's folder.
 */
import type { EditorDiagnostic } from "pintle-client";
import { isInside } from "../paths.ts";

/** Editors report a file many times while they look at it. */
const GATHER_MS = 100;

/** What the editor says of a file. */
export interface Found {
  /** From 0, as editors count. */
  startLine: number;
  endLine: number;
  severity: number;
  message: string;
  source: string | undefined;
  code: unknown;
}

type Send = (report: { path: string; version?: number; items: EditorDiagnostic[] }) => void;

export class Diagnostics {
  readonly #folders: () => string[];
  readonly #read: (path: string) => { items: Found[]; version: number | undefined };
  readonly #send: Send;
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    folders: () => string[],
    read: (path: string) => { items: Found[]; version: number | undefined },
    send: Send,
  ) {
    this.#folders = folders;
    this.#read = read;
    this.#send = send;
  }

  changed(paths: string[]): void {
    for (const each of paths)
      if (this.#folders().some((folder) => isInside(folder, each))) this.#waiting.add(each);
    if (this.#waiting.size === 0) return;
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  /** Tells now what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const paths = [...this.#waiting];
    this.#waiting.clear();
    for (const each of paths) {
      const { items, version } = this.#read(each);
      this.#send({
        path: each,
        ...(version === undefined ? {} : { version }),
        items: items.map(toDiagnostic),
      });
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}

const SEVERITIES = ["error", "warning", "information", "hint"] as const;

export function toDiagnostic(found: Found): EditorDiagnostic {
  const code = codeOf(found.code);
  return {
    range: { start: found.startLine + 1, end: Math.max(found.startLine, found.endLine) + 1 },
    severity: SEVERITIES[found.severity] ?? "information",
    message: found.message,
    ...(found.source === undefined ? {} : { source: found.source }),
    ...(code === undefined ? {} : { code }),
  };
}

/** A code is a name, a number, or either with a link. */
function codeOf(code: unknown): string | undefined {
  const value = typeof code === "object" && code !== null && "value" in code ? code.value : code;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
