//! Directories that are kept open, so that they cannot be replaced on the way to what lies in them.
//!
//! Windows has no paths through open handles. A directory that is open without the right to delete it cannot be renamed or removed, though,
//! and neither can those above it; so a canonical path means the same until the handle is closed.

use super::errors;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::OwnedHandle;
use std::path::{Path, PathBuf};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_LIST_DIRECTORY,
    FILE_READ_ATTRIBUTES, FILE_SHARE_READ, FILE_SHARE_WRITE,
};

/// An open directory or file, for the names that begin there.
pub type Held = OwnedHandle;

/// Resolves a path, the missing end of which stays as it is.
pub type Canonicalize = fn(&Path) -> Option<PathBuf>;

/// Opens the directory at a canonical path, for the names in it.
///
/// # Errors
/// The system's; [`errors::is_link`] for a path with a symbolic link or a junction.
pub fn open(path: &Path, canonicalize: Canonicalize) -> io::Result<Held> {
    let held = open_below(path)?;
    if canonicalize(path).is_some_and(|real| real != path) {
        return Err(errors::link());
    }
    Ok(held)
}

/// Opens a canonical path so that it cannot be replaced.
///
/// # Errors
/// Those of [`open`].
pub fn open_to_name(path: &Path, canonicalize: Canonicalize) -> io::Result<Held> {
    let held = OpenOptions::new()
        .access_mode(FILE_READ_ATTRIBUTES)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    if canonicalize(path).is_some_and(|real| real != path) {
        return Err(errors::link());
    }
    Ok(held.into())
}

/// Opens a canonical path for reading.
///
/// # Errors
/// Those of [`open`].
pub fn open_to_read(path: &Path, canonicalize: Canonicalize) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    if canonicalize(path).is_some_and(|real| real != path) {
        return Err(errors::link());
    }
    Ok(file)
}

/// Opens the directory with this name, which is no link.
///
/// # Errors
/// The system's.
pub fn open_below(path: &Path) -> io::Result<Held> {
    let held = OpenOptions::new()
        .access_mode(FILE_LIST_DIRECTORY)
        .share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
        .open(path)?;
    let facts = held.metadata()?;
    if facts.is_symlink() {
        return Err(errors::link());
    }
    if !facts.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(held.into())
}

/// Returns `None`: there are no paths through handles.
pub fn by_descriptor(_held: &Held) -> Option<PathBuf> {
    None
}

/// Does nothing: the file system logs renames itself.
///
/// # Errors
/// None.
pub fn sync(_path: &Path) -> io::Result<()> {
    Ok(())
}
