//! The files that a session's model has seen, saved next to the journal: a reopened session knows which of them changed since.
//!
//! One small file in the session's directory, replaced as a whole at the end of a turn. It is not part of the truth: without it, changes
//! are not reported to the model, which reads a file again before it replaces it.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::moves::Moves;
use pintle_base::private_files;
use pintle_os::replace;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "seen.json";

/// The file while it is written.
const NEW_FILE: &str = "seen.json.new";

/// The maximum size of the file: more than a model reads.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The file's content.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SeenFiles {
    /// The `seq` of the session's last event at the time of writing.
    pub seq: u64,
    /// The files, in path order.
    pub files: Vec<Seen>,
}

/// A file that the model has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its canonical path.
    pub path: PathBuf,
    /// The version that the model has seen.
    pub version: SeenVersion,
    /// The content's digest, in hexadecimal. Absent if the model has seen only a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The state last reported to the model; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<ReportedState>,
}

/// A file's version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenVersion {
    /// Its size in bytes.
    pub size: u64,
    /// A fingerprint that differs between versions of equal size, in hexadecimal.
    pub mark: String,
}

/// A later state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReportedState {
    /// The file is gone.
    Gone,
    /// The file has this version.
    Version(SeenVersion),
}

/// Writes the files that the session's model has seen.
///
/// # Errors
/// The write failed; the earlier file still exists.
pub fn put(session: &Path, seen: &SeenFiles) -> io::Result<()> {
    let new = session.join(NEW_FILE);
    let text = serde_json::to_vec(seen)?;
    let written = private_files::write_private(&new, &text)
        .and_then(|()| replace::rename(&new, session.join(FILE)));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// Reads the files that the session's model has seen; empty if unknown.
pub fn saved(session: &Path) -> SeenFiles {
    let text = private_files::read(&session.join(FILE), MAX_BYTES);
    text.ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// Like [`saved`], with the present paths of the files.
pub fn saved_now(session: &Path, moves: &Moves) -> Vec<Seen> {
    let SeenFiles { seq, mut files } = saved(session);
    for file in &mut files {
        if let Some(present) = moves.path(seq, &file.path) {
            file.path = present;
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_last_is_read_and_a_damaged_file_counts_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let read = || saved(folder.path()).files;
        assert_eq!(read(), []);
        let version = SeenVersion { size: 3, mark: "ff".to_owned() };
        for told in [None, Some(ReportedState::Gone), Some(ReportedState::Version(version.clone()))]
        {
            let (path, digest) = ("/a".into(), Some("00".to_owned()));
            let files = vec![Seen { path, version: version.clone(), digest, told }];
            put(folder.path(), &SeenFiles { seq: 7, files: files.clone() }).unwrap();
            assert_eq!((read(), saved(folder.path()).seq), (files, 7));
        }
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(read(), []);
    }
}
