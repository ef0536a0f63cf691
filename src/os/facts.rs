//! File metadata that every system provides.

/// Metadata that the standard library only offers on some systems.
pub trait Facts {
    /// A number that differs between a file and its replacement: the inode, on Windows the creation time. Windows gives a file the creation
    /// time of one of the same name that was removed less than 15 s before, so compare the size and the other times, too.
    fn serial(&self) -> u64;

    /// The permission bits, at most `0o7777`. On Windows they are derived from the read-only flag.
    fn mode(&self) -> u32;

    /// When the content last changed: seconds since 1970, and nanoseconds.
    fn modified_at(&self) -> (i64, i64);

    /// When the content, a name or the permissions last changed: seconds since 1970, and nanoseconds. On Windows, the same as
    /// [`Facts::modified_at`].
    fn changed_at(&self) -> (i64, i64);

    /// Returns true if other users may read or write the file. Always false on Windows, where the directory's access list decides.
    fn is_open_to_others(&self) -> bool;

    /// Returns true if the file can be run. On Windows, the name decides.
    fn is_executable(&self) -> bool;
}

/// Identifies a file on this machine while it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The file system.
    pub device: u64,
    /// The file's number in it.
    pub number: u64,
}
