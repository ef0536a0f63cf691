/** Finds the engine's program: the setting, else the one that comes with the extension, else the PATH. */
import * as path from "node:path";
import { t } from "../words.ts";

/** What finding needs to know of the machine. */
export interface Machine {
  platform: string;
  /** The value of PATH. */
  path: string;
  home: string;
  isExecutable(file: string): boolean;
}

export type Source = "setting" | "bundled" | "path";

export type Located = { file: string; source: Source } | { problem: string };

/** Where to look, in order. `folder` is the workspace, for a relative setting. */
export function locate(setting: string, extensionFolder: string, folder: string, machine: Machine): Located {
  const name = machine.platform === "win32" ? "pintle.exe" : "pintle";
  if (setting !== "") return fromSetting(setting, folder, machine);
  const bundled = path.join(extensionFolder, "bin", name);
  if (machine.isExecutable(bundled)) return { file: bundled, source: "bundled" };
  for (const entry of machine.path.split(path.delimiter)) {
    // A relative entry would find what lies in the workspace.
    if (!path.isAbsolute(entry)) continue;
    const file = path.join(entry, name);
    if (machine.isExecutable(file)) return { file, source: "path" };
  }
  return {
    problem: t(
      "The engine `pintle` was not found: it is not on the PATH, and the setting pintle.path is empty.",
    ),
  };
}

function fromSetting(setting: string, folder: string, machine: Machine): Located {
  const written = setting
    .replace(/^~(?=$|[/\\])/, () => machine.home)
    .replaceAll("${workspaceFolder}", folder);
  const file = path.resolve(folder, written);
  if (machine.isExecutable(file)) return { file, source: "setting" };
  return { problem: t("The setting pintle.path is {0}, which is not a program.", file) };
}
