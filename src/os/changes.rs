//! What a watch of directories reports.

use std::ffi::OsString;

/// A change in a watched directory, which `F` identifies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<F> {
    /// An entry was created, written, renamed, removed, or given other metadata.
    Entry {
        /// The directory.
        folder: F,
        /// The entry's name.
        name: OsString,
        /// True if the entry is a directory.
        is_folder: bool,
    },
    /// Changes were lost, or a watched directory itself was moved, removed or unmounted.
    Lost,
}
