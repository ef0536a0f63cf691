//! The ledger of files that a session's model has seen, so that nothing unknown to it is overwritten.
//!
//! One ledger for each session. Invariant: a file counts as known only in the exact state in which it was read or
//! written.
//!
//! It has a lock, since the calls of one reply run concurrently; each is done with it at once.

use crate::exec::{Updated, Version};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The states of files that a session has read or written. Clones are the same ledger.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<HashMap<PathBuf, Version>>>);

/// The changes that require that the file was read before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadFirst {
    /// None.
    Never,
    /// Replacing the whole of an existing file. An edit proves by its match that its text was known.
    #[default]
    Overwrite,
    /// Every change of an existing file.
    Always,
}

/// The rules by name.
pub const READ_FIRST: [(&str, ReadFirst); 3] = [
    ("never", ReadFirst::Never),
    ("overwrite", ReadFirst::Overwrite),
    ("always", ReadFirst::Always),
];

/// The session's knowledge of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// This very state.
    Now,
    /// An earlier state.
    Before,
    /// Nothing.
    Never,
}

impl Ledger {
    /// Some of a file was read.
    pub(super) fn read(&self, version: Version) {
        self.with(|seen| seen.insert(version.path.clone(), version));
    }

    /// The whole file was written.
    pub(super) fn wrote(&self, updated: &Updated) {
        self.read(updated.after.clone());
    }

    /// A part of a file was changed: who knew the rest still does.
    pub(super) fn edited(&self, before: Option<&Version>, after: &Version) {
        if before.is_none_or(|before| self.knows(before) == Knowledge::Now) {
            self.read(after.clone());
        }
    }

    pub(super) fn knows(&self, version: &Version) -> Knowledge {
        self.with(|seen| match seen.get(&version.path) {
            None => Knowledge::Never,
            Some(known) if known == version => Knowledge::Now,
            Some(_) => Knowledge::Before,
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<PathBuf, Version>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
