//! Files protected from commands by their names, anywhere in the workspace.
//!
//! The caller supplies the names. Existing files are found by walking: secret files are hidden by mounts, and files at the top of the
//! workspace that other programs obey are made read-only in the same way. Those in subdirectories, and those that a command would create,
//! are protected by `watch`, which judges the path of each call that changes a file.
//!
//! The workspace is walked at the first command and again after each one, so that no command waits for it. A secret file that appears while
//! a command runs is hidden from the next.
#![expect(clippy::disallowed_methods, reason = "exec is where folders are listed")]

use super::Confinement;
use pintle_os::{names as os, socket};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of workspace entries searched for secret files and sockets.
const MAX_ENTRIES: usize = 20_000;

/// Maximum number of files of one kind that get separate mounts. Each adds about 20 µs to a command's start.
const MAX_MOUNTS: usize = 256;

/// Directories with too many entries to check, and without user secrets: `.git` is protected as a whole.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// Judges paths by their names. All are absolute and canonical.
pub trait JudgeNames: Send + Sync {
    /// Returns true for a file that must not be read.
    fn is_secret(&self, path: &Path) -> bool;
    /// Returns true for a file that must not be changed or created.
    fn is_obeyed(&self, path: &Path) -> bool;
    /// Returns true if any program may be denied.
    fn judges_programs(&self) -> bool {
        false
    }
    /// Returns true for a program that must not be started. The first word is its name or path.
    fn denies_program(&self, _words: &[String]) -> bool {
        false
    }
    /// Returns names of programs of which some calls are denied. Copies of their files are judged like them.
    fn denied_names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Names of files protected from confined commands. By default none.
#[derive(Clone, Default)]
pub struct Names(Option<Arc<Inner>>);

/// The same names as patterns, for a sandbox that takes a text: paths relative to any directory, or from the root if they begin with `/`.
/// `*` is any text within a name, and `/` at the end matches everything below.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamePatterns {
    /// Files that must not be changed or created in the workspace.
    pub obeyed: Vec<String>,
    /// Directories in which they may.
    pub output: Vec<String>,
    /// Files that must not be read.
    pub secret: Vec<String>,
    /// Exceptions to these.
    pub open: Vec<String>,
}

struct Inner {
    patterns: NamePatterns,
    judge: Box<dyn JudgeNames>,
    /// Paths outside the workspace that are secret if they exist.
    places: Vec<PathBuf>,
    /// Directories whose entries are judged.
    listed: Vec<PathBuf>,
    found: Mutex<Option<Arc<Found>>>,
}

/// The files that exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) hidden: Vec<PathBuf>,
    /// Sockets in the workspace.
    pub(crate) sockets: Vec<PathBuf>,
}

impl Names {
    /// `places` are paths that are secret if they exist, and `listed` directories whose entries are judged.
    pub fn new(
        judge: impl JudgeNames + 'static,
        places: Vec<PathBuf>,
        listed: Vec<PathBuf>,
    ) -> Self {
        let judge = Box::new(judge);
        let patterns = NamePatterns::default();
        Self(Some(Arc::new(Inner { patterns, judge, places, listed, found: Mutex::default() })))
    }

    /// Adds the names as patterns.
    #[must_use]
    pub fn with_patterns(mut self, patterns: NamePatterns) -> Self {
        if let Some(inner) = self.0.as_mut().and_then(Arc::get_mut) {
            inner.patterns = patterns;
        }
        self
    }

    /// Returns the names as patterns.
    pub(crate) fn patterns(&self) -> NamePatterns {
        self.0.as_ref().map(|inner| inner.patterns.clone()).unwrap_or_default()
    }

    /// Returns true if no name is protected.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns true for a file that must not be changed or created.
    pub(crate) fn is_obeyed(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.judge.is_obeyed(path))
    }

    /// Returns true if any program may be denied.
    pub fn judges_programs(&self) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.judge.judges_programs())
    }

    /// Returns the last walk's result, if there was one.
    pub(crate) fn known(&self) -> Option<Arc<Found>> {
        self.0.as_ref()?.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Searches the existing files. Blocking.
    pub(crate) fn look(&self, roots: &[PathBuf]) -> Arc<Found> {
        let Some(inner) = &self.0 else { return Arc::default() };
        let found = Arc::new(inner.find(roots));
        *inner.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&found));
        found
    }

    /// Returns the files at the top of the workspace that must not be changed: entries of its directories, and of their subdirectories
    /// whose names begin with a dot.
    pub(crate) fn at_the_top(&self, roots: &[PathBuf]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        if self.is_empty() {
            return found;
        }
        for root in roots {
            for (path, kind) in entries(root) {
                if self.is_obeyed(&path) {
                    found.push(path);
                } else if kind.is_dir() && is_dotted(&path) {
                    found.extend(
                        entries(&path)
                            .into_iter()
                            .map(|(path, _)| path)
                            .filter(|path| self.is_obeyed(path)),
                    );
                }
            }
        }
        found.truncate(MAX_MOUNTS);
        found
    }
}

impl Inner {
    fn find(&self, roots: &[PathBuf]) -> Found {
        let exists = |path: &&PathBuf| path.symlink_metadata().is_ok();
        let mut hidden: Vec<PathBuf> = self.places.iter().filter(exists).cloned().collect();
        let listed = self.listed.iter().flat_map(|folder| entries(folder));
        hidden.extend(
            listed.map(|(path, _)| path).filter(|path| self.judge.is_secret(path)).take(MAX_MOUNTS),
        );
        let (mut in_workspace, mut sockets) = (Vec::new(), Vec::new());
        // Nearest first, so that a limit leaves out the deepest paths.
        let mut folders: VecDeque<PathBuf> = roots.iter().cloned().collect();
        let mut seen = 0;
        while let Some(folder) = folders.pop_front() {
            for (path, kind) in entries(&folder) {
                seen += 1;
                if socket::is_socket(kind) {
                    sockets.push(path);
                } else if self.judge.is_secret(&path) {
                    in_workspace.push(path);
                } else if kind.is_dir() && !SKIPPED.iter().any(|name| path.ends_with(name)) {
                    folders.push_back(path);
                }
            }
            if seen > MAX_ENTRIES {
                break;
            }
        }
        in_workspace.truncate(MAX_MOUNTS);
        sockets.truncate(MAX_MOUNTS);
        hidden.extend(in_workspace);
        Found { hidden, sockets }
    }
}

fn is_dotted(path: &Path) -> bool {
    path.file_name().is_some_and(|name| os::bytes(name).starts_with(b"."))
}

/// Returns a directory's entries, sorted; empty if it cannot be read.
fn entries(folder: &Path) -> Vec<(PathBuf, std::fs::FileType)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut entries: Vec<_> =
        entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?))).collect();
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    entries
}

/// What is asked about while a command runs.
#[cfg(target_os = "linux")]
impl Names {
    /// Returns true for a file that must not be read.
    pub(crate) fn is_secret(&self, path: &Path) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.judge.is_secret(path))
    }

    /// Returns true for a program that must not be started. The first word is its name or path.
    pub(crate) fn denies_program(&self, words: &[String]) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.judge.denies_program(words))
    }

    /// Returns names of programs of which some calls are denied.
    pub(crate) fn denied_names(&self) -> Vec<String> {
        self.0.as_ref().map(|inner| inner.judge.denied_names()).unwrap_or_default()
    }
}

impl Confinement {
    /// Adds the existing files that are protected by their names.
    pub(crate) fn add_found(&mut self, found: &Found) {
        self.hidden.extend(found.hidden.iter().cloned());
        self.sockets.clone_from(&found.sockets);
        self.protected.extend(self.names.at_the_top(&self.writable));
    }

    /// Returns the workspace's directories, both writable and read-only.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        self.writable.iter().chain(&self.readable).cloned().collect()
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Names").field(&!self.is_empty()).finish()
    }
}

/// Names are ignored when confinements are compared: they follow from the directories.
impl PartialEq for Names {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Names {}
