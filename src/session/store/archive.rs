//! Archived sessions: lists leave them out unless they are asked for. Nothing else differs.
//!
//! An empty file in the session's folder says so. It is about lists alone, so it is no event of the session.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::{Error, Store};
use pintle_base::disk;
use pintle_protocol::ids::SessionId;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

const FILE: &str = "archived";

/// Returns true for the folder of an archived session.
pub(super) fn is_archived(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

impl Store {
    /// Archives a session, open or not, or takes it back.
    ///
    /// # Errors
    /// It does not exist, or the disk failed.
    pub fn archive(&self, id: &SessionId, archived: bool) -> Result<(), Error> {
        let path = self.folder(id)?.join(FILE);
        let done = if archived {
            disk::write_private(&path, b"")
        } else {
            match fs::remove_file(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed,
            }
        };
        done.map_err(Error::io(&path))
    }
}
