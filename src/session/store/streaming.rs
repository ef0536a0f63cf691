//! The text of streaming items, saved next to the journal: after a kill, the text that users have read is still available.
//!
//! One small file in the session's directory, replaced as a whole while an item streams and removed when none does. It is not part of the
//! truth: the journal contains the complete value of each item that has ended, and entries for those are ignored.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use pintle_base::private_files;
use pintle_os::replace;
use pintle_protocol::event::DeltaField;
use pintle_protocol::ids::ItemId;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const FILE: &str = "streaming.json";

/// The file while it is written.
const NEW_FILE: &str = "streaming.json.new";

/// The maximum file size: far more than all text that streams at once.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The text of one field of an item, as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamedText {
    /// The item.
    pub item_id: ItemId,
    /// The field.
    pub field: DeltaField,
    /// The text; of a very long one, its end.
    pub text: String,
}

/// A session's file.
#[derive(Debug)]
pub struct StreamingFile {
    folder: PathBuf,
    is_written: bool,
}

impl StreamingFile {
    /// Returns the file for the session in this directory.
    pub fn new(session: &Path) -> Self {
        Self { folder: session.to_owned(), is_written: false }
    }

    /// Replaces the stored texts.
    ///
    /// # Errors
    /// The write failed; the previous texts still exist.
    pub fn put(&mut self, texts: &[StreamedText]) -> io::Result<()> {
        let new = self.folder.join(NEW_FILE);
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            let mut file = private_files::open_private(&new, &mut options)?;
            file.write_all(&serde_json::to_vec(texts)?)?;
            replace::rename(&new, self.folder.join(FILE))
        };
        let written = write();
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        self.is_written |= written.is_ok();
        written
    }

    /// Removes the file, if this object has written it.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_written) {
            let _ = fs::remove_file(self.folder.join(FILE));
        }
    }

    /// Reads the texts saved by a killed engine. [`Self::clear`] removes them once the journal contains them.
    pub fn saved(&mut self) -> Vec<StreamedText> {
        let path = self.folder.join(FILE);
        let Ok(bytes) = private_files::read(&path, MAX_BYTES) else { return Vec::new() };
        self.is_written = true;
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!("{} is damaged or of another version: {error}", path.display());
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_cannot_be_written_the_texts_before_are_still_there() {
        let folder = tempfile::tempdir().unwrap();
        let text = |text: &str| StreamedText {
            item_id: ItemId::new("i"),
            field: DeltaField::Output,
            text: text.to_owned(),
        };
        let mut file = StreamingFile::new(folder.path());
        file.put(&[text("one")]).unwrap();
        // Simulates a full disk, also when the tests run as root.
        fs::create_dir_all(folder.path().join(NEW_FILE).join("in the way")).unwrap();
        assert!(file.put(&[text("one two")]).is_err());
        assert_eq!(StreamingFile::new(folder.path()).saved(), [text("one")]);
        file.clear();
        assert_eq!(StreamingFile::new(folder.path()).saved(), [], "and they go when the item ends");
    }

    #[test]
    fn what_was_saved_last_is_read_and_nothing_after_it_was_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let text = |text: &str| StreamedText {
            item_id: ItemId::new("i"),
            field: DeltaField::Text,
            text: text.to_owned(),
        };
        let mut file = StreamingFile::new(folder.path());
        file.put(&[text("one")]).unwrap();
        file.put(&[text("one two")]).unwrap();
        assert_eq!(StreamingFile::new(folder.path()).saved(), [text("one two")]);
        let is_there = || folder.path().join(FILE).exists();
        assert!(is_there(), "it stays until the journal holds it");
        file.clear();
        assert!(!is_there());
        assert_eq!(StreamingFile::new(folder.path()).saved(), []);
        fs::write(folder.path().join(FILE), "[{").unwrap();
        let mut damaged = StreamingFile::new(folder.path());
        assert_eq!(damaged.saved(), []);
        damaged.clear();
        assert!(!is_there());
    }
}
