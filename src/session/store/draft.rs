//! A session that is being created: its directory has a name that lists skip until its first events are complete. On Windows, where a
//! directory with open files cannot be renamed, it has its name from the beginning, and a file in it that makes lists skip it.
//!
//! So a kill while a session is created or forked leaves no partial session. Leftovers are removed when the next session is created in the
//! same place.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::lock::Holder;
use super::{Error, Journal, lock};
use pintle_base::private_files;
use pintle_os::System;
use pintle_protocol::ids::SessionId;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

/// The prefix of draft directory names.
const PREFIX: &str = ".new-";

/// The file that marks a draft where directories cannot be renamed.
const MARKER: &str = "draft";

/// True where drafts are marked and not renamed.
const IS_MARKED: bool = matches!(System::CURRENT, System::Windows);

/// A younger directory may belong to a process that has not locked it yet.
const GRACE: Duration = Duration::from_secs(60);

/// Returns the directory in which to create a session that will get this name.
pub(super) fn folder(final_folder: &Path) -> PathBuf {
    if IS_MARKED {
        return final_folder.to_path_buf();
    }
    let name = final_folder.file_name().unwrap_or_default().to_string_lossy();
    final_folder.with_file_name(format!("{PREFIX}{name}"))
}

/// Creates a draft's directory.
pub(super) fn create(folder: &Path) -> io::Result<()> {
    private_files::create_private_folder(folder)?;
    if IS_MARKED { private_files::write_private(&folder.join(MARKER), b"") } else { Ok(()) }
}

/// Returns true if a directory is a published session's.
pub(super) fn is_shown(folder: &Path) -> bool {
    let is_named =
        folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    !(is_named || IS_MARKED && folder.join(MARKER).exists())
}

/// Removes leftovers of killed processes next to this directory.
pub(super) fn tidy(folder: &Path) {
    let age = |path: &Path| fs::metadata(path).and_then(|facts| facts.modified()).ok();
    let Some((now, beside)) = age(folder).zip(folder.parent().and_then(|it| fs::read_dir(it).ok()))
    else {
        return;
    };
    for entry in beside.flatten() {
        let folder = entry.path();
        let is_old =
            age(&folder).is_some_and(|then| now.duration_since(then).is_ok_and(|age| age > GRACE));
        if !is_shown(&folder)
            && is_old
            && let Ok(_lock) = lock::lock(&folder, &SessionId::new(""), Holder::Alone)
        {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// A session directory under construction. Dropping this removes it.
#[derive(Debug)]
pub(super) struct Unpublished {
    /// `None` once the session is published.
    folder: Option<PathBuf>,
    /// The directory's final name.
    final_folder: PathBuf,
}

impl Unpublished {
    pub(super) fn new(folder: PathBuf, final_folder: PathBuf) -> Self {
        Self { folder: Some(folder), final_folder }
    }
}

impl Drop for Unpublished {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl Journal {
    /// Publishes the session under its final name.
    ///
    /// # Errors
    /// The disk failed; the session is removed with this journal.
    pub fn publish(&mut self) -> Result<(), Error> {
        let Some(draft) = &mut self.unpublished else { return Ok(()) };
        let final_folder = draft.final_folder.clone();
        let moved = if IS_MARKED {
            fs::remove_file(self.folder.join(MARKER))
        } else {
            fs::rename(&self.folder, &final_folder)
        };
        moved.map_err(Error::io(&final_folder))?;
        draft.folder = None;
        self.unpublished = None;
        self.folder = final_folder;
        Ok(())
    }
}
