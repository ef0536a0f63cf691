//! A session's title in a small file beside its journal, so that lists need not read the journal for it.
//!
//! The journal is the truth and this a copy, written by the holder of the lock. Without the file a session has the title that it
//! was made with; an empty one says that its title was taken away.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::{Error, Journal};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

const FILE: &str = "title";

/// A title is far shorter; a longer file is somebody else's and is not read to its end.
const MAX_BYTES: u64 = 4096;

impl Journal {
    /// Keeps the newest title for lists. The old one stands there until the new one is whole.
    ///
    /// # Errors
    /// The disk said no; lists show the old title.
    pub fn keep_title(&self, title: Option<&str>) -> Result<(), Error> {
        let path = self.folder().join(FILE);
        let fresh = self.folder().join(format!("{FILE}.new"));
        let written = fs::write(&fresh, title.unwrap_or_default());
        let moved = written.and_then(|()| fs::rename(&fresh, &path));
        // Who has read the journal's lines sees by its time that there is something new.
        let told = moved.and_then(|()| self.touch(fs::metadata(&path)?.modified()?));
        told.map_err(Error::io(&path))
    }
}

/// The title that was given last, empty where it was taken away; `None` where nothing was said since the session was made.
pub(super) fn read(folder: &Path) -> Option<String> {
    let mut text = String::new();
    let file = match File::open(folder.join(FILE)) {
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
