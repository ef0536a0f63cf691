//! Announcements of file changes, written before they are made: after a kill, the files can be compared with their previous state.
//!
//! One small file in the session's folder; each announcement replaces the last. It is not part of the truth: the journal records whether an
//! announced change has ended, and without this file an interrupted change is merely not reported.
//!
//! It is overwritten in place, which costs less than creating a file and renaming it. Invariant: a change begins only when its announcement
//! is complete; a checksum detects a partial one, so a damaged file announces nothing that has begun.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use crate::disk;
use pintle_protocol::files::{ChangedBy, FileState};
use pintle_protocol::ids::TurnId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

const FILE: &str = "announced.json";

/// The maximum size of the file: the states of 20,000 files, each with its path.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A change of files that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Announced {
    /// The author of the change.
    pub by: ChangedBy,
    /// The turn that it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The number of the journal's last event at that time, if no call determines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// The folders in which any file may change; empty if only the files below may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// The state of the files before the change, by path; for folders, of all their files.
    pub before: BTreeMap<String, Option<FileState>>,
    /// The hashes of the new contents, for a change that is undone if it was interrupted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, Option<String>>,
}

/// The announcements of a session. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Announcements {
    folder: PathBuf,
}

impl Announcements {
    /// Returns those of the session in this folder.
    pub fn of(session: &Path) -> Self {
        Self { folder: session.to_owned() }
    }

    /// Writes an announcement, replacing the last.
    ///
    /// # Errors
    /// The disk failed; no announcement is left, since the last one has ended.
    pub fn put(&self, announced: &Announced) -> io::Result<()> {
        let path = self.folder.join(FILE);
        let text = serde_json::to_string(announced)?;
        let line = format!("{:08x} {text}\n", crc32fast::hash(text.as_bytes()));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = disk::open_private(&path, &mut options);
        // The rest of a longer announcement stays behind the end of the line.
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        if written.is_err() {
            let _ = fs::remove_file(&path);
        }
        written
    }

    /// Returns the last announcement; `None` if none can be read.
    pub fn last(&self) -> Option<Announced> {
        let path = self.folder.join(FILE);
        let mut line = String::new();
        BufReader::new(disk::open(&path).ok()?.take(MAX_BYTES)).read_line(&mut line).ok()?;
        let whole = line.strip_suffix('\n').and_then(|line| line.split_once(' '));
        let whole = whole.filter(|(sum, text)| {
            u32::from_str_radix(sum, 16).is_ok_and(|sum| sum == crc32fast::hash(text.as_bytes()))
        });
        let read = whole.and_then(|(_, text)| serde_json::from_str(text).ok());
        if read.is_none() {
            tracing::warn!("{} is damaged or of another version", path.display());
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_is_read_again_and_what_is_damaged_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let announcements = Announcements::of(folder.path());
        assert_eq!(announcements.last(), None);
        let state = FileState { sha256: "0".repeat(64), size: 3, mode: None, is_lost: false };
        let mut announced = Announced {
            by: ChangedBy::Rewind {},
            turn_id: None,
            after_seq: Some(7),
            folders: Vec::new(),
            before: BTreeMap::from([("/w/a".to_owned(), Some(state)), ("/w/b".to_owned(), None)]),
            after: BTreeMap::from([("/w/a".to_owned(), None)]),
        };
        announcements.put(&announced).unwrap();
        announced.after_seq = Some(8);
        announcements.put(&announced).unwrap();
        assert_eq!(announcements.last(), Some(announced.clone()));
        // A shorter one over a longer one, and the other way.
        let long = announced.clone();
        announced.before.clear();
        for one in [&announced, &long, &announced] {
            announcements.put(one).unwrap();
            assert_eq!(announcements.last().as_ref(), Some(one));
        }
        let path = folder.path().join(FILE);
        announcements.put(&long).unwrap();
        let old = fs::read(&path).unwrap();
        announcements.put(&announced).unwrap();
        let new = fs::read(&path).unwrap();
        let cut = |at: usize| [new.get(..at).unwrap(), old.get(at..).unwrap()].concat();
        for (name, damage) in [
            ("zeros", vec![0; 50]),
            ("no text", vec![0xff; 50]),
            ("a part", b"{\"by\":".to_vec()),
            ("nothing", Vec::new()),
            ("cut while it was written over another", cut(20)),
            ("cut in the sum", cut(3)),
        ] {
            fs::write(&path, damage).unwrap();
            assert_eq!(announcements.last(), None, "{name}");
        }
        // An old one would be compared with what happened long ago.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(announcements.put(&announced).is_err());
    }
}
