//! Finds the shell that runs commands, if the settings name none.
//!
//! On Windows, Git's bash is preferred to PowerShell, because bash commands can be analysed. `bash.exe` in `System32`
//! is WSL's, which sees another file system, and the one in `WindowsApps` is a store alias, so both are skipped. Pure, except that it asks
//! which files exist.

use pintle_base::ambient::Ambient;
use pintle_os::System;
use std::path::{Path, PathBuf};

/// Shells on Unix, the best first.
const SHELLS: [&str; 2] = ["/bin/bash", "/bin/sh"];

/// Directories in which Windows' `bash.exe` is not Git's, in lower case.
const FOREIGN: [&str; 4] = ["system32", "sysnative", "syswow64", "windowsapps"];

/// Where Git is installed, below the directory in a variable.
const INSTALLED: [(&str, &str); 5] = [
    ("PROGRAMFILES", "Git"),
    ("PROGRAMW6432", "Git"),
    ("PROGRAMFILES(X86)", "Git"),
    ("LOCALAPPDATA", r"Programs\Git"),
    ("USERPROFILE", r"scoop\apps\git\current"),
];

/// Where PowerShell 7 is installed, below the directory in a variable. The last one is a link to the store's, which starts PowerShell.
const POWER_SHELL: [(&str, &str); 3] = [
    ("PROGRAMFILES", r"PowerShell\7\pwsh.exe"),
    ("PROGRAMW6432", r"PowerShell\7\pwsh.exe"),
    ("LOCALAPPDATA", r"Microsoft\WindowsApps\pwsh.exe"),
];

/// A shell, and the reason for choosing it if that is not obvious.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) shell: PathBuf,
    pub(crate) reason: Option<&'static str>,
}

/// Returns the shell on this machine.
pub(crate) fn find(ambient: &Ambient, is_file: impl Fn(&Path) -> bool) -> Choice {
    match System::CURRENT {
        System::Linux | System::MacOs => {
            let [best, fallback] = SHELLS.map(PathBuf::from);
            Choice { shell: if is_file(&best) { best } else { fallback }, reason: None }
        }
        System::Windows => {
            let var = |name: &str| ambient.var(name).map(str::to_owned);
            let installed = pintle_os::process::git_folder();
            on_windows(var, installed.as_deref().and_then(Path::to_str), |path| {
                is_file(Path::new(path))
            })
        }
    }
}

/// Returns the shell on Windows: Git's bash, PowerShell 7, or Windows PowerShell, which every Windows has.
fn on_windows(
    var: impl Fn(&str) -> Option<String>,
    installed: Option<&str>,
    is_file: impl Fn(&str) -> bool,
) -> Choice {
    let found = |path: String, reason| Choice { shell: PathBuf::from(path), reason: Some(reason) };
    if let Some(bash) = bashes(&var, installed).into_iter().find(|path| is_file(path)) {
        return found(bash, "bash of Git or MSYS2");
    }
    let path = var("PATH").unwrap_or_default();
    let in_path = folders(&path).map(|folder| format!(r"{folder}\pwsh.exe"));
    let usual =
        POWER_SHELL.iter().filter_map(|(name, below)| Some(format!(r"{}\{below}", var(name)?)));
    if let Some(shell) = in_path.chain(usual).find(|path| is_file(path)) {
        return found(shell, "PowerShell 7, since Git's bash was not found");
    }
    let root = var("SYSTEMROOT").unwrap_or_else(|| r"C:\Windows".to_owned());
    found(
        format!(r"{root}\System32\WindowsPowerShell\v1.0\powershell.exe"),
        "Windows PowerShell 5.1, since neither Git's bash nor PowerShell 7 was found",
    )
}

/// Returns the absolute directories of `PATH` on Windows. A relative one may be a directory of the repository, whose programs are not run.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let is_absolute = |folder: &&str| {
        let bytes = folder.as_bytes();
        matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
            || folder.starts_with(r"\\")
    };
    let folders = path.split(';').map(|folder| folder.trim().trim_matches('"'));
    folders.map(|folder| folder.trim_end_matches(['\\', '/'])).filter(is_absolute)
}

/// Returns the paths at which Git's bash may be on Windows, the best first. `installed` is the directory in the registry.
fn bashes(var: impl Fn(&str) -> Option<String>, installed: Option<&str>) -> Vec<String> {
    let path = var("PATH").unwrap_or_default();
    let mut found = Vec::new();
    // `git.exe` lies in `cmd`, `bin` or `mingw64\bin` of the directory whose `bin` has bash.
    for folder in folders(&path) {
        let lower = folder.to_lowercase().replace('/', "\\");
        let root = ["\\cmd", "\\mingw64\\bin", "\\usr\\bin", "\\bin"]
            .iter()
            .find_map(|end| folder.get(..lower.strip_suffix(end)?.len()));
        if let Some(root) = root.filter(|root| is_git(root)) {
            found.push(format!(r"{root}\bin\bash.exe"));
        }
    }
    found.extend(installed.map(|root| format!(r"{root}\bin\bash.exe")));
    for (name, below) in INSTALLED {
        found.extend(var(name).map(|folder| format!(r"{folder}\{below}\bin\bash.exe")));
    }
    // Any other bash for Windows, such as that of MSYS2.
    let is_foreign = |folder: &str| {
        let lower = folder.to_lowercase();
        lower.split(['\\', '/']).any(|part| FOREIGN.contains(&part))
    };
    let others = folders(&path).filter(|folder| !is_foreign(folder));
    found.extend(others.map(|folder| format!(r"{folder}\bash.exe")));
    found
}

/// Returns true if a directory looks like a Git installation.
fn is_git(root: &str) -> bool {
    let name = root.rsplit(['\\', '/']).next().unwrap_or_default().to_lowercase();
    let above = root.to_lowercase();
    name == "git" || name == "portablegit" || above.contains(r"\apps\git\")
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::*;

    /// The variables, the registry, the files that exist, and the shell.
    type Row<'a> = (&'a [(&'a str, String)], Option<&'a str>, &'a [&'a str], &'a str);

    const BUILT_IN: &str = r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe";

    #[test]
    fn gits_bash_is_preferred_and_that_of_windows_is_not_taken() {
        const SYSTEM: &str = r"C:\WINDOWS\system32";
        const STORE: &str = r"C:\Users\a\AppData\Local\Microsoft\WindowsApps";
        let usual = r"C:\Program Files\Git\bin\bash.exe";
        let seven = r"C:\Program Files\PowerShell\7\pwsh.exe";
        let path = |folders: &[&str]| [("PATH", folders.join(";"))];
        let var = |name, value: &str| [(name, value.to_owned())];
        let rows: [Row<'_>; 15] = [
            (&path(&[SYSTEM, r"C:\Program Files\Git\cmd"]), None, &[usual], usual),
            (
                &path(&[r"D:\Tools\Git\mingw64\bin", SYSTEM]),
                None,
                &[r"D:\Tools\Git\bin\bash.exe"],
                r"D:\Tools\Git\bin\bash.exe",
            ),
            (
                &path(&[r"C:\Users\a\scoop\apps\git\2.52.0\cmd"]),
                None,
                &[r"C:\Users\a\scoop\apps\git\2.52.0\bin\bash.exe"],
                r"C:\Users\a\scoop\apps\git\2.52.0\bin\bash.exe",
            ),
            (
                &var("LOCALAPPDATA", r"C:\Users\a\AppData\Local"),
                None,
                &[r"C:\Users\a\AppData\Local\Programs\Git\bin\bash.exe"],
                r"C:\Users\a\AppData\Local\Programs\Git\bin\bash.exe",
            ),
            (&[], Some(r"E:\Git"), &[r"E:\Git\bin\bash.exe"], r"E:\Git\bin\bash.exe"),
            // WSL's bash and the store's link.
            (
                &path(&[SYSTEM, STORE]),
                None,
                &[r"C:\WINDOWS\system32\bash.exe", &format!(r"{STORE}\bash.exe")],
                BUILT_IN,
            ),
            (
                &path(&[&SYSTEM.replace("system32", "Sysnative"), r"C:\msys64\usr\bin"]),
                None,
                &[r"C:\WINDOWS\Sysnative\bash.exe", r"C:\msys64\usr\bin\bash.exe"],
                r"C:\msys64\usr\bin\bash.exe",
            ),
            // Git is preferred to a bash that comes earlier.
            (
                &path(&[r"C:\msys64\usr\bin", r"C:\Program Files\Git\cmd\"]),
                None,
                &[r"C:\msys64\usr\bin\bash.exe", usual],
                usual,
            ),
            (&path(&[r#""C:\Program Files\Git\cmd""#]), None, &[usual], usual),
            (&path(&["", ";;"]), None, &[r"\bash.exe", "bash.exe", r"\pwsh.exe"], BUILT_IN),
            // Directories of the repository, or of the drive.
            (
                &path(&[".", "tools", r"C:tools", r"\tools", r".\Git\cmd"]),
                None,
                &[
                    r".\bash.exe",
                    r"tools\bash.exe",
                    r"C:tools\pwsh.exe",
                    r"\tools\bash.exe",
                    r".\Git\bin\bash.exe",
                ],
                BUILT_IN,
            ),
            // PowerShell 7 only without any bash.
            (&var("PROGRAMFILES", r"C:\Program Files"), None, &[seven, usual], usual),
            (&var("PROGRAMFILES", r"C:\Program Files"), None, &[seven, BUILT_IN], seven),
            (
                &path(&[SYSTEM, STORE]),
                None,
                &[&format!(r"{STORE}\pwsh.exe"), BUILT_IN],
                &format!(r"{STORE}\pwsh.exe"),
            ),
            (
                &var("SYSTEMROOT", r"D:\Windows"),
                None,
                &[],
                r"D:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe",
            ),
        ];
        for (vars, installed, files, want) in rows {
            let var = |name: &str| {
                let row = vars.iter().find(|(known, _)| *known == name);
                row.map(|(_, value)| value.clone())
            };
            let Choice { shell, reason } = on_windows(var, installed, |path| files.contains(&path));
            assert_eq!(shell.to_str(), Some(want), "{vars:?} {installed:?}");
            let name = Dialect::detect(&shell).name();
            assert!(reason.is_some_and(|reason| reason.starts_with(name)), "{shell:?}: {reason:?}");
        }
    }
}
