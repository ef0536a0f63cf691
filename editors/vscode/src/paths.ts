/**
 * Compares and shortens paths by the rules of an operating system. Pure: the disk is never read.
 *
 * The engine writes `C:/work/a.ts`, VS Code `c:\work\a.ts`, and a link `file:///c%3A/work/a.ts`, all for the same file. Invariant: only
 * this module compares paths or splits them. Every function takes the system, so that the rules of Windows are tested on any.
 */

export type System = "windows" | "unix";

/** The system that Node calls `platform`, such as `win32`. */
export function systemOf(platform: string | undefined): System {
  return platform === "win32" ? "windows" : "unix";
}

/** The system at hand. In the page of the chat, which has no `process`, use the system in `Head`. */
export const HERE = systemOf((globalThis as { process?: { platform?: string } }).process?.platform);

interface Parts {
  /** `/`, `C:/` or `//server/share/`. Without the last slash for `C:a.ts`, which is relative to a drive; empty for a relative path. */
  root: string;
  names: string[];
}

/** Returns true if a path does not depend on a working directory. On Windows, `\a.ts` and `C:a.ts` do. */
export function isAbsolute(path: string, system = HERE): boolean {
  const { root } = partsOf(path, system);
  return system === "windows" ? root.length > 1 && root.endsWith("/") : root !== "";
}

/** Returns a text that is equal for all spellings of a path. It is not a path. */
export function keyOf(path: string, system = HERE): string {
  const { root, names } = partsOf(path, system);
  return root + names.map((name) => folded(name, system)).join("/");
}

/** Returns true if two paths are spellings of the same one. Links are not followed. */
export function isSame(a: string, b: string, system = HERE): boolean {
  return a === b || keyOf(a, system) === keyOf(b, system);
}

/** Returns true if a file is below a folder. A folder is not below itself. */
export function isInside(folder: string, file: string, system = HERE): boolean {
  return below(folder, file, system) !== undefined;
}

/** Returns a path for users: relative and with `/` if it is below the folder, otherwise as it was written. */
export function labelOf(folder: string, file: string, system = HERE): string {
  return below(folder, file, system)?.join("/") ?? file;
}

/** Splits a path at its last separator. The folder is empty if there is none. */
export function split(path: string, system = HERE): { folder: string; name: string } {
  const at = Math.max(path.lastIndexOf("/"), system === "windows" ? path.lastIndexOf("\\") : -1);
  return { folder: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}

/** Returns a path with `/` as its only separator, as glob patterns require. */
export function withSlashes(path: string, system = HERE): string {
  return system === "windows" ? path.replaceAll("\\", "/") : path;
}

/** Returns the path that a `file:` address names, which must be decoded; any other text unchanged. */
export function ofAddress(text: string, system = HERE): string {
  const [, host = "", path = text] = /^file:\/\/([^/\\]*)(.*)$/is.exec(text) ?? [];
  if (system === "unix") return path;
  if (host !== "" && host !== "localhost") return `//${host}${path}`;
  return path.replace(/^[/\\](?=[a-z]:)/i, "");
}

function below(folder: string, file: string, system: System): string[] | undefined {
  const [outer, inner] = [partsOf(folder, system), partsOf(file, system)];
  const isBelow =
    outer.root !== "" &&
    outer.root === inner.root &&
    outer.names.length < inner.names.length &&
    outer.names.every((name, at) => folded(name, system) === folded(inner.names[at] ?? "", system));
  return isBelow ? inner.names.slice(outer.names.length) : undefined;
}

function partsOf(path: string, system: System): Parts {
  const [root, rest] = system === "windows" ? windowsRoot(path) : unixRoot(path);
  const names: string[] = [];
  for (const name of rest.split(system === "windows" ? /[/\\]/ : "/")) {
    if (name === "" || name === ".") continue;
    const isUp = name === "..";
    if (isUp && names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (!isUp || !root.endsWith("/")) names.push(name);
  }
  return { root, names };
}

function unixRoot(path: string): [root: string, rest: string] {
  return path.startsWith("/") ? ["/", path] : ["", path];
}

function windowsRoot(path: string): [root: string, rest: string] {
  // `\\?\C:\a` is `C:\a`, and `\\?\UNC\server\share` is `\\server\share`.
  const plain = path
    .replace(/^[/\\]{2}[?.][/\\]UNC[/\\]/i, "//")
    .replace(/^[/\\]{2}[?.][/\\](?=[a-z]:)/i, "");
  const [whole, server, share] = /^[/\\]{2}([^/\\]+)[/\\]+([^/\\]+)/.exec(plain) ?? [];
  if (whole !== undefined) {
    const root = `//${folded(`${server}/${share}`, "windows")}/`;
    return [root, plain.slice(whole.length)];
  }
  const [start = "", drive = "", slash = ""] = /^([a-z]:)?([/\\])?/i.exec(plain) ?? [];
  return [drive.toUpperCase() + (slash === "" ? "" : "/"), plain.slice(start.length)];
}

/** A name as its file system compares it: Windows ignores case, one character at a time. */
function folded(name: string, system: System): string {
  if (system === "unix") return name;
  const upper = (character: string): string => {
    const large = character.toUpperCase();
    return large.length === character.length ? large : character;
  };
  return Array.from(name, upper).join("");
}
