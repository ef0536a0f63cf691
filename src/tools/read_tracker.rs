//! Tracks the files that a session's model has seen, so that no content unknown to it is overwritten.
//!
//! One tracker per session. Invariant: a file counts as known only while it has the exact content that was read or written. A new
//! modification time alone changes nothing.
//!
//! It has a lock, since the calls of one reply run concurrently; each holds it only briefly.

use pintle_exec::{Before, Digest, Environment, Error, FileKind, Version};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Tracks the files that a session has read or written. Clones share the tracker.
#[derive(Debug, Clone, Default)]
pub struct ReadTracker(Arc<Mutex<HashMap<PathBuf, Known>>>);

/// A state of a file that the model knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The file's version.
    pub version: Version,
    /// The content's digest; `None` for a file that was not read to its end.
    pub digest: Option<Digest>,
    /// The state that was compared with it last.
    pub compared: Compared,
}

/// The file state most recently compared with the known one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// None was.
    Never,
    /// The file was missing.
    Gone,
    /// The file had this version.
    Present(Version),
}

/// A file whose content differs from the one the model knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The file's canonical path.
    pub path: PathBuf,
    /// The content's digest; `None` if the file is gone.
    pub digest: Option<Digest>,
}

/// The changes that require the file to have been read before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadFirst {
    /// None.
    Never,
    /// Replacing an existing file completely. An edit proves by its match that its text was known.
    #[default]
    Overwrite,
    /// Every change of an existing file.
    Always,
}

/// The rules by name.
pub const READ_FIRST: [(&str, ReadFirst); 3] = [
    ("never", ReadFirst::Never),
    ("overwrite", ReadFirst::Overwrite),
    ("always", ReadFirst::Always),
];

/// The session's knowledge of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// This very state.
    Now,
    /// An earlier state.
    Before,
    /// Nothing.
    Never,
}

impl ReadTracker {
    /// Creates a tracker of these files.
    pub fn from_known(files: impl IntoIterator<Item = Known>) -> Self {
        let files = files.into_iter().map(|known| (known.version.path.clone(), known));
        Self(Arc::new(Mutex::new(files.collect())))
    }

    /// Returns the known files, in path order.
    pub fn files(&self) -> Vec<Known> {
        let mut files: Vec<Known> = self.with(|seen| seen.values().cloned().collect());
        files.sort_by(|one, other| one.version.path.cmp(&other.version.path));
        files
    }

    /// Some of a file was read, or all of it written.
    pub(super) fn saw(&self, version: Version, digest: Option<Digest>) {
        let path = version.path.clone();
        self.with(|seen| seen.insert(path, Known { version, digest, compared: Compared::Never }));
    }

    /// Returns how well a file is known. Its content is compared if its version differs.
    pub(super) fn knows(&self, before: &Before) -> Knowledge {
        let Before { content, version } = before;
        let known = self.with(|seen| seen.get(&version.path).cloned());
        let Some(known) = known else { return Knowledge::Never };
        let has_same_content =
            || known.version.size == version.size && known.digest == Some(Digest::compute(content));
        if known.version == *version || has_same_content() {
            Knowledge::Now
        } else {
            Knowledge::Before
        }
    }

    /// Returns the files that changed since they were read or written, in path order, each change once. Files in places that cannot detect
    /// changes without reading are left out.
    pub async fn changed(&self, env: &dyn Environment) -> Vec<ChangedFile> {
        let known: BTreeMap<PathBuf, Known> = self
            .with(|seen| seen.iter().map(|(path, known)| (path.clone(), known.clone())).collect());
        let paths: Vec<PathBuf> = known.keys().cloned().collect();
        let versions = env.versions(&paths).await;
        let mut changed = Vec::new();
        for ((path, known), version) in known.into_iter().zip(versions) {
            let now = match version {
                Ok(version) if version == known.version => continue,
                Ok(version) => Compared::Present(version),
                Err(Error::NotFound(_)) => Compared::Gone,
                Err(_) if is_replaced(env, &path).await => Compared::Gone,
                Err(_) => continue,
            };
            if known.compared == now {
                continue;
            }
            let digest = match &now {
                Compared::Never | Compared::Gone => None,
                Compared::Present(_) => match env.read(&path).await {
                    Ok(content) => Some(Digest::compute(&content)),
                    Err(Error::NotFound(_)) => None,
                    Err(_) if is_replaced(env, &path).await => None,
                    Err(_) => continue,
                },
            };
            self.with(|seen| {
                if let Some(known) = seen.get_mut(&path) {
                    known.compared = now;
                }
            });
            if digest.is_none() || digest != known.digest {
                changed.push(ChangedFile { path, digest });
            }
        }
        changed
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<PathBuf, Known>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns true if a directory, a pipe or the like has replaced a file.
async fn is_replaced(env: &dyn Environment, path: &Path) -> bool {
    env.stat(path).await.is_ok_and(|stat| stat.kind != FileKind::File)
}
