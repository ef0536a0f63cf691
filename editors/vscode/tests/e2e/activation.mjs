// Activates the packaged extension with a stand-in for VS Code, and prints what it took: `node activation.mjs DIST`. The stand-in answers
// every call with itself, so that no work but the extension's own is counted.
import Module, { createRequire } from "node:module";
import * as os from "node:os";
import * as path from "node:path";

const require = createRequire(import.meta.url);

const file = path.resolve(process.argv[2], "extension.cjs");
const stand = new Proxy(function () {}, {
  get: (target, name) => {
    if (name === "then") return undefined;
    if (name === "fsPath" || name === "extensionPath") return os.tmpdir();
    if (name === "length") return 0;
    if (name === Symbol.toPrimitive) return () => "";
    if (name === Symbol.iterator) return [][Symbol.iterator].bind([]);
    return name === "prototype" ? target.prototype : stand;
  },
  set: () => true,
  apply: () => stand,
  construct: () => stand,
});
const load = Module._load;
const loaded = [];
Module._load = (name, ...more) => {
  // A bundle copies what a module itself has, and looks for the rest where this leads.
  if (name === "vscode") return Object.create(stand);
  if (!Module.isBuiltin(name)) loaded.push(name);
  return load(name, ...more);
};
const before = process.cpuUsage();
require(file).activate(stand);
const { user, system } = process.cpuUsage(before);
Module._load = load;
console.log(JSON.stringify({ milliseconds: (user + system) / 1000, loaded: loaded.length }));
process.exit(0);
