//! Describes the git repository that a session works in.
//!
//! The branch is read from files; changed files and recent commits are queried from git, for a second at most. Invariant: nothing is
//! started if there is no repository, if it is not trusted, or if its settings would make git start a program; and git runs in the sandbox
//! if there is one.

use super::read;
use pintle_exec::sandbox::Confinement;
use pintle_exec::{Command, End, Environment};
use pintle_session::context::repository::{self as told, Snapshot};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The time limit for git. A session must not wait for a large repository.
const TIMEOUT: Duration = Duration::from_secs(1);

/// How git is run.
#[derive(Debug)]
pub(crate) struct Asking<'a> {
    /// The process limits, if there is a sandbox.
    pub(crate) confinement: Option<Confinement>,
    /// The processes' owner.
    pub(crate) owner: &'a str,
    pub(crate) cancel: &'a CancellationToken,
}

/// Returns the repository's state at a directory: only the branch if the repository is not trusted.
pub(crate) async fn repository(
    env: &dyn Environment,
    root: &Path,
    is_trusted: bool,
    asking: Asking<'_>,
) -> Snapshot {
    // An editor need not be asked for these files, and may show or log each request.
    let files = env.without_editors().unwrap_or(env);
    let (folder, common) = git_folders(files, root).await;
    let (head, config) = tokio::join!(async { read(files, &folder.join("HEAD")).await }, async {
        read(files, &common.join("config")).await
    },);
    let branch = head.ok().and_then(|head| told::branch(&head));
    let Asking { confinement, owner, cancel } = asking;
    let confinement = confinement.map(|mut confinement| {
        // They may be in a place that is hidden from a confined command, such as below `/tmp`.
        confinement.readable.extend([root.to_owned(), folder, common]);
        Arc::new(confinement)
    });
    let run = |line: &'static str| {
        let confinement = confinement.clone();
        let command =
            Command { timeout: Some(TIMEOUT), confinement, ..Command::new(line, root, owner) };
        run(env, command, cancel)
    };
    // Without settings, git does not treat it as a repository.
    let (status, log) = match config {
        Ok(config) if is_trusted && told::is_harmless(&config) => {
            tokio::join!(run(told::STATUS), run(told::LOG),)
        }
        Ok(_) | Err(_) => (None, None),
    };
    Snapshot { branch, status, log }
}

/// Returns the settings of the repository at a directory.
pub(crate) async fn git_settings(env: &dyn Environment, root: &Path) -> Option<String> {
    let (_, common) = git_folders(env, root).await;
    read(env, &common.join("config")).await.ok()
}

/// Returns the directory with a working tree's `HEAD`, and the one with the repository's settings.
async fn git_folders(env: &dyn Environment, root: &Path) -> (PathBuf, PathBuf) {
    let git = root.join(".git");
    // In a worktree or a submodule it is a file that leads elsewhere.
    let Ok(text) = read(env, &git).await else { return (git.clone(), git) };
    let Some(folder) = told::git_folder(&text).map(|path| root.join(path)) else {
        return (git.clone(), git);
    };
    match read(env, &folder.join("commondir")).await {
        Ok(common) => (folder.clone(), folder.join(common.trim())),
        Err(_) => (folder.clone(), folder),
    }
}

/// Returns a command's output if it succeeds within its time limit.
async fn run(
    env: &dyn Environment,
    command: Command,
    cancel: &CancellationToken,
) -> Option<String> {
    let ran = env.exec(command, cancel, &mut |_| {}).await.ok()?;
    // A flood is cut at its front, so it cannot be counted.
    let is_whole = ran.tail.len() as u64 >= ran.total_bytes;
    (ran.end == End::Exited(0) && is_whole).then_some(ran.tail)
}
