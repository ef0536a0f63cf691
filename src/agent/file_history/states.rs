//! The last state of each file that was changed in a session, folded from the journal.

use pintle_exec::Digest;
use pintle_protocol::files::{FileRecord, FileState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The last known state of each file; `None` for a missing file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct FileStates(BTreeMap<PathBuf, Option<FileState>>);

impl FileStates {
    /// Returns true if no file is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in changes.
    pub(crate) fn update(&mut self, changes: &[FileRecord]) {
        for change in changes {
            self.0.insert(PathBuf::from(&change.path), change.after.clone());
        }
    }

    /// Returns the known files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.keys()
    }

    /// Returns a file's last state, which is `otherwise` if it was not changed in the session.
    pub(super) fn last<'a>(
        &'a self,
        path: &Path,
        otherwise: Option<&'a FileState>,
    ) -> Option<&'a FileState> {
        self.0.get(path).map_or(otherwise, Option::as_ref)
    }

    /// Returns true if a file was changed in the session, and has another state than the last known one.
    pub(crate) fn is_changed(&self, path: &Path, found: Option<&FileState>) -> bool {
        self.0.get(path).is_some_and(|last| last.as_ref() != found)
    }

    /// Returns true if a file is in its last known state, given its content's digest (`None` for a missing file).
    pub(crate) fn is_last(&self, path: &Path, digest: Option<Digest>) -> bool {
        let Some(last) = self.0.get(path) else { return false };
        last.as_ref().map(|last| last.sha256.clone()) == digest.map(|digest| digest.to_string())
    }

    /// Returns changes made by others: the differences between these states and the files found.
    pub(crate) fn others(&self, found: &[(PathBuf, Option<FileState>)]) -> Vec<FileRecord> {
        let changes = found.iter().filter_map(|(path, present)| {
            let last = self.0.get(path)?;
            record(path, last.as_ref(), present.as_ref())
        });
        changes.collect()
    }
}

/// Returns a file's change, if the states differ.
pub(crate) fn record(
    path: &Path,
    before: Option<&FileState>,
    after: Option<&FileState>,
) -> Option<FileRecord> {
    (before != after).then(|| FileRecord {
        path: path.to_string_lossy().into_owned(),
        before: before.cloned(),
        after: after.cloned(),
    })
}
