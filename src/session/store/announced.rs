//! Announcements of file changes, written before they are made: after a kill, the files can be compared with their previous state.
//!
//! One small file in the session's directory; each announcement replaces the last. The states of a directory's many files are in a second
//! one, which is written only when many have changed; an announcement contains its checksum and the changes since. It is not part of the
//! truth: the journal records whether an announced change has ended, and without this file an interrupted change is merely not reported.
//!
//! It is overwritten in place, which costs less than creating a file and renaming it. Invariant: a change starts only when its announcement
//! is complete; a checksum detects a partial one, so a damaged file never announces a change that has started.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use pintle_base::private_files;
use pintle_protocol::files::{ChangedBy, FileState};
use pintle_protocol::ids::TurnId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

const FILE: &str = "announced.json";

/// File with a directory's file states.
const FOLDER_FILE: &str = "announced-folder.json";

/// The maximum size of the file: the states of 20,000 files, each with its path.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A file change that is about to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Announced {
    /// The change's author.
    pub by: ChangedBy,
    /// The turn that it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The journal's last event number at that time, if no call determines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// The directories in which any file may change; empty if only the files below may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
    /// The files' states before the change, by path; for directories, only differences from the states of [`Self::folder_sum`].
    pub before: BTreeMap<String, Option<FileState>>,
    /// Identifies the states written by [`Announcements::put_folder`] by their checksum. States that are read again are part of [`Self::before`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder_sum: Option<u32>,
    /// The files among these whose states are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Hashes of the new contents, for a change that is undone if it was interrupted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, Option<String>>,
}

/// A session's announcements. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Announcements {
    folder: PathBuf,
}

impl Announcements {
    /// Returns the announcements for the session in this directory.
    pub fn new(session: &Path) -> Self {
        Self { folder: session.to_owned() }
    }

    /// Writes an announcement, replacing the last.
    ///
    /// # Errors
    /// The disk failed; no announcement is left, since the last one has ended.
    pub fn put(&self, announced: &Announced) -> io::Result<()> {
        self.write(FILE, &serde_json::to_string(announced)?).map(drop)
    }

    /// Writes a directory's file states for later announcements. Returns their checksum.
    ///
    /// # Errors
    /// The write failed; no announcement is left, since the last one has ended.
    pub fn put_folder(&self, files: &BTreeMap<String, &FileState>) -> io::Result<u32> {
        let written = self.write(FOLDER_FILE, &serde_json::to_string(files)?);
        if written.is_err() {
            let _ = fs::remove_file(self.folder.join(FILE));
        }
        written
    }

    fn write(&self, name: &str, text: &str) -> io::Result<u32> {
        let path = self.folder.join(name);
        let sum = crc32fast::hash(text.as_bytes());
        let line = format!("{sum:08x} {text}\n");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = private_files::open_private(&path, &mut options);
        // A longer text leaves a rest after the line.
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        if written.is_err() {
            let _ = fs::remove_file(&path);
        }
        written.map(|()| sum)
    }

    /// Returns a text that was written whole, and its checksum.
    fn read(&self, name: &str) -> Option<(u32, String)> {
        let mut line = String::new();
        let file = private_files::open(&self.folder.join(name)).ok()?;
        BufReader::new(file.take(MAX_BYTES)).read_line(&mut line).ok()?;
        let (sum, text) = line.strip_suffix('\n').and_then(|line| line.split_once(' '))?;
        let sum = u32::from_str_radix(sum, 16).ok()?;
        (sum == crc32fast::hash(text.as_bytes())).then(|| (sum, text.to_owned()))
    }

    /// Returns the last announcement; `None` if none can be read.
    pub fn last(&self) -> Option<Announced> {
        if !self.folder.join(FILE).exists() {
            return None;
        }
        let read = self.read(FILE).and_then(|(_, text)| serde_json::from_str(&text).ok());
        let whole = read.and_then(|announced| self.with_folder(announced));
        if whole.is_none() {
            let path = self.folder.join(FILE);
            tracing::warn!("{} is damaged or of another version", path.display());
        }
        whole
    }

    /// Adds the states of the directory's files to an announcement that refers to them.
    fn with_folder(&self, mut announced: Announced) -> Option<Announced> {
        let Some(wanted) = announced.folder_sum.take() else { return Some(announced) };
        let (sum, text) = self.read(FOLDER_FILE)?;
        let files: BTreeMap<String, FileState> =
            serde_json::from_str(&text).ok().filter(|_| sum == wanted)?;
        for (path, state) in files {
            announced.before.entry(path).or_insert(Some(state));
        }
        for path in std::mem::take(&mut announced.unknown) {
            announced.before.remove(&path);
        }
        Some(announced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_is_read_again_and_what_is_damaged_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let announcements = Announcements::new(folder.path());
        assert_eq!(announcements.last(), None);
        let state = FileState { sha256: "0".repeat(64), size: 3, mode: None, is_lost: false };
        let mut announced = Announced {
            by: ChangedBy::Rewind { to_seq: None },
            turn_id: None,
            after_seq: Some(7),
            folders: Vec::new(),
            before: BTreeMap::from([("/w/a".to_owned(), Some(state)), ("/w/b".to_owned(), None)]),
            folder_sum: None,
            unknown: Vec::new(),
            after: BTreeMap::from([("/w/a".to_owned(), None)]),
        };
        announcements.put(&announced).unwrap();
        announced.after_seq = Some(8);
        announcements.put(&announced).unwrap();
        assert_eq!(announcements.last(), Some(announced.clone()));
        // A shorter one over a longer one, and vice versa.
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
        // The states of a directory's files come from the second file, if its checksum matches.
        let kept = FileState { sha256: "1".repeat(64), size: 1, mode: Some(0o644), is_lost: false };
        let files = BTreeMap::from([("/w/c".to_owned(), &kept), ("/w/d".to_owned(), &kept)]);
        let sum = announcements.put_folder(&files).unwrap();
        let unknown = vec!["/w/d".to_owned()];
        announcements
            .put(&Announced { folder_sum: Some(sum), unknown, ..announced.clone() })
            .unwrap();
        let before = BTreeMap::from([("/w/c".to_owned(), Some(kept.clone()))]);
        assert_eq!(announcements.last(), Some(Announced { before, ..announced.clone() }));
        announcements.put_folder(&BTreeMap::new()).unwrap();
        assert_eq!(announcements.last(), None, "other files");
        // An old one would be compared with what happened long ago.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(announcements.put(&announced).is_err());
    }
}
