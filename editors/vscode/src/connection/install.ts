/** How the engine is installed on this system: the one-line command of a release, and the page that explains the others. Pure. */

export interface Install {
  /** The command, for a shell of this system. */
  command: string;
  /** The shell that understands it; undefined where any does. */
  shell: string | undefined;
  /** The page with all ways. */
  guide: string;
}

/** `homepage` is that of the project; the files of its newest release are below it. */
export function installOn(platform: string, homepage: string): Install {
  const downloads = `${homepage}/releases/latest/download`;
  const guide = `${homepage}#install`;
  return platform === "win32"
    ? { command: `irm ${downloads}/install.ps1 | iex`, shell: "powershell.exe", guide }
    : { command: `curl -fsSL ${downloads}/install.sh | sh`, shell: undefined, guide };
}
