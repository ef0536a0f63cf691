//! What a decision about a call requires: its command analysed, its paths resolved.

use crate::grants::Grants;
use crate::turn::permit::site::Site;
use pintle_exec::{Dialect, Environment, FileKind, Foreground};
use pintle_tools::Access;
use pintle_tools::permissions::command::{Analysis, Program, Target};
use pintle_tools::permissions::{Action, CheckedPath, Places, ResolvedPath, Typed};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns a call's action, with its paths resolved.
pub(super) async fn action(
    site: Site<'_>,
    places: &Places,
    grants: &Grants,
    access: &Access,
) -> Action {
    let env = site.env;
    match access {
        Access::Read(paths) => Action::Read(check(env, places, paths, Wants::Path).await),
        Access::Write(paths) => Action::Write(check(env, places, paths, Wants::PathAndLinks).await),
        Access::Execute(command) => {
            let analysis = analyse(env, command);
            let Typed { analysis, cwd, resolved } = typed(site, places, analysis, site.cwd).await;
            let leaves_sandbox = grants.failed_in_sandbox(command);
            Action::Execute { analysis, cwd, resolved, leaves_sandbox }
        }
        Access::Type { text, reader: Some(reader), .. } => {
            let Foreground { program, shell_in, is_mid_line } = &reader.foreground;
            let program = program.clone().unwrap_or_else(|| "the running program".to_owned());
            let typed = match shell_in {
                Some(cwd) => Some(typed(site, places, entered(text, *is_mid_line), cwd).await),
                None => None,
            };
            Action::Type { program, typed, is_confined: reader.is_confined }
        }
        Access::Fetch { url, host } => Action::Network { url: url.clone(), host: host.clone() },
        Access::Other(_) => Action::Client,
        // Without a program to type into, the call only reports that.
        Access::Engine | Access::Type { reader: None, .. } => Action::Engine,
    }
}

/// Returns a command with its paths resolved, for a shell in this directory.
async fn typed(site: Site<'_>, places: &Places, mut analysis: Analysis, cwd: &Path) -> Typed {
    let env = site.env;
    let site = Site { cwd, ..site };
    analysis.mark_launched(&launched(site, places, &analysis).await);
    let mut paths = analysis.paths(cwd, places.home.as_deref());
    paths.retain(|path| !is_foreign_share(env, places, path));
    let (found, targets) = tokio::join!(env.stat_all(&paths), resolve_all(env, &paths));
    let resolved: BTreeMap<_, _> = paths
        .into_iter()
        .zip(found.into_iter().zip(targets))
        .map(|(path, (found, target))| {
            let is_folder = found.as_ref().is_ok_and(|stat| stat.kind == FileKind::Folder);
            (path, ResolvedPath { path: target, exists: found.is_ok(), is_folder })
        })
        .collect();
    Typed { analysis, cwd: cwd.to_owned(), resolved }
}

/// Analyzes text typed into a shell. Only complete lines without special keys can be analyzed.
fn entered(text: &str, is_mid_line: bool) -> Analysis {
    let is_key = |character: char| character.is_control() && character != '\n';
    if is_mid_line || !text.ends_with('\n') || text.contains(is_key) {
        return Analysis::opaque("is typed in parts or with special keys");
    }
    Analysis::parse(text)
}

/// Returns the names of harmless programs and wrappers that resolve to a file in the workspace, or to the launcher of a version manager,
/// which runs whatever the directory configures. In the user's home directory, a target with another name than its link counts as a
/// launcher.
async fn launched(site: Site<'_>, places: &Places, analysis: &Analysis) -> BTreeSet<String> {
    let passes = |program: &Program| program.is_known_safe() || program.is_transparent;
    // A wrapper runs a file, even if its name is that of a builtin: `env echo`.
    let has_wrapper = analysis.programs.iter().any(|program| program.is_transparent);
    let is_looked_up =
        |program: &&Program| passes(program) && (has_wrapper || !program.is_builtin());
    let names = analysis.programs.iter().filter(is_looked_up).filter_map(Program::name);
    let names: BTreeSet<&str> = names.collect();
    let platform = site.env.platform();
    let folders = &platform.search_path;
    let endings: &[&str] = if platform.is_windows() { &["", ".exe"] } else { &[""] };
    let mut working = vec![site.cwd.to_owned()];
    if folders.iter().any(|at| !at.is_absolute()) {
        working = working_folders(site.cwd, places, analysis);
    }
    // Each working directory has its own program of a name.
    let candidates: Vec<((&str, &PathBuf), PathBuf)> = names
        .into_iter()
        .flat_map(|name| working.iter().map(move |working| (name, working)))
        .flat_map(|of| folders.iter().map(move |at| (of, of.1.join(at))))
        .flat_map(|(of, at)| {
            endings.iter().map(move |ending| (of, at.join(format!("{}{ending}", of.0))))
        })
        .collect();
    let paths: Vec<PathBuf> = candidates.iter().map(|(_, path)| path.clone()).collect();
    let found = site.env.stat_all(&paths).await;
    let mut first = BTreeMap::new();
    for ((of, path), found) in candidates.into_iter().zip(found) {
        if found.is_ok_and(|stat| stat.kind == FileKind::File) {
            first.entry(of).or_insert(path);
        }
    }
    let paths: Vec<PathBuf> = first.values().cloned().collect();
    let targets = resolve_all(site.env, &paths).await;
    // A workspace as wide as the home directory or the whole disk contains system and user programs.
    let holds_home =
        |root: &&PathBuf| places.home.as_ref().is_some_and(|home| home.starts_with(root));
    let narrow: Vec<&PathBuf> = places.roots.iter().filter(|root| !holds_home(root)).collect();
    let is_launched = |((name, _), path): &((&str, &PathBuf), PathBuf), target: &PathBuf| {
        let is_inside = |path: &Path| narrow.iter().any(|root| path.starts_with(root));
        let is_shim = |path: &Path| path.components().any(|part| part.as_os_str() == "shims");
        let is_own = places.home.as_ref().is_some_and(|home| path.starts_with(home));
        let file = target.file_name().unwrap_or_default();
        let is_renamed = path.file_name() != Some(file) && file != *name;
        [path, target].into_iter().any(|path| is_inside(path) || is_shim(path))
            || (is_own && is_renamed)
    };
    let all = first.into_iter().zip(targets);
    let launched = all.filter(|(named, target)| is_launched(named, target));
    launched.map(|(((name, _), _), _)| name.to_owned()).collect()
}

/// Returns the working directory and the targets of `cd`, in which the command may run programs.
fn working_folders(cwd: &Path, places: &Places, analysis: &Analysis) -> Vec<PathBuf> {
    /// More changes than this are not followed in every order.
    const MAX: usize = 64;
    let mut all = vec![cwd.to_owned()];
    for folder in analysis.folders.iter().filter_map(Target::path) {
        let home = places.home.as_ref();
        let folder = match (folder.strip_prefix('~'), home) {
            (Some(below), Some(home)) => home.join(below.trim_start_matches('/')),
            _ => PathBuf::from(folder),
        };
        let next: Vec<PathBuf> = all.iter().map(|working| working.join(&folder)).collect();
        all.extend(next.into_iter().take(MAX.saturating_sub(all.len())));
    }
    all
}

/// Analyses a command as the shell of this environment reads it.
fn analyse(env: &dyn Environment, command: &str) -> Analysis {
    let platform = env.platform();
    let name = platform.shell.to_string_lossy().to_lowercase();
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    match Dialect::detect(&platform.shell) {
        Dialect::PowerShell | Dialect::WindowsPowerShell => Analysis::parse_for_powershell(command),
        Dialect::Bourne => match name.strip_suffix(".exe").unwrap_or(name) {
            "sh" | "bash" | "dash" | "ash" | "busybox" | "" if platform.is_windows() => {
                Analysis::parse_on_windows(command)
            }
            "sh" | "bash" | "dash" | "ash" | "busybox" | "" => Analysis::parse(command),
            shell => Analysis::opaque(format!("{shell} runs, whose syntax is not analyzed")),
        },
    }
}

/// The facts about a path that a decision needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    Path,
    /// Also the file's link count, which matters only to changes.
    PathAndLinks,
}

/// Returns true for a path on another computer, outside the workspace, to which Windows would send credentials. Nothing looks at it before
/// the call is approved.
pub(super) fn is_foreign_share(env: &dyn Environment, places: &Places, path: &Path) -> bool {
    env.platform().sends_credentials_to(path) && !places.is_inside(path)
}

async fn check(
    env: &dyn Environment,
    places: &Places,
    paths: &[PathBuf],
    wants: Wants,
) -> Vec<CheckedPath> {
    let is_near = |path: &&PathBuf| !is_foreign_share(env, places, path);
    let near: Vec<PathBuf> = paths.iter().filter(is_near).cloned().collect();
    let targets = resolve_all(env, &near).await;
    let links = match wants {
        Wants::Path => vec![0; near.len()],
        Wants::PathAndLinks => {
            let found = env.stat_all(&targets).await;
            found.into_iter().map(|found| found.map_or(0, |stat| stat.links)).collect()
        }
    };
    let mut looked_up = targets.into_iter().zip(links);
    let checked = paths.iter().map(|named| {
        let found = if is_near(&named) { looked_up.next() } else { None };
        let unseen = || (pintle_tools::permissions::command::lexical(named), 0);
        let (resolved, links) = found.unwrap_or_else(unseen);
        CheckedPath { named: named.clone(), resolved, links }
    });
    checked.collect()
}

pub(super) async fn resolve_all(env: &dyn Environment, paths: &[PathBuf]) -> Vec<PathBuf> {
    let found = paths.iter().zip(env.canonicalize_all(paths).await);
    found
        .map(|(path, found)| {
            found.unwrap_or_else(|_| pintle_tools::permissions::command::lexical(path))
        })
        .collect()
}

pub(super) async fn resolve(env: &dyn Environment, path: &Path) -> PathBuf {
    env.canonicalize(path)
        .await
        .unwrap_or_else(|_| pintle_tools::permissions::command::lexical(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_exec::memory::Memory;

    #[test]
    fn the_shell_and_the_system_decide_how_a_command_is_analysed() {
        let bash = r"C:\Program Files\Git\bin\bash.exe";
        let power_shell = r"C:\Program Files\PowerShell\7\pwsh.exe";
        for (shell, os, command, want) in [
            ("/bin/bash", "linux", "cat /etc/hosts", None),
            ("/bin/sh", "macos", "cat /etc/hosts", None),
            ("", "linux", "cat /etc/hosts", None),
            ("/bin/zsh", "macos", "ls", Some("zsh runs, whose syntax is not analyzed")),
            (bash, "windows", "cat src/main.rs", None),
            (
                bash,
                "windows",
                "cat /etc/hosts",
                Some("contains `/etc/hosts`, which bash maps to another path"),
            ),
            (power_shell, "windows", "cargo test", None),
            (
                power_shell,
                "windows",
                "rm x; ls",
                Some("is written for PowerShell, whose syntax is not analyzed"),
            ),
        ] {
            let mut env = Memory::new([]);
            env.set_platform(os, shell);
            assert_eq!(analyse(&env, command).opaque.as_deref(), want, "{command} on {os}");
        }
    }
}
