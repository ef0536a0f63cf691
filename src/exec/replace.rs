//! Replacing files of this machine: new content is first laid beside the old, then put in its place.
//!
//! Blocking: not for an async thread. Invariant: a reader sees the old content or the new, unless the folder does not
//! allow a new file beside the old one; disk space is allocated before anything is replaced.
//!
//! A replaced file is closed later, on another thread: freeing the blocks of a large file takes longer than writing the new one.
#![expect(clippy::disallowed_methods, reason = "exec is where files are touched")]

use crate::disk;
use crate::exec::{After, Before, Error, FileContent, files};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Seek};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The mode of a new file before the user's mask; what `open` uses.
const NEW_FILE_MODE: u32 = 0o666;

/// The prefix of names of temporary files, which lie beside the files that they will replace.
const PREFIX: &str = ".pintle-";

/// New content that only has to be put in place.
pub(super) enum Staged<'a> {
    /// A file beside the old one, and the old one held open.
    Beside(NamedTempFile, Option<File>, &'a Path),
    /// The folder takes no new files, so the old one is written into.
    Into(&'a Path, &'a FileContent),
    Remove(&'a Path),
    Keep,
}

/// Gets ready what becomes of the file at a canonical path.
pub(super) fn stage<'a>(path: &'a Path, after: &'a After) -> Result<Staged<'a>, Error> {
    match after {
        After::Keep => Ok(Staged::Keep),
        After::Write(content) => beside(path, content),
        After::Remove => {
            let facts = std::fs::symlink_metadata(path).map_err(|e| Error::from_io(path, &e))?;
            if facts.is_dir() {
                return Err(Error::IsFolder(path.to_path_buf()));
            }
            Ok(Staged::Remove(path))
        }
    }
}

fn beside<'a>(path: &'a Path, content: &'a FileContent) -> Result<Staged<'a>, Error> {
    let failed = |error: io::Error| Error::from_io(path, &error);
    let old = match std::fs::metadata(path) {
        Ok(facts) if facts.is_dir() => return Err(Error::IsFolder(path.to_path_buf())),
        Ok(facts) if !facts.is_file() => return Err(Error::NotFile(path.to_path_buf())),
        Ok(facts) => Some(facts),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    // Renaming over a file needs no write permission for it; without that permission it must not be replaced either.
    let held = match &old {
        Some(_) => Some(OpenOptions::new().write(true).open(path).map_err(failed)?),
        None => None,
    };
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut temporary = match temporary_in(folder) {
        Ok(temporary) => temporary,
        Err(error) if old.is_none() && error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir_all(folder).map_err(|error| Error::from_io(folder, &error))?;
            temporary_in(folder).map_err(failed)?
        }
        Err(error) if old.is_some() && !may_create_beside(&error) => {
            return Ok(Staged::Into(path, content));
        }
        Err(error) => return Err(failed(error)),
    };
    content.write_to(temporary.as_file_mut()).map_err(failed)?;
    if let Some(facts) = old {
        temporary.as_file().set_permissions(facts.permissions()).map_err(failed)?;
    }
    Ok(Staged::Beside(temporary, held, path))
}

fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).permissions(Permissions::from_mode(NEW_FILE_MODE));
    loop {
        let temporary = builder.tempfile_in(folder)?;
        // The lock marks the file as being written. Another process's clean-up may have removed it between these two lines.
        let is_held = temporary.as_file().lock().is_ok();
        if !is_held || temporary.as_file().metadata()?.nlink() > 0 {
            return Ok(temporary);
        }
    }
}

/// Takes away files in a folder whose makers were killed before they could put them in place.
pub(super) fn tidy(folder: &Path) -> Result<(), Error> {
    let failed = |error: io::Error| Error::from_io(folder, &error);
    for entry in std::fs::read_dir(folder).map_err(failed)?.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_ours
            && is_file
            && let Ok(file) = disk::open(&entry.path())
            && file.try_lock().is_ok()
        {
            std::fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}

fn may_create_beside(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

impl Staged<'_> {
    /// Makes it so. Returns the replaced file: who closes it waits until its blocks are free, which for a large
    /// file takes longer than all the rest.
    pub(super) fn commit(self) -> Result<Option<File>, Error> {
        match self {
            Self::Keep => Ok(None),
            Self::Beside(temporary, held, path) => temporary
                .persist(path)
                .map(|_| held)
                .map_err(|error| Error::from_io(path, &error.error)),
            Self::Into(path, content) => OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|file| in_place(file, content))
                .map(|()| None)
                .map_err(|error| Error::from_io(path, &error)),
            Self::Remove(path) => files::remove(path).map(|()| None),
        }
    }
}

fn in_place(mut file: File, content: &FileContent) -> io::Result<()> {
    // Truncated afterwards, so that a full disk loses as little as possible.
    content.write_to(&mut file)?;
    let length = file.stream_position()?;
    file.set_len(length)
}

/// Puts all of it in place; when one fails, those before it are as they were. Returns the replaced files.
pub(super) fn commit_all(
    staged: Vec<Staged<'_>>,
    paths: &[PathBuf],
    before: &[Option<Before>],
) -> Result<Vec<File>, Error> {
    let mut replaced = Vec::new();
    for (done, staged) in staged.into_iter().enumerate() {
        let error = match staged.commit() {
            Ok(old) => {
                replaced.extend(old);
                continue;
            }
            Err(error) => error,
        };
        for (path, before) in paths.iter().zip(before).take(done + 1) {
            let is_as_before = files::before(path).is_ok_and(|now| {
                now.map(|now| now.content) == before.as_ref().map(|before| before.content.clone())
            });
            if is_as_before {
                continue;
            }
            let back = match before {
                Some(before) => After::Write(before.content.clone().into()),
                None => After::Remove,
            };
            if let Err(second) = stage(path, &back).and_then(Staged::commit) {
                let path = path.clone();
                let message =
                    format!("{error}; and its old content could not be put back: {second}");
                return Err(Error::Io { path, message });
            }
        }
        return Err(error);
    }
    Ok(replaced)
}

#[cfg(test)]
mod tests;
