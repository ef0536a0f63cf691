//! A session that is being made: its folder has a name that no list shows until all that belongs to its beginning is in it.
//!
//! So a kill while a session is made or forked leaves no half one. Invariant: what nobody works at any more goes when the next
//! session is made beside it.
//!
//! A session is made under a name that no list shows, and renamed once its beginning is whole, so that a kill leaves no half fork.
//! Leftovers go when the next session is made beside them.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::{Error, Journal, journal};
use pintle_protocol::ids::SessionId;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The beginning of such folders' names.
const PREFIX: &str = ".new-";

/// A younger one may be somebody's who has not locked it yet.
const GRACE: Duration = Duration::from_secs(60);

/// The folder to make a session in that will lie in this one.
pub(super) fn folder(shown_as: &Path) -> PathBuf {
    let name = shown_as.file_name().unwrap_or_default().to_string_lossy();
    shown_as.with_file_name(format!("{PREFIX}{name}"))
}

/// True when a folder is that of a session.
pub(super) fn is_shown(folder: &Path) -> bool {
    !folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
}

/// Takes away what killed programs have left beside this one.
pub(super) fn tidy(own: &Path) {
    let age = |path: &Path| fs::metadata(path).and_then(|facts| facts.modified()).ok();
    let Some((now, beside)) = age(own).zip(own.parent().and_then(|it| fs::read_dir(it).ok()))
    else {
        return;
    };
    for entry in beside.flatten() {
        let folder = entry.path();
        let is_old =
            age(&folder).is_some_and(|then| now.duration_since(then).is_ok_and(|age| age > GRACE));
        if !is_shown(&folder)
            && is_old
            && let Ok(_lock) = journal::lock(&folder, &SessionId::new(""))
        {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

impl Journal {
    /// Shows the session to all who list and open sessions.
    ///
    /// # Errors
    /// The disk said no; the session goes with this journal.
    pub fn publish(&mut self) -> Result<(), Error> {
        if let Some(shown_as) = self.shown_as.take() {
            let moved = fs::rename(&self.folder, &shown_as);
            if let Err(source) = moved {
                let path = shown_as.clone();
                self.shown_as = Some(shown_as);
                return Err(Error::Io { path, source });
            }
            self.folder = shown_as;
        }
        Ok(())
    }
}

impl Drop for Journal {
    /// A hunk that was never shown does not exist.
    fn drop(&mut self) {
        if self.shown_as.is_some() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
