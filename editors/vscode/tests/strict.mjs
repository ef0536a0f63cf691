// Puts VS Code's check for proposed APIs back into code-server, which answers every question of it with yes: without it, a package that the
// marketplace's VS Code refuses runs here. Usage: strict.mjs CODE-SERVER   a copy, whose files may be hard links.
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

/** The workbench checks the manifest, the extension host the calls. */
const FILES = ["vs/code/browser/workbench/workbench.js", "vs/workbench/api/node/extensionHostProcess.js"];

/** A function that says yes, in front of the one that throws when it says no. */
const CHECK =
  /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}(?=function [\w$]+\([\w$]+,[\w$]+\)\{if\(!\1\([\w$]+,[\w$]+\)\)throw new Error\(`Extension '\$\{[\w$]+\.identifier\.value\}' CANNOT use API proposal: )/g;

/** The program with the check in it. */
export function strict(program) {
  const found = [...program.matchAll(CHECK)].length;
  if (found !== 1) throw new Error(`the check for proposed APIs was found ${found} times, not once`);
  return program.replace(CHECK, "function $1($2,$3){return $2.enabledApiProposals?.includes($3)===!0}");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of FILES) {
    const file = path.join(process.argv[2], "lib/vscode/out", name);
    const program = fs.readFileSync(file, "utf8");
    let patched;
    try {
      patched = strict(program);
    } catch (error) {
      throw new Error(`${file}: ${error.message}; has code-server changed?`);
    }
    // Writing in place would change the original too.
    fs.rmSync(file);
    fs.writeFileSync(file, patched);
  }
}
