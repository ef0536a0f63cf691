//! The files that a command's processes change.
//!
//! Comparing a folder before and after a command shows what changed but not who changed it: a person may have saved a file meanwhile. On
//! Linux, `sandbox::watch` records what a confined command opens for writing, renames or removes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of recorded paths. Beyond it, other paths count as [`Changed::Unknown`].
const MAX_PATHS: usize = 200_000;

/// Collects the paths that a command changes. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct WriteLog(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_watched: bool,
    /// Something was changed whose path is not known.
    has_gap: bool,
    paths: BTreeSet<PathBuf>,
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
    pub fn watch(&self) {
        self.with(|state| state.is_watched = true);
    }

    /// Adds the path of a changed file, or of a renamed folder.
    pub fn add(&self, path: PathBuf) {
        self.with(|state| {
            if state.paths.len() >= MAX_PATHS {
                state.has_gap = true;
            } else {
                state.paths.insert(path);
            }
        });
    }

    /// Records a change to an unknown path.
    pub fn add_unknown(&self) {
        self.with(|state| state.has_gap = true);
    }

    /// Returns whether the command changed the file at a canonical path.
    pub fn changed(&self, path: &Path) -> Changed {
        self.with(|state| {
            if path.ancestors().any(|above| state.paths.contains(above)) {
                Changed::Yes
            } else if state.is_watched && !state.has_gap {
                Changed::No
            } else {
                Changed::Unknown
            }
        })
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
            ("not watched", false, &[][..], false, Unknown),
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
                log.add(path.into());
            }
            if has_gap {
                log.add_unknown();
            }
            assert_eq!(log.changed(Path::new("/w/a")), want, "{name}");
        }
    }
}
