// Activates the packaged extension with a stand-in for VS Code, and prints what it took: `node activation.mjs DIST`. The stand-in answers
// every call with itself, so that no work but the extension's own is counted: how often blocks of its code run, and what it loads.
import { Session } from "node:inspector/promises";
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
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const before = process.cpuUsage();
require(file).activate(stand);
const { user, system } = process.cpuUsage(before);
const { result } = await session.post("Profiler.takePreciseCoverage");
Module._load = load;
const own = result.filter(({ url }) => url.endsWith("/extension.cjs"));
const ranges = own.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
const blocks = ranges.reduce((sum, range) => sum + range.count, 0);
console.log(JSON.stringify({ blocks, loaded: loaded.length, milliseconds: (user + system) / 1000 }));
process.exit(0);
