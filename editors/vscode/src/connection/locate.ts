/** Finds the engine's program: the setting, else the one that comes with the extension, else the PATH. */
import * as nodePath from "node:path";
import { isAbsolute } from "../paths.ts";
import { t } from "../words.ts";

/** What finding needs to know of the machine. */
export interface Machine {
  /** Node's name of the system. */
  platform: string;
  /** Node's name of the processor. */
  arch: string;
  home: string;
  /** The value of a variable of the environment. */
  variable(name: string): string | undefined;
  isExecutable(file: string): boolean;
  /** The path of a file behind all links; the same path if it cannot be resolved. */
  realPath(file: string): string;
}

export type Source = "setting" | "bundled" | "path" | "installed";

export type Located = { file: string; source: Source } | { problem: string };

/** Where to look, in order. `folder` is the workspace, for a relative setting. */
export function locate(setting: string, extensionFolder: string, folder: string, machine: Machine): Located {
  const isWindows = machine.platform === "win32";
  if (setting !== "") {
    return isWindows ? fromWindowsSetting(setting, folder, machine) : fromSetting(setting, folder, machine);
  }
  const path = isWindows ? nodePath.win32 : nodePath.posix;
  const name = isWindows ? "pintle.exe" : "pintle";
  const onPath = isWindows ? windowsPath(machine) : unixPath(machine);
  const places: [folder: string, Source][] = [
    [path.join(extensionFolder, "bin"), "bundled"],
    ...onPath.map((each): [string, Source] => [each, "path"]),
    ...installFolders(machine, isWindows).map((each): [string, Source] => [each, "installed"]),
  ];
  for (const [place, source] of places) {
    const file = path.join(place, name);
    if (machine.isExecutable(file))
      return { file: programOfNpm(machine.realPath(file), machine) ?? file, source };
    const ofNpm = isWindows
      ? programOfNpm(path.join(place, "node_modules", ...START_SCRIPT), machine)
      : undefined;
    if (ofNpm !== undefined) return { file: ofNpm, source };
  }
  const script = isWindows ? scriptIn(onPath, machine) : undefined;
  if (script !== undefined) return { problem: scriptProblem(script) };
  return {
    problem: t(
      "The engine `pintle` was not found: it is not on the PATH, and the setting pintle.path is empty.",
    ),
  };
}

/** The script by which npm's package starts the program, below a folder `node_modules`. */
const START_SCRIPT = ["pintle", "bin", "pintle.js"];

/** The program behind that script: in the package for this system, which is below the script's package or beside it. */
function programOfNpm(script: string, machine: Machine): string | undefined {
  const isWindows = machine.platform === "win32";
  const path = isWindows ? nodePath.win32 : nodePath.posix;
  const modules = path.resolve(script, "../../..");
  if (script !== path.join(modules, ...START_SCRIPT)) return undefined;
  const program = [`${machine.platform}-${machine.arch}`, "bin", isWindows ? "pintle.exe" : "pintle"];
  const folders = [path.join(modules, "pintle", "node_modules"), modules];
  const files = folders.map((folder) => path.join(folder, "@pintle", ...program));
  return files.find((file) => machine.isExecutable(file));
}

/** The absolute folders of the PATH: a relative entry would find what lies in the workspace. */
function unixPath(machine: Machine): string[] {
  return (machine.variable("PATH") ?? "").split(":").filter((entry) => isAbsolute(entry, "unix"));
}

/** The same on Windows, where an entry with a semicolon is in quotes. */
function windowsPath(machine: Machine): string[] {
  const entries = machine.variable("PATH")?.match(/(?:"[^"]*"|[^";])+/g) ?? [];
  return entries.map((entry) => entry.replaceAll('"', "")).filter((entry) => isAbsolute(entry, "windows"));
}

/** The folders into which the engine's installers put it: a running VS Code does not see additions to the PATH. */
function installFolders(machine: Machine, isWindows: boolean): string[] {
  if (!isWindows) {
    const folders = [`${machine.home}/.local/bin`, `${machine.home}/.cargo/bin`];
    return folders.filter((folder) => isAbsolute(folder, "unix"));
  }
  const folders = [
    `${machine.variable("LOCALAPPDATA") ?? ""}\\Programs\\pintle`,
    `${machine.home}\\.cargo\\bin`,
  ];
  return folders.filter((folder) => isAbsolute(folder, "windows"));
}

/** Files that Windows can only start through a shell, which leaves the engine running when it is ended. */
const SCRIPT = /\.(?:cmd|bat|ps1|vbs|js|wsf)$/i;

/** A script named `pintle` on the PATH, such as npm's. */
function scriptIn(folders: string[], machine: Machine): string | undefined {
  const extensions = (machine.variable("PATHEXT") ?? ".CMD;.BAT").toLowerCase().split(";");
  const names = extensions.filter((each) => SCRIPT.test(each)).map((each) => `pintle${each}`);
  const files = folders.flatMap((folder) => names.map((name) => nodePath.win32.join(folder, name)));
  return files.find((file) => machine.isExecutable(file));
}

function scriptProblem(file: string): string {
  return t("{0} is a script, and the engine can only be started from its program pintle.exe.", file);
}

function fromSetting(setting: string, folder: string, machine: Machine): Located {
  const file = nodePath.posix.resolve(folder, filledIn(setting, folder, machine));
  return machine.isExecutable(file) ? { file, source: "setting" } : { problem: noProgram(file) };
}

/** On Windows, variables such as `%LOCALAPPDATA%` are replaced, and the extension and quotes around the path are optional. */
function fromWindowsSetting(setting: string, folder: string, machine: Machine): Located {
  const written = filledIn(setting.replace(/^"(.*)"$/, "$1"), folder, machine).replaceAll(
    /%([^%]+)%/g,
    (text, name: string) => machine.variable(name) ?? text,
  );
  const named = nodePath.win32.resolve(folder, written);
  if (SCRIPT.test(named) && machine.isExecutable(named)) return { problem: scriptProblem(named) };
  const file = /\.(?:exe|com)$/i.test(named) ? named : `${named}.exe`;
  return machine.isExecutable(file) ? { file, source: "setting" } : { problem: noProgram(named) };
}

function filledIn(setting: string, folder: string, machine: Machine): string {
  return setting.replace(/^~(?=$|[/\\])/, () => machine.home).replaceAll("${workspaceFolder}", () => folder);
}

function noProgram(file: string): string {
  return t("The setting pintle.path is {0}, which is not a program.", file);
}
