//! Changes in directories, where the system has no reports that are complete at any time. macOS and Windows report changes a while after
//! they were made.

pub use crate::changes::Change;

use std::io;
use std::path::Path;

/// Identifies a watched directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Folder {}

/// Watches directories: never here.
#[derive(Debug)]
pub enum Watch {}

impl Watch {
    /// Returns `None`.
    ///
    /// # Errors
    /// None.
    pub fn on(_path: &Path) -> io::Result<Option<Self>> {
        Ok(None)
    }

    /// Returns 0.
    pub fn max_folders() -> usize {
        0
    }

    /// Watches a directory.
    ///
    /// # Errors
    /// None.
    pub fn add(&self, _folder: &Path) -> io::Result<Folder> {
        match *self {}
    }

    /// Stops watching a directory.
    pub fn remove(&self, _folder: Folder) {
        match *self {}
    }

    /// Returns all changes since the last call.
    ///
    /// # Errors
    /// None.
    pub fn changes(&self) -> io::Result<Vec<Change<Folder>>> {
        match *self {}
    }
}
