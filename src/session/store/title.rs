//! A session's title in a small file next to its journal, so that lists need not read the journal.
//!
//! The journal is the truth and this file a copy, written by the lock's owner. Without the file a session has its original title; an empty
//! file means that the title was removed.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::{Error, Journal};
use pintle_base::private_files;
use pintle_os::replace;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

const FILE: &str = "title";

/// The maximum size; a longer file is not a title and is not read to its end.
const MAX_BYTES: u64 = 4096;

impl Journal {
    /// Stores the current title for lists. The old one stays until the new one is complete.
    ///
    /// # Errors
    /// The disk failed; lists show the old title.
    pub fn keep_title(&self, title: Option<&str>) -> Result<(), Error> {
        let path = self.folder().join(FILE);
        let fresh = self.folder().join(format!("{FILE}.new"));
        let written = private_files::write_private(&fresh, title.unwrap_or_default().as_bytes());
        let moved = written.and_then(|()| replace::rename(&fresh, &path));
        // Readers of the journal detect the change by its modification time.
        let touched = moved.and_then(|()| self.touch(fs::metadata(&path)?.modified()?));
        touched.map_err(Error::io(&path))
    }
}

/// Returns the last title, empty if it was removed; `None` if it never changed.
pub(super) fn read(folder: &Path) -> Option<String> {
    let mut text = String::new();
    let file = match private_files::open(&folder.join(FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::debug!("the title in {}: {error}", folder.display());
            return None;
        }
    };
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text.lines().next().unwrap_or_default().trim().to_owned())
}
