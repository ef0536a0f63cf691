/** The engine's guides, as `pintle help` prints them. Needs no running engine. */
import { execFile } from "node:child_process";

/** Printing a page takes milliseconds; this is for a program that hangs. */
const TIMEOUT_MS = 5_000;

export interface Topic {
  topic: string;
  summary: string;
}

/** Lists the topics. Rejects with what the program printed on stderr. */
export async function topics(program: string): Promise<Topic[]> {
  const lines = (await help(program, ["--json"])).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Topic);
}

/** Returns a page in Markdown. Rejects with what the program printed on stderr. */
export function page(program: string, topic: string): Promise<string> {
  return help(program, [topic]);
}

/** The topic that a link of a page leads to; undefined for a link that leads elsewhere. */
export function topicOf(link: string): string | undefined {
  return /^([a-z]+)\.md(#.*)?$/.exec(link)?.[1];
}

function help(program: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      ["help", ...args],
      { timeout: TIMEOUT_MS, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(stderr.trim() === "" ? error.message : stderr.trim()));
      },
    );
  });
}
