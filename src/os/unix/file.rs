//! Metadata, permissions, and how files are opened.

pub use crate::facts::{Facts, Identity};

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The permission bits of private files.
const PRIVATE_FILE: u32 = 0o600;

/// The permission bits of a new file before the umask is applied, the same as with `open`.
const USUAL_FILE: u32 = 0o666;

/// The permission bits of folders that only their owner may enter.
const PRIVATE_FOLDER: u32 = 0o700;

impl Facts for Metadata {
    fn serial(&self) -> u64 {
        self.ino()
    }

    fn mode(&self) -> u32 {
        MetadataExt::mode(self) & 0o7777
    }

    fn modified_at(&self) -> (i64, i64) {
        (self.mtime(), self.mtime_nsec())
    }

    fn changed_at(&self) -> (i64, i64) {
        (self.ctime(), self.ctime_nsec())
    }

    fn is_open_to_others(&self) -> bool {
        Facts::mode(self) & 0o066 != 0
    }

    fn is_executable(&self) -> bool {
        self.is_file() && Facts::mode(self) & 0o111 != 0
    }
}

impl Identity {
    /// Returns an open file's identity.
    ///
    /// # Errors
    /// The system's.
    pub fn from_file(file: &File) -> io::Result<Self> {
        file.metadata().map(|facts| Self { device: facts.dev(), number: facts.ino() })
    }

    /// Identifies a file by its path, following links.
    ///
    /// # Errors
    /// The system's, such as for a missing file.
    pub fn at(path: &Path) -> io::Result<Self> {
        let facts = std::fs::metadata(path)?;
        Ok(Self { device: facts.dev(), number: facts.ino() })
    }
}

/// Returns the number of names of the file at a path, whose metadata is known.
pub fn links(_path: &Path, facts: &Metadata) -> u64 {
    facts.nlink()
}

/// Returns true if an open file has been removed.
///
/// # Errors
/// The system's.
pub fn is_removed(file: &File) -> io::Result<bool> {
    file.metadata().map(|facts| facts.nlink() == 0)
}

/// Makes `options` open without blocking on a named pipe, and without acquiring a controlling terminal.
pub fn never_wait(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY)
}

/// Like [`never_wait`]; a symbolic link at the path itself is an error.
pub fn never_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY | nix::libc::O_NOFOLLOW)
}

/// Makes `options` create files for their owner alone.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(PRIVATE_FILE)
}

/// Returns a builder of folders for their owner alone.
pub fn private_folders() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(PRIVATE_FOLDER);
    builder
}

/// Makes `builder` create folders for their owner alone, whatever the umask is.
pub fn as_private_folder<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder.permissions(Permissions::from_mode(PRIVATE_FOLDER))
}

/// Makes `builder` create files with default permissions instead of private ones.
pub fn as_usual_file<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder.permissions(Permissions::from_mode(USUAL_FILE))
}

/// Gives a file these permission bits.
///
/// # Errors
/// The file belongs to another user, or does not exist.
pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Removes all permissions of other users from a file or directory. A world-writable directory with the sticky bit, such as `/tmp`, is
/// shared on purpose and is left alone.
///
/// # Errors
/// The permissions cannot be changed, because another user owns the file.
pub fn tighten(path: &Path) -> io::Result<()> {
    const STICKY: u32 = 0o1000;
    const OTHERS: u32 = 0o077;
    let facts = std::fs::symlink_metadata(path)?;
    let mode = Facts::mode(&facts);
    let is_shared = facts.is_dir() && mode & STICKY != 0;
    let is_private = mode & OTHERS == 0;
    if facts.is_symlink() || is_shared || is_private {
        return Ok(());
    }
    std::fs::set_permissions(path, Permissions::from_mode(mode & 0o7700))
}

/// Returns true for a file that others than its owner may read.
pub fn is_readable_by_others(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|facts| facts.is_file() && Facts::mode(&facts) & 0o044 != 0)
}

/// Opens a file.
///
/// # Errors
/// The system's, such as [`io::ErrorKind::IsADirectory`] for a directory that is to be written.
pub fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}

/// Creates a symbolic link to a file.
///
/// # Errors
/// The system's.
pub fn link_to_file(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}
