//! Archived sessions: lists omit them unless requested. Nothing else differs.
//!
//! The mark is an empty file in the session's directory. It affects only lists, so it is not an event of the session.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::{Error, Store};
use pintle_base::private_files;
use pintle_protocol::ids::SessionId;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

const FILE: &str = "archived";

/// Returns true for an archived session's directory.
pub(super) fn is_archived(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

impl Store {
    /// Archives or unarchives a session, open or not.
    ///
    /// # Errors
    /// The session does not exist, or the write failed.
    pub fn archive(&self, id: &SessionId, archived: bool) -> Result<(), Error> {
        let path = self.folder(id)?.join(FILE);
        let done = if archived {
            private_files::write_private(&path, b"")
        } else {
            match fs::remove_file(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed,
            }
        };
        done.map_err(Error::io(&path))
    }
}
