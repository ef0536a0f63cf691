//! What a session is about to do to files, written down before it does it: after a kill, the files can be compared with what they were.
//!
//! One small file in the session's folder, each announcement in the place of the last. It is no part of the truth: the journal says
//! whether what was announced has ended, and without this file a cut change is only not told. Invariant: it is whole or not there.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use pintle_protocol::files::{ChangedBy, FileState};
use pintle_protocol::ids::TurnId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "announced.json";

/// A change of files that begins now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Announced {
    /// Who makes it.
    pub by: ChangedBy,
    /// The turn that it belongs to, if it belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The number of the journal's last event then, where no call tells the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// The folder in which anything may change; none where only the files below may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The files as they are now, by path; of a folder, all of them.
    pub before: BTreeMap<String, Option<FileState>>,
    /// The hashes of what files shall hold, where a change that is cut is taken back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, Option<String>>,
}

/// Where a session announces. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Announcements {
    folder: PathBuf,
}

impl Announcements {
    /// Those of the session in this folder.
    pub fn of(session: &Path) -> Self {
        Self { folder: session.to_owned() }
    }

    /// Writes one down, in the place of the last.
    ///
    /// # Errors
    /// The disk said no; there is none then, since the last one has ended.
    pub fn put(&self, announced: &Announced) -> io::Result<()> {
        let (path, fresh) = (self.folder.join(FILE), self.folder.join(format!("{FILE}.new")));
        let text = serde_json::to_vec(announced)?;
        let written = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, &path));
        if written.is_err() {
            let _ = fs::remove_file(&fresh);
            let _ = fs::remove_file(&path);
        }
        written
    }

    /// The last one; none where there is none that can be read.
    pub fn last(&self) -> Option<Announced> {
        let text = fs::read(self.folder.join(FILE)).ok()?;
        serde_json::from_slice(&text)
            .inspect_err(|error| tracing::warn!("{}: {error}", self.folder.join(FILE).display()))
            .ok()
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
            folder: None,
            before: BTreeMap::from([("/w/a".to_owned(), Some(state)), ("/w/b".to_owned(), None)]),
            after: BTreeMap::from([("/w/a".to_owned(), None)]),
        };
        announcements.put(&announced).unwrap();
        announced.after_seq = Some(8);
        announcements.put(&announced).unwrap();
        assert_eq!(announcements.last(), Some(announced.clone()));
        for (name, damage) in [("zeros", vec![0; 50]), ("a part", b"{\"by\":".to_vec())] {
            fs::write(folder.path().join(FILE), damage).unwrap();
            assert_eq!(announcements.last(), None, "{name}");
        }
        // An old one would be compared with what happened long ago.
        fs::create_dir(folder.path().join(format!("{FILE}.new"))).unwrap();
        assert!(announcements.put(&announced).is_err());
        assert!(!folder.path().join(FILE).exists());
    }
}
