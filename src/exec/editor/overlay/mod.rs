//! An environment as editors show it: an open, unsaved document is read instead of its file, and changed through its editor.
//!
//! Reading is here, changing in `update`, asking editors that report nothing by themselves in `pull`, commands in their terminals in
//! [`super::terminals`]. Saved files, and files that no editor has open, pass through. Invariant: the user's typing is never overwritten.

mod pull;
mod update;

pub use pull::edited;

use super::documents::Document;
use super::{Documents, Editors, Terminals};
use crate::scan::{Keep, Scan, Scanned, StoredContent};
use crate::{
    Command, Decide, DecideAll, DocumentLog, Environment, Error, FileKind, Filter, Filtered, Find,
    FoundPaths, Grep, Grepped, Lines, ListEntry, Platform, Program, Ran, RunningProgram, Stat,
    TerminalCommand, Transition, Updated, UpdatedAll, Version, Window, change,
};
use pintle_os::names;
use pintle_protocol::files::FileState;
use pull::Purpose;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Another environment, overlaid with the documents open in editors.
#[derive(Debug)]
pub struct Overlay {
    inner: Arc<dyn Environment>,
    documents: Documents,
    terminals: Terminals,
}

impl Overlay {
    /// Overlays the files of this machine with documents, and runs commands where editors request it.
    pub fn new(inner: Arc<dyn Environment>, editors: &Editors) -> Self {
        let Editors { documents, terminals } = editors.clone();
        Self { inner, documents, terminals }
    }

    /// Returns the document that replaces a file, with its canonical path, unless the file itself is current.
    async fn unsaved_at(&self, path: &Path) -> Result<Option<(PathBuf, Document)>, Error> {
        if self.documents.is_idle() {
            return Ok(None);
        }
        pull::pull(self, path, Purpose::Look).await?;
        self.unsaved_as_known(path).await
    }

    /// Like [`Overlay::unsaved_at`], without asking any editor.
    async fn unsaved_as_known(&self, path: &Path) -> Result<Option<(PathBuf, Document)>, Error> {
        if self.documents.is_idle() {
            return Ok(None);
        }
        let path = self.inner.canonicalize(path).await?;
        let document = self.documents.get(&path).filter(|document| document.is_dirty);
        Ok(document.map(|document| (path, document)))
    }

    /// Refuses an operation that would discard unsaved text.
    async fn must_be_saved(&self, path: &Path) -> Result<(), Error> {
        match self.unsaved_at(path).await? {
            None => Ok(()),
            Some(_) => Err(Error::Refused(format!(
                "{} has unsaved changes in the editor. Ask the user to save or discard them first.",
                names::shown(path)
            ))),
        }
    }
}

/// Returns a version for a document's text. Equal texts have equal versions.
fn version(path: PathBuf, text: &str) -> Version {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    // No file has this number on a disk.
    let mark = (u128::MAX << 64) | u128::from(hasher.finish());
    Version { path, size: text.len() as u64, mark }
}

async fn state(text: Arc<String>, keep: Keep, mode: Option<u32>) -> Result<FileState, Error> {
    let size = text.len() as u64;
    let kept = tokio::task::spawn_blocking(move || keep(text.as_bytes())).await;
    let StoredContent { sha256, is_lost } = kept.map_err(|_| Error::Cancelled)?;
    Ok(FileState { sha256, size, mode, is_lost })
}

// A default method would answer for the overlay instead of the environment below.
#[deny(clippy::missing_trait_methods)]
#[async_trait::async_trait]
impl Environment for Overlay {
    fn platform(&self) -> &Platform {
        self.inner.platform()
    }

    fn is_this_machine(&self) -> bool {
        self.inner.is_this_machine()
    }

    fn without_editors(&self) -> Option<&dyn Environment> {
        Some(self.inner.as_ref())
    }

    fn unsaved(&self, root: &Path) -> Vec<PathBuf> {
        self.documents.unsaved(root).into_iter().map(|(path, _)| path).collect()
    }

    fn follow_documents(&self) -> Option<Box<dyn DocumentLog>> {
        Some(Box::new(self.documents.follow()))
    }

    async fn transitions(&self, path: &Path, keep: Keep) -> Result<Vec<Transition>, Error> {
        let mut transitions = Vec::new();
        for applied in self.documents.take_applied(path) {
            let before = state(applied.before, Arc::clone(&keep), None).await?;
            let after = state(applied.after, Arc::clone(&keep), None).await?;
            transitions.push(Transition { before, after });
        }
        Ok(transitions)
    }

    async fn stat(&self, path: &Path) -> Result<Stat, Error> {
        let Some((path, document)) = self.unsaved_as_known(path).await? else {
            return self.inner.stat(path).await;
        };
        let modified_ms = self.inner.stat(&path).await.map_or(0, |stat| stat.modified_ms);
        Ok(Stat { kind: FileKind::File, size: document.text.len() as u64, modified_ms, links: 1 })
    }

    async fn stat_all(&self, paths: &[PathBuf]) -> Vec<Result<Stat, Error>> {
        if self.documents.is_idle() {
            return self.inner.stat_all(paths).await;
        }
        let mut found = Vec::with_capacity(paths.len());
        for path in paths {
            found.push(self.stat(path).await);
        }
        found
    }

    async fn canonicalize(&self, path: &Path) -> Result<PathBuf, Error> {
        self.inner.canonicalize(path).await
    }

    async fn canonicalize_all(&self, paths: &[PathBuf]) -> Vec<Result<PathBuf, Error>> {
        self.inner.canonicalize_all(paths).await
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        match self.unsaved_at(path).await? {
            None => self.inner.read(path).await,
            Some((_, document)) => Ok(document.text.as_bytes().to_vec()),
        }
    }

    async fn read_lines(&self, path: &Path, window: Window) -> Result<Lines, Error> {
        let Some((path, document)) = self.unsaved_at(path).await? else {
            return self.inner.read_lines(path, window).await;
        };
        let version = version(path.clone(), &document.text);
        Lines::read(document.text.as_bytes(), version, window)
            .map_err(|error| Error::from_io(&path, &error))
    }

    async fn versions(&self, paths: &[PathBuf]) -> Vec<Result<Version, Error>> {
        let mut found = self.inner.versions(paths).await;
        if self.documents.is_idle() {
            return found;
        }
        for (path, found) in paths.iter().zip(&mut found) {
            if let Ok(Some((path, document))) = self.unsaved_as_known(path).await {
                *found = Ok(version(path, &document.text));
            }
        }
        found
    }

    async fn list(&self, path: &Path) -> Result<Vec<ListEntry>, Error> {
        self.inner.list(path).await
    }

    async fn list_all(&self, paths: &[PathBuf]) -> Vec<Result<Vec<ListEntry>, Error>> {
        self.inner.list_all(paths).await
    }

    async fn write(&self, path: &Path, content: Vec<u8>) -> Result<(), Error> {
        let decide: Decide =
            Box::new(|_| Ok(crate::Rewrite { content: content.into(), change: None }));
        self.update(path, decide, &CancellationToken::new()).await.map(drop)
    }

    async fn update(
        &self,
        path: &Path,
        decide: Decide,
        cancel: &CancellationToken,
    ) -> Result<Updated, Error> {
        if self.documents.is_idle() {
            return self.inner.update(path, decide, cancel).await;
        }
        let mut done =
            update::all(self, &[path.to_path_buf()], change::for_all(decide), cancel).await?;
        let lost = || Error::NotFound(path.to_path_buf());
        let after = done.after.pop().flatten().ok_or_else(lost)?;
        Ok(Updated { change: done.changes.pop(), before: done.before.pop().flatten(), after })
    }

    async fn update_all(
        &self,
        paths: &[PathBuf],
        decide: DecideAll,
        cancel: &CancellationToken,
    ) -> Result<UpdatedAll, Error> {
        if self.documents.is_idle() {
            return self.inner.update_all(paths, decide, cancel).await;
        }
        update::all(self, paths, decide, cancel).await
    }

    async fn scan(&self, scan: Scan, cancel: &CancellationToken) -> Result<Scanned, Error> {
        pull::pull_known(self).await?;
        let (root, keep) = (scan.root.clone(), Arc::clone(&scan.keep));
        let mut scanned = self.inner.scan(scan, cancel).await?;
        for (path, text) in self.documents.unsaved(&root) {
            if scanned.files.contains_key(&path)
                && let Some(seen) = Arc::make_mut(&mut scanned.files).get_mut(&path)
            {
                seen.state = state(text, Arc::clone(&keep), seen.state.mode).await?;
                // Differs from the file's mark, so that the file is read again once the text is saved.
                seen.mark = u128::MAX;
            }
        }
        Ok(scanned)
    }

    async fn remember(
        &self,
        path: &Path,
        keep: Keep,
        max_bytes: u64,
    ) -> Result<Option<FileState>, Error> {
        let Some((path, document)) = self.unsaved_at(path).await? else {
            return self.inner.remember(path, keep, max_bytes).await;
        };
        // The file is kept too: it is the content when the unsaved text is discarded.
        let file = self.inner.remember(&path, Arc::clone(&keep), max_bytes).await?;
        let mode = file.and_then(|file| file.mode);
        state(document.text, keep, mode).await.map(Some)
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), Error> {
        self.inner.set_mode(path, mode).await
    }

    async fn tidy(&self, folder: &Path) -> Result<(), Error> {
        self.inner.tidy(folder).await
    }

    async fn create_folder(&self, path: &Path) -> Result<(), Error> {
        self.inner.create_folder(path).await
    }

    async fn remove(&self, path: &Path) -> Result<(), Error> {
        self.must_be_saved(path).await?;
        self.inner.remove(path).await
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), Error> {
        self.must_be_saved(from).await?;
        self.must_be_saved(to).await?;
        self.inner.rename(from, to).await
    }

    async fn find(&self, find: Find, cancel: &CancellationToken) -> Result<FoundPaths, Error> {
        self.inner.find(find, cancel).await
    }

    async fn grep(&self, mut grep: Grep, cancel: &CancellationToken) -> Result<Grepped, Error> {
        if !self.documents.is_idle() {
            pull::pull_known(self).await?;
            let root = self.inner.canonicalize(&grep.root).await?;
            grep.unsaved = Arc::new(self.documents.unsaved(&root).into_iter().collect());
        }
        self.inner.grep(grep, cancel).await
    }

    async fn exec(
        &self,
        command: Command,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ran, Error> {
        let editor = self.terminals.editor(&command);
        if let Some(editor) = editor
            && let Some(run) = self.inner.in_terminal(&command)
        {
            match self.inner.stat(&command.cwd).await?.kind {
                FileKind::Folder => return editor.run(run, &command, cancel, output).await,
                FileKind::File | FileKind::Other => return Err(Error::NotFolder(command.cwd)),
            }
        }
        self.inner.exec(command, cancel, output).await
    }

    fn in_terminal(&self, command: &Command) -> Option<TerminalCommand> {
        self.inner.in_terminal(command)
    }

    async fn filter(&self, filter: Filter) -> Result<Filtered, Error> {
        self.inner.filter(filter).await
    }

    async fn start(&self, program: Program) -> Result<RunningProgram, Error> {
        self.inner.start(program).await
    }

    async fn release(&self, owner: &str) {
        self.inner.release(owner).await;
    }

    async fn end_abandoned(&self, owner: &str) -> Vec<String> {
        self.inner.end_abandoned(owner).await
    }
}

#[cfg(test)]
mod tests;
