/** The program that stands for `pintle` in tests: Node with a script, which starts in the same way on every system. */
import * as path from "node:path";
import { pathToFileURL } from "node:url";

export const PROGRAM = process.execPath;

/**
 * The variables with which PROGRAM runs a script of this folder. The script must not return, and finds its first argument as a path:
 * Node takes it for the script.
 */
export function running(script: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, script)).href}` };
}
