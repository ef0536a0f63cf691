/** Notes on lines as one message: what was said of each place, and the places themselves. Pure. */
import type { Input } from "pintle-client";

export interface Note {
  path: string;
  /** The path as a person reads it. */
  label: string;
  /** Lines from 1. */
  start: number;
  end: number;
  /** What stands there. */
  lines: string;
  texts: string[];
}

export function noteMessage(notes: Note[]): { text: string; attached: Input[] } {
  const sorted = notes.toSorted((a, b) => a.path.localeCompare(b.path) || a.start - b.start);
  const rows = sorted.map(({ label, start, end, texts }) => {
    const place = start === end ? `${label}:${start}` : `${label}:${start}-${end}`;
    return `- ${place}: ${texts.join("\n").replaceAll("\n", "\n  ")}`;
  });
  const attached = sorted.map(({ path, start, end, lines }): Input => ({
    type: "selection",
    path,
    range: { start, end },
    text: lines,
  }));
  const head = sorted.length === 1 ? "My note:" : "My notes:";
  return { text: `${head}\n\n${rows.join("\n")}`, attached };
}
