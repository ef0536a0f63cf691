//! The shell that runs commands, if the settings name none.
//!
//! On Windows it is Git's bash, because commands are analysed as bash reads them. `bash.exe` in `System32` is WSL's, which sees another file
//! system, and those in `WindowsApps` are links to a store; neither is taken. Pure, apart from the question which files exist.

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

/// Returns the shell on this machine; on Windows the path at which Git's bash would be if there is none.
pub(super) fn find(ambient: &Ambient, is_file: impl Fn(&Path) -> bool) -> PathBuf {
    match System::CURRENT {
        System::Linux | System::MacOs => {
            let [best, fallback] = SHELLS.map(PathBuf::from);
            if is_file(&best) { best } else { fallback }
        }
        System::Windows => {
            let var = |name: &str| ambient.var(name).map(str::to_owned);
            let installed = pintle_os::process::git_folder();
            let candidates = candidates(var, installed.as_deref().and_then(Path::to_str));
            let usual = r"C:\Program Files\Git\bin\bash.exe".to_owned();
            let found = candidates.into_iter().find(|path| is_file(Path::new(path)));
            PathBuf::from(found.unwrap_or(usual))
        }
    }
}

/// Returns the paths at which Git's bash may be on Windows, the best first. `installed` is the directory in the registry.
fn candidates(var: impl Fn(&str) -> Option<String>, installed: Option<&str>) -> Vec<String> {
    let path = var("PATH").unwrap_or_default();
    let folders = || {
        path.split(';').map(|folder| folder.trim().trim_matches('"').trim_end_matches(['\\', '/']))
    };
    let mut found = Vec::new();
    // `git.exe` lies in `cmd`, `bin` or `mingw64\bin` of the directory whose `bin` has bash.
    for folder in folders() {
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
    let others = folders().filter(|folder| !folder.is_empty() && !is_foreign(folder));
    found.extend(others.map(|folder| format!(r"{folder}\bash.exe")));
    found
}

/// Returns true for the directory of a Git installation, by its name.
fn is_git(root: &str) -> bool {
    let name = root.rsplit(['\\', '/']).next().unwrap_or_default().to_lowercase();
    let above = root.to_lowercase();
    name == "git" || name == "portablegit" || above.contains(r"\apps\git\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gits_bash_is_found_and_that_of_windows_is_not() {
        const SYSTEM: &str = r"C:\WINDOWS\system32";
        const STORE: &str = r"C:\Users\a\AppData\Local\Microsoft\WindowsApps";
        let usual = r"C:\Program Files\Git\bin\bash.exe";
        // The variables, the registry, the files that exist, and the shell.
        type Row<'a> = (&'a [(&'a str, String)], Option<&'a str>, &'a [&'a str], Option<&'a str>);
        let path = |folders: &[&str]| [("PATH", folders.join(";"))];
        let rows: [Row<'_>; 10] = [
            (&path(&[SYSTEM, r"C:\Program Files\Git\cmd"]), None, &[usual], Some(usual)),
            (
                &path(&[r"D:\Tools\Git\mingw64\bin", SYSTEM]),
                None,
                &[r"D:\Tools\Git\bin\bash.exe"],
                Some(r"D:\Tools\Git\bin\bash.exe"),
            ),
            (
                &path(&[r"C:\Users\a\scoop\apps\git\2.52.0\cmd"]),
                None,
                &[r"C:\Users\a\scoop\apps\git\2.52.0\bin\bash.exe"],
                Some(r"C:\Users\a\scoop\apps\git\2.52.0\bin\bash.exe"),
            ),
            (
                &[("LOCALAPPDATA", r"C:\Users\a\AppData\Local".to_owned())],
                None,
                &[r"C:\Users\a\AppData\Local\Programs\Git\bin\bash.exe"],
                Some(r"C:\Users\a\AppData\Local\Programs\Git\bin\bash.exe"),
            ),
            (&[], Some(r"E:\Git"), &[r"E:\Git\bin\bash.exe"], Some(r"E:\Git\bin\bash.exe")),
            // WSL's bash and the store's link.
            (
                &path(&[SYSTEM, STORE]),
                None,
                &[r"C:\WINDOWS\system32\bash.exe", &format!(r"{STORE}\bash.exe")],
                None,
            ),
            (
                &path(&[&SYSTEM.replace("system32", "Sysnative"), r"C:\msys64\usr\bin"]),
                None,
                &[r"C:\WINDOWS\Sysnative\bash.exe", r"C:\msys64\usr\bin\bash.exe"],
                Some(r"C:\msys64\usr\bin\bash.exe"),
            ),
            // Git is preferred to a bash that comes earlier.
            (
                &path(&[r"C:\msys64\usr\bin", r"C:\Program Files\Git\cmd\"]),
                None,
                &[r"C:\msys64\usr\bin\bash.exe", usual],
                Some(usual),
            ),
            (&path(&[r#""C:\Program Files\Git\cmd""#]), None, &[usual], Some(usual)),
            (&path(&["", ";;"]), None, &[r"\bash.exe", "bash.exe"], None),
        ];
        for (vars, installed, files, want) in rows {
            let var = |name: &str| {
                let row = vars.iter().find(|(known, _)| *known == name);
                row.map(|(_, value)| value.clone())
            };
            let found = candidates(var, installed);
            let found = found.iter().find(|path| files.contains(&path.as_str()));
            assert_eq!(found.map(String::as_str), want, "{vars:?} {installed:?}");
        }
    }
}
