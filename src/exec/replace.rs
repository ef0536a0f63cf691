//! Replaces files on this machine: new content is first written next to the old, then moved into its place.
//!
//! Blocking: not for an async thread. Invariant: a reader sees the old content or the new; disk space is allocated before anything is
//! replaced. A file is written in place only if the directory accepts no new file, if the file is a mount point, or if replacing it would
//! lose other names, an owner or an attribute.
//!
//! Other programs may write at any time, and nothing prevents them. So a file is checked immediately before it is replaced, and the
//! replaced one immediately afterwards. If it changed before, nothing is written; later writes to the replaced file are restored, or
//! appended if they were appends.
//!
//! A replaced file is closed later, on another thread: freeing a large file's blocks takes longer than writing the new one.
#![expect(clippy::disallowed_methods, reason = "exec is where files are touched")]

use crate::beneath::{self, Pinned};
use crate::{After, Before, Error, FileContent, Version, files};
use pintle_base::private_files;
use pintle_os::file::{self, Facts};
use pintle_os::lock;
use pintle_os::replace as os;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;
use tempfile::NamedTempFile;

/// Temporary files start with this. They are created next to the files they will replace.
const PREFIX: &str = ".pintle-";

/// New content that only has to be put in place.
pub(super) enum Staged<'a> {
    /// A file next to the old one, and the old one kept open.
    Beside(NamedTempFile, Option<File>, &'a Pinned, &'a FileContent),
    /// The old file cannot be replaced, or not without loss, so it is written into.
    Into(&'a Pinned, &'a FileContent),
    Remove(&'a Pinned),
    Keep,
}

/// Stages a file's new state.
pub(super) fn stage<'a>(pinned: &'a Pinned, after: &'a After) -> Result<Staged<'a>, Error> {
    match after {
        After::Keep => Ok(Staged::Keep),
        After::Write(content) => beside(pinned, content),
        After::Remove => {
            let facts = pinned.metadata().map_err(|e| beneath::failed(pinned.path(), &e))?;
            if facts.is_dir() {
                return Err(Error::IsFolder(pinned.path().to_path_buf()));
            }
            Ok(Staged::Remove(pinned))
        }
    }
}

fn beside<'a>(pinned: &'a Pinned, content: &'a FileContent) -> Result<Staged<'a>, Error> {
    let path = pinned.path();
    let failed = |error: io::Error| beneath::failed(path, &error);
    let old = match pinned.metadata() {
        Ok(facts) if facts.is_dir() => return Err(Error::IsFolder(path.to_path_buf())),
        Ok(facts) if !facts.is_file() => return Err(Error::NotFile(path.to_path_buf())),
        Ok(facts) => Some(facts),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    // Renaming over a file needs no write permission for it; without that permission it must not be replaced either.
    let held = match &old {
        Some(_) => Some(pinned.open(OpenOptions::new().read(true).write(true)).map_err(failed)?),
        None => None,
    };
    if old.as_ref().is_some_and(|facts| file::links(pinned.at(), facts) > 1) {
        return Ok(Staged::Into(pinned, content));
    }
    let mut temporary = match temporary_in(pinned.folder()) {
        Ok(temporary) => temporary,
        Err(error) if old.is_some() && !may_create_beside(&error) => {
            return Ok(Staged::Into(pinned, content));
        }
        Err(error) => return Err(failed(error)),
    };
    content.write_to(temporary.as_file_mut()).map_err(failed)?;
    if let (Some(facts), Some(old)) = (&old, &held)
        && !os::take_over(old, facts, temporary.as_file()).map_err(failed)?
    {
        return Ok(Staged::Into(pinned, content));
    }
    Ok(Staged::Beside(temporary, held, pinned, content))
}

fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    file::as_usual_file(builder.prefix(PREFIX));
    loop {
        let temporary = builder.tempfile_in(folder)?;
        // The lock marks the file as being written. Another process's clean-up may have removed it between these two lines.
        let is_held = lock::lock(temporary.as_file()).is_ok();
        if !is_held || !file::is_removed(temporary.as_file())? {
            return Ok(temporary);
        }
    }
}

/// Removes files from a directory whose creators were killed before they could move them into place.
pub(super) fn tidy(folder: &Path) -> Result<(), Error> {
    let failed = |error: io::Error| Error::from_io(folder, &error);
    for entry in std::fs::read_dir(folder).map_err(failed)?.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_ours
            && is_file
            && let Ok(file) = private_files::open(&entry.path())
            && lock::try_lock(&file).is_ok()
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
            Self::Beside(temporary, mut held, pinned, content) => {
                match os::put(temporary, pinned.at(), &mut held) {
                    Ok(()) => Ok(held),
                    // A mount point, such as a single file of a container.
                    Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                        in_place(pinned, content).map(|()| None)
                    }
                    Err(error) => Err(Error::from_io(pinned.path(), &error)),
                }
            }
            Self::Into(pinned, content) => in_place(pinned, content).map(|()| None),
            Self::Remove(pinned) => {
                let removed = std::fs::remove_file(pinned.at());
                removed.map_err(|error| Error::from_io(pinned.path(), &error))?;
                Ok(None)
            }
        }
    }
}

fn in_place(pinned: &Pinned, content: &FileContent) -> Result<(), Error> {
    let write = || {
        let mut file = pinned.open(OpenOptions::new().write(true))?;
        // Truncated afterwards, so that a full disk loses as little as possible.
        content.write_to(&mut file)?;
        let length = file.stream_position()?;
        file.set_len(length)
    };
    write().map_err(|error| beneath::failed(pinned.path(), &error))
}

/// The time for a program that has opened a file to write to it, in a file that was written to lately.
const LATE_WRITE: Duration = Duration::from_millis(2);

/// A file that was written to so shortly before may be written to at any moment.
const LATELY_SECONDS: i64 = 2;

impl Staged<'_> {
    /// Like [`Staged::commit`], if the file is still in the state that was seen.
    fn commit_if(self, seen: Option<&Version>) -> Result<Option<File>, Error> {
        let pinned = match &self {
            Self::Keep => return Ok(None),
            Self::Beside(_, _, pinned, _) | Self::Into(pinned, _) | Self::Remove(pinned) => *pinned,
        };
        let changed = || Error::Changed(pinned.path().to_path_buf());
        match (files::version_of(pinned), seen) {
            (Err(error @ Error::Link(_)), _) => return Err(error),
            // A removed file contains nothing that could be lost.
            (Err(_), _) => {}
            (Ok(now), Some(seen)) if now == *seen => {}
            (Ok(_), _) => return Err(changed()),
        }
        let base = match &self {
            Self::Beside(_, _, _, content) => content.base(),
            Self::Into(..) | Self::Remove(_) | Self::Keep => None,
        };
        let Some(old) = self.commit()? else { return Ok(None) };
        if is_late(&old, pinned, seen).unwrap_or(false) {
            keep_late(&old, pinned, base)?;
        }
        Ok(Some(old))
    }
}

/// Keeps data written to a file after it had been replaced; `base` is the content from which the change started.
fn keep_late(old: &File, pinned: &Pinned, base: Option<&[u8]>) -> Result<(), Error> {
    let failed = |error: io::Error| beneath::failed(pinned.path(), &error);
    let (mut late, mut reader) = (Vec::new(), old);
    reader.rewind().and_then(|()| reader.read_to_end(&mut late)).map_err(failed)?;
    if let Some(more) = base.and_then(|base| late.strip_prefix(base)) {
        // A log line: it follows the new content, and the change is kept.
        let file = pinned.open(OpenOptions::new().append(true));
        return file.and_then(|mut file| file.write_all(more)).map_err(failed);
    }
    stage(pinned, &After::Write(late.into())).and_then(Staged::commit)?;
    Err(Error::Changed(pinned.path().to_path_buf()))
}

/// Returns true if a process that had opened the file before it was replaced wrote to it after it was seen.
fn is_late(old: &File, pinned: &Pinned, seen: Option<&Version>) -> io::Result<bool> {
    let Some(seen) = seen else { return Ok(false) };
    let is_other =
        || old.metadata().map(|facts| files::version(pinned.path().to_path_buf(), &facts) != *seen);
    if is_other()? {
        return Ok(true);
    }
    // Both times come from the file system's clock.
    let age = pinned.metadata()?.modified_at().0 - old.metadata()?.modified_at().0;
    if age > LATELY_SECONDS {
        return Ok(false);
    }
    std::thread::sleep(LATE_WRITE);
    is_other()
}

/// Puts all of it in place; when one fails, those before it are as they were. With the versions that were `seen`, a file
/// that is in another state is not replaced. Returns the replaced files.
pub(super) fn commit_all(
    staged: Vec<Staged<'_>>,
    pins: &[Option<Pinned>],
    before: &[Option<Before>],
    seen: Option<&[Option<Version>]>,
) -> Result<Vec<File>, Error> {
    let mut replaced = Vec::new();
    for (done, staged) in staged.into_iter().enumerate() {
        let committed = match seen {
            None => staged.commit(),
            Some(seen) => staged.commit_if(seen.get(done).and_then(Option::as_ref)),
        };
        let error = match committed {
            Ok(old) => {
                replaced.extend(old);
                continue;
            }
            Err(error) => error,
        };
        // Files written by others are kept.
        let touched = done + usize::from(!matches!(error, Error::Changed(_)));
        for (pinned, before) in pins.iter().zip(before).take(touched) {
            let Some(pinned) = pinned else { continue };
            let is_as_before = files::before(pinned).is_ok_and(|now| {
                now.map(|now| now.content) == before.as_ref().map(|before| before.content.clone())
            });
            if is_as_before {
                continue;
            }
            let back = match before {
                Some(before) => After::Write(before.content.clone().into()),
                None => After::Remove,
            };
            if let Err(second) = stage(pinned, &back).and_then(Staged::commit) {
                let path = pinned.path().to_path_buf();
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
