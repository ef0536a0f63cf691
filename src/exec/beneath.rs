//! Access to canonical paths without following symbolic links.
//!
//! A path is resolved when a call is decided, and a background command may place a link on it before the file is opened. The command may be
//! confined, but the engine is not. So the engine opens the parent directory without following links, keeps it open, and names files
//! relative to it: a link that appears later leads nowhere else.
//!
//! Blocking: not for an async thread. If the kernel lacks support for this (not Linux, Linux before 5.6, no `/proc`), the path is resolved
//! once more immediately before use.

use crate::{Error, files};
use pintle_os::folder::{self, Held};
use pintle_os::{errors, file};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file, or the place for one: a name in a directory that is kept open.
#[derive(Debug)]
pub(super) struct Pinned {
    /// The canonical path, for messages and versions.
    path: PathBuf,
    /// The directory's path through its descriptor, or its plain path if that is not possible.
    folder: PathBuf,
    /// The file in that directory.
    at: PathBuf,
    /// Keeps the descriptor open that `folder` and `at` refer to.
    _held: Arc<Held>,
}

/// The directories of pinned paths: files in the same directory share a descriptor, since a process has few.
#[derive(Debug, Default)]
pub(super) struct Folders(HashMap<PathBuf, Arc<Held>>);

impl Folders {
    /// Pins a canonical path. Returns `None` if its directory does not exist.
    pub(super) fn find(&mut self, path: &Path) -> Result<Option<Pinned>, Error> {
        let (folder, name) = parts(path)?;
        if let Some(held) = self.0.get(folder) {
            return Ok(Some(Pinned::new(path, folder, name, Arc::clone(held))));
        }
        match open_folder(folder) {
            Ok(held) => {
                let held = Arc::new(held);
                self.0.insert(folder.to_path_buf(), Arc::clone(&held));
                Ok(Some(Pinned::new(path, folder, name, held)))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(path, &error)),
        }
    }

    /// Pins a canonical path, and creates its parent directories.
    pub(super) fn make(&mut self, path: &Path) -> Result<Pinned, Error> {
        if let Some(pinned) = self.find(path)? {
            return Ok(pinned);
        }
        let (folder, name) = parts(path)?;
        let above = self.make(folder)?;
        match DirBuilder::new().create(above.at()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(folder, &error));
            }
            Ok(()) | Err(_) => {}
        }
        let held = Arc::new(above.open_as_folder().map_err(|error| failed(folder, &error))?);
        self.0.insert(folder.to_path_buf(), Arc::clone(&held));
        Ok(Pinned::new(path, folder, name, held))
    }
}

impl Pinned {
    fn new(path: &Path, folder: &Path, name: &OsStr, held: Arc<Held>) -> Self {
        let folder = folder::by_descriptor(&held).unwrap_or_else(|| folder.to_path_buf());
        Self { path: path.to_path_buf(), at: folder.join(name), folder, _held: held }
    }

    /// Returns the canonical path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a path to the file that works while this value lives. Its last part may be a link.
    pub(super) fn at(&self) -> &Path {
        &self.at
    }

    /// Returns a path to the directory that is valid while this value lives.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the file itself.
    pub(super) fn open(&self, options: &mut OpenOptions) -> io::Result<File> {
        file::open(file::never_follow(options), &self.at)
    }

    fn open_as_folder(&self) -> io::Result<Held> {
        folder::open_below(&self.at)
    }

    /// Returns the file's metadata, without following a link.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        let facts = std::fs::symlink_metadata(&self.at)?;
        if facts.is_symlink() { Err(errors::link()) } else { Ok(facts) }
    }
}

/// Splits a path into its parent directory and last component.
fn parts(path: &Path) -> Result<(&Path, &OsStr), Error> {
    files::must_be_usable(path)?;
    path.parent().zip(path.file_name()).ok_or_else(|| Error::IsFolder(path.to_path_buf()))
}

/// Returns the error for a failed operation on a canonical path.
pub(super) fn failed(path: &Path, error: &io::Error) -> Error {
    if errors::is_link(error) {
        return Error::Link(path.to_path_buf());
    }
    Error::from_io(path, error)
}

/// Opens the directory at a canonical path, for the names in it.
pub(super) fn open_folder(path: &Path) -> io::Result<Held> {
    folder::open(path, canonical)
}

/// Opens a canonical path so that it can be named by its descriptor.
pub(super) fn open_to_name(path: &Path) -> io::Result<Held> {
    folder::open_to_name(path, canonical)
}

/// Opens a canonical path for reading, without blocking.
pub(super) fn open_to_read(path: &Path) -> io::Result<File> {
    folder::open_to_read(path, canonical)
}

fn canonical(path: &Path) -> Option<PathBuf> {
    files::canonicalize(path).ok()
}

/// Returns a path to a directory through its descriptor; `None` where the system has no such paths.
pub(super) fn by_descriptor(held: &Held) -> Option<PathBuf> {
    folder::by_descriptor(held)
}
