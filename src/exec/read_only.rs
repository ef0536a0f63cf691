//! An environment that changes nothing: reading and searching pass, everything else is refused.
//!
//! Commands are refused too, since their effect cannot be predicted.

use crate::scan::{Keep, Scan, Scanned};
use crate::{
    Command, Decide, DecideAll, Environment, Error, Filter, Filtered, Find, FoundPaths, Grep,
    Grepped, Lines, ListEntry, Platform, Program, Ran, RunningProgram, Stat, TerminalCommand,
    Transition, Updated, UpdatedAll, Version, Window,
};
use pintle_os::names;
use pintle_protocol::files::FileState;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Another environment without its ways to change anything.
#[derive(Debug)]
pub struct ReadOnly(pub Arc<dyn Environment>);

fn refused(what: &str, path: &Path) -> Error {
    Error::Refused(format!(
        "{what} {} is not possible: this environment is read-only. Describe the change to the user instead.",
        names::shown(path)
    ))
}

fn refused_command() -> Error {
    Error::Refused(
        "Commands do not run in this read-only environment, since their effects cannot be determined in advance. Use the read and search tools."
            .to_owned(),
    )
}

// A default method would answer for this environment instead of the one below.
#[deny(clippy::missing_trait_methods)]
#[async_trait::async_trait]
impl Environment for ReadOnly {
    fn platform(&self) -> &Platform {
        self.0.platform()
    }

    fn is_this_machine(&self) -> bool {
        self.0.is_this_machine()
    }

    fn follow_documents(&self) -> Option<Box<dyn super::DocumentLog>> {
        self.0.follow_documents()
    }

    fn unsaved(&self, root: &Path) -> Vec<PathBuf> {
        self.0.unsaved(root)
    }

    fn without_editors(&self) -> Option<&dyn Environment> {
        self.0.without_editors()
    }

    async fn stat(&self, path: &Path) -> Result<Stat, Error> {
        self.0.stat(path).await
    }

    async fn stat_all(&self, paths: &[PathBuf]) -> Vec<Result<Stat, Error>> {
        self.0.stat_all(paths).await
    }

    async fn canonicalize(&self, path: &Path) -> Result<PathBuf, Error> {
        self.0.canonicalize(path).await
    }

    async fn canonicalize_all(&self, paths: &[PathBuf]) -> Vec<Result<PathBuf, Error>> {
        self.0.canonicalize_all(paths).await
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        self.0.read(path).await
    }

    async fn read_lines(&self, path: &Path, window: Window) -> Result<Lines, Error> {
        self.0.read_lines(path, window).await
    }

    async fn versions(&self, paths: &[PathBuf]) -> Vec<Result<Version, Error>> {
        self.0.versions(paths).await
    }

    async fn list(&self, path: &Path) -> Result<Vec<ListEntry>, Error> {
        self.0.list(path).await
    }

    async fn list_all(&self, paths: &[PathBuf]) -> Vec<Result<Vec<ListEntry>, Error>> {
        self.0.list_all(paths).await
    }

    async fn write(&self, path: &Path, _content: Vec<u8>) -> Result<(), Error> {
        Err(refused("Writing", path))
    }

    async fn update(
        &self,
        path: &Path,
        _decide: Decide,
        _cancel: &CancellationToken,
    ) -> Result<Updated, Error> {
        Err(refused("Changing", path))
    }

    async fn update_all(
        &self,
        paths: &[PathBuf],
        _decide: DecideAll,
        _cancel: &CancellationToken,
    ) -> Result<UpdatedAll, Error> {
        Err(refused("Changing", paths.first().map_or(Path::new("files"), PathBuf::as_path)))
    }

    async fn scan(&self, scan: Scan, cancel: &CancellationToken) -> Result<Scanned, Error> {
        self.0.scan(scan, cancel).await
    }

    async fn remember(
        &self,
        path: &Path,
        keep: Keep,
        max_bytes: u64,
    ) -> Result<Option<FileState>, Error> {
        self.0.remember(path, keep, max_bytes).await
    }

    async fn transitions(&self, path: &Path, keep: Keep) -> Result<Vec<Transition>, Error> {
        self.0.transitions(path, keep).await
    }

    async fn set_mode(&self, path: &Path, _mode: u32) -> Result<(), Error> {
        Err(refused("Changing", path))
    }

    /// Nothing is written, so there is nothing to clean up.
    async fn tidy(&self, _folder: &Path) -> Result<(), Error> {
        Ok(())
    }

    async fn create_folder(&self, path: &Path) -> Result<(), Error> {
        Err(refused("Creating", path))
    }

    async fn remove(&self, path: &Path) -> Result<(), Error> {
        Err(refused("Removing", path))
    }

    async fn rename(&self, from: &Path, _to: &Path) -> Result<(), Error> {
        Err(refused("Renaming", from))
    }

    async fn find(&self, find: Find, cancel: &CancellationToken) -> Result<FoundPaths, Error> {
        self.0.find(find, cancel).await
    }

    async fn grep(&self, grep: Grep, cancel: &CancellationToken) -> Result<Grepped, Error> {
        self.0.grep(grep, cancel).await
    }

    async fn exec(
        &self,
        _command: Command,
        _cancel: &CancellationToken,
        _output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ran, Error> {
        Err(refused_command())
    }

    async fn filter(&self, _filter: Filter) -> Result<Filtered, Error> {
        Err(refused_command())
    }

    async fn start(&self, _program: Program) -> Result<RunningProgram, Error> {
        Err(refused_command())
    }

    /// No command is run, nor in another program's terminal.
    fn in_terminal(&self, _command: &Command) -> Option<TerminalCommand> {
        None
    }

    async fn release(&self, owner: &str) {
        self.0.release(owner).await;
    }

    async fn end_abandoned(&self, owner: &str) -> Vec<String> {
        self.0.end_abandoned(owner).await
    }
}

#[cfg(test)]
mod tests;
