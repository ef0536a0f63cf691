//! The files changed by a command's processes.
//!
//! Comparing a directory before and after a command shows which files changed but not who changed them: the user may have saved a file
//! meanwhile. On Linux, `sandbox::watch` records the files that a confined command opens for writing, renames or removes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// The maximum number of recorded paths. Beyond it, other paths count as [`Changed::Unknown`].
const MAX_PATHS: usize = 200_000;

/// The maximum size of all contents in the log, in bytes.
const MAX_FOUND_BYTES: usize = 64 * 1024 * 1024;

/// The clock of file times may lag by this much.
const LAG: Duration = Duration::from_millis(50);

/// Collects the paths that a command changes. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct WriteLog(Arc<Mutex<State>>);

#[derive(Debug, Clone, Default)]
struct State {
    /// The start time of a complete log.
    since: Option<SystemTime>,
    /// True if a path that was changed is not known.
    has_gap: bool,
    /// The changed paths, each with the content that the command found, if another process had written it since the start.
    paths: BTreeMap<PathBuf, Option<Arc<[u8]>>>,
    found_bytes: usize,
}

/// Whether a command changed a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Yes, or at least an attempt was made.
    Yes,
    /// No.
    No,
    /// The command was not recorded completely.
    Unknown,
}

impl WriteLog {
    /// Marks the log as complete: from now on it receives every changed path.
    #[expect(clippy::disallowed_methods, reason = "it is compared with file times")]
    pub fn watch(&self) {
        self.with(|state| state.since = Some(SystemTime::now() - LAG));
    }

    /// Returns the log's start time if `path` is not in the log.
    pub fn is_new(&self, path: &Path) -> Option<SystemTime> {
        self.with(|state| state.since.filter(|_| !state.paths.contains_key(path)))
    }

    /// Adds the path of a file that is about to be changed, or of a directory that is about to be renamed. `found` is the file's content if
    /// another process has written it since the start.
    pub fn add(&self, path: PathBuf, found: Option<Vec<u8>>) {
        self.with(|state| {
            if state.paths.len() >= MAX_PATHS {
                state.has_gap = true;
                return;
            }
            let found = found.filter(|found| state.found_bytes + found.len() <= MAX_FOUND_BYTES);
            state.found_bytes += found.as_ref().map_or(0, Vec::len);
            state.paths.entry(path).or_insert_with(|| found.map(Into::into));
        });
    }

    /// Returns the content that the command found in a file written by another process since the start.
    pub fn found(&self, path: &Path) -> Option<Arc<[u8]>> {
        self.with(|state| state.paths.get(path)?.clone())
    }

    /// Records a change to an unknown path.
    pub fn add_unknown(&self) {
        self.with(|state| state.has_gap = true);
    }

    /// Returns whether the command changed the file at a canonical path.
    pub fn changed(&self, path: &Path) -> Changed {
        self.with(|state| {
            if path.ancestors().any(|above| state.paths.contains_key(above)) {
                Changed::Yes
            } else if state.since.is_some() && !state.has_gap {
                Changed::No
            } else {
                Changed::Unknown
            }
        })
    }

    /// Returns a copy of the log, and forgets the contents that the command found: they precede changes that were looked at.
    #[must_use]
    pub fn look(&self) -> Self {
        self.with(|state| {
            let seen = state.clone();
            state.found_bytes = 0;
            state.paths.values_mut().for_each(|found| *found = None);
            Self(Arc::new(Mutex::new(seen)))
        })
    }

    /// Returns true while a command may still add to the log.
    pub fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Returns true if the command certainly changed nothing.
    pub fn is_clean(&self) -> bool {
        self.with(|state| state.since.is_some() && !state.has_gap && state.paths.is_empty())
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Logs do not count when commands are compared.
impl PartialEq for WriteLog {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for WriteLog {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_was_changed_if_it_or_a_folder_above_it_is_in_the_log() {
        use Changed::{No, Unknown, Yes};
        for (name, is_watched, paths, has_gap, want) in [
            ("nothing", true, &[][..], false, No),
            ("nothing known", true, &[], true, Unknown),
            ("not watched", false, &[], false, Unknown),
            ("not watched, but named", false, &["/w/a"], false, Yes),
            ("another file", true, &["/w/ab", "/w/b"], false, No),
            ("the file", true, &["/w/b", "/w/a"], false, Yes),
            ("its folder was renamed", true, &["/w"], false, Yes),
            ("an unknown path", true, &["/w/b"], true, Unknown),
            ("the file, and an unknown path", true, &["/w/a"], true, Yes),
        ] {
            let log = WriteLog::default();
            if is_watched {
                log.watch();
            }
            for path in paths {
                log.add(path.into(), None);
            }
            if has_gap {
                log.add_unknown();
            }
            assert_eq!(log.changed(Path::new("/w/a")), want, "{name}");
            assert_eq!(log.is_clean(), name == "nothing", "{name}");
        }
    }

    #[test]
    fn a_look_keeps_the_paths_and_takes_the_contents_that_were_found() {
        let log = WriteLog::default();
        log.add("/w/a".into(), Some(b"by hand".to_vec()));
        let seen = log.look();
        assert_eq!(seen.found(Path::new("/w/a")).as_deref(), Some(&b"by hand"[..]));
        assert_eq!(log.found(Path::new("/w/a")), None);
        assert_eq!(log.changed(Path::new("/w/a")), Changed::Yes);
        log.add("/w/b".into(), None);
        assert_eq!(seen.changed(Path::new("/w/b")), Changed::Unknown);
    }
}
