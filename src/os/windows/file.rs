//! Metadata, permissions, and how files are opened.
//!
//! Windows has no permission bits: a file's mode is made of its read-only flag. What is private is so by its access list.

pub use crate::facts::{Facts, Identity};

use super::access::OwnerOnly;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
};

/// The time from 1601, when Windows' time begins, to 1970, in units of 100 ns.
const EPOCH: i64 = 116_444_736_000_000_000;

/// The units of Windows' time in a second.
const UNITS: i64 = 10_000_000;

impl Facts for Metadata {
    fn serial(&self) -> u64 {
        self.creation_time()
    }

    fn mode(&self) -> u32 {
        match (self.is_dir(), self.permissions().readonly()) {
            (true, _) => 0o755,
            (false, true) => 0o444,
            (false, false) => 0o644,
        }
    }

    fn modified_at(&self) -> (i64, i64) {
        let units = i64::try_from(self.last_write_time()).unwrap_or(i64::MAX) - EPOCH;
        (units.div_euclid(UNITS), units.rem_euclid(UNITS) * 100)
    }

    fn changed_at(&self) -> (i64, i64) {
        self.modified_at()
    }

    fn is_open_to_others(&self) -> bool {
        false
    }

    fn is_executable(&self) -> bool {
        self.is_file()
    }
}

impl Identity {
    /// Returns an open file's identity.
    ///
    /// # Errors
    /// The system's.
    pub fn from_file(file: &File) -> io::Result<Self> {
        let facts = winapi_util::file::information(file)?;
        Ok(Self { device: facts.volume_serial_number(), number: facts.file_index() })
    }

    /// Returns the identity of the file at a path, following links.
    ///
    /// # Errors
    /// The system's, such as for a missing file.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::from_file(&for_facts(path)?)
    }
}

/// Opens a file or directory for its metadata.
fn for_facts(path: &Path) -> io::Result<File> {
    OpenOptions::new().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
}

/// Returns the number of names of the file at a path, whose metadata is known.
pub fn links(path: &Path, facts: &Metadata) -> u64 {
    if facts.is_dir() {
        return 1;
    }
    let found = for_facts(path).and_then(winapi_util::file::information);
    found.map_or(1, |facts| facts.number_of_links())
}

/// Returns true if an open file has been removed.
///
/// # Errors
/// The system's.
pub fn is_removed(file: &File) -> io::Result<bool> {
    winapi_util::file::information(file).map(|facts| facts.number_of_links() == 0)
}

/// Does nothing: opening a file never waits here.
pub fn never_wait(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Makes `options` open a link itself, which is no regular file.
pub fn never_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
}

/// Does nothing: a file gets the access list of its directory.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Creates folders for their owner alone.
#[derive(Debug, Default)]
pub struct PrivateFolders {
    is_recursive: bool,
}

/// Returns a builder of folders for their owner alone.
pub fn private_folders() -> PrivateFolders {
    PrivateFolders::default()
}

impl PrivateFolders {
    /// Sets whether parents are created, too; then an existing folder is no error.
    pub fn recursive(&mut self, is_recursive: bool) -> &mut Self {
        self.is_recursive = is_recursive;
        self
    }

    /// Creates a folder. Existing ones are left as they are.
    ///
    /// # Errors
    /// The system's.
    pub fn create(&self, path: &Path) -> io::Result<()> {
        if self.is_recursive && path.is_dir() {
            return Ok(());
        }
        if let (true, Some(parent)) = (self.is_recursive, path.parent())
            && !parent.as_os_str().is_empty()
        {
            self.create(parent)?;
        }
        match std::fs::create_dir(path) {
            // Another process was faster.
            Err(_) if self.is_recursive && path.is_dir() => Ok(()),
            Err(error) => Err(error),
            Ok(()) => OwnerOnly::new()?.apply(path),
        }
    }
}

/// Does nothing: a folder inherits the access list of its parent.
pub fn as_private_folder<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// Does nothing: a file gets the access list of its directory.
pub fn as_usual_file<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// Gives a file these permission bits, of which Windows knows whether the file may be written.
///
/// # Errors
/// The system's.
pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    let facts = std::fs::metadata(path)?;
    if facts.is_dir() {
        return Ok(());
    }
    let mut permissions = facts.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    std::fs::set_permissions(path, permissions)
}

/// Gives a file or directory to its owner alone.
///
/// # Errors
/// It belongs to another user.
pub fn tighten(path: &Path) -> io::Result<()> {
    if std::fs::symlink_metadata(path)?.is_symlink() {
        return Ok(());
    }
    OwnerOnly::new()?.apply(path)
}

/// Returns false: a file in the user's profile is theirs alone, unless they shared it.
pub fn is_readable_by_others(_path: &Path) -> bool {
    false
}

/// Opens a file.
///
/// # Errors
/// The system's; [`io::ErrorKind::IsADirectory`] for a directory, for which Windows itself reports a denied access.
pub fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path).map_err(|error| {
        if error.kind() == io::ErrorKind::PermissionDenied && path.is_dir() {
            io::Error::new(io::ErrorKind::IsADirectory, "is a directory")
        } else {
            error
        }
    })
}

/// Creates a symbolic link to a file.
///
/// # Errors
/// The system's: Windows allows it to administrators, and to all users in developer mode.
pub fn link_to_file(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(target, link)
}
