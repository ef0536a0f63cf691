//! Changes in directories, for systems without reports that are complete at any time. macOS and Windows report changes a while after
//! they were made.

pub use crate::changes::Change;

use std::io;
use std::path::Path;

/// Identifies a watched directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Folder(());

/// Watches directories; there is none here.
#[derive(Debug)]
pub struct Watch(());

impl Watch {
    /// Returns `None`.
    ///
    /// # Errors
    /// None.
    pub fn on(_path: &Path) -> io::Result<Option<Self>> {
        Ok(None)
    }

    /// Returns false.
    ///
    /// # Errors
    /// None.
    pub fn is_whole(_folder: &Path) -> io::Result<bool> {
        Ok(false)
    }

    /// Returns 0.
    pub fn max_folders() -> usize {
        0
    }

    /// Fails.
    ///
    /// # Errors
    /// Always.
    pub fn add(&self, _folder: &Path) -> io::Result<Folder> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing.
    pub fn remove(&self, _folder: Folder) {}

    /// Returns that changes were lost.
    ///
    /// # Errors
    /// None.
    pub fn changes(&self) -> io::Result<Vec<Change<Folder>>> {
        Ok(vec![Change::Lost])
    }
}
