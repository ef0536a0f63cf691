//! The directories of isolated sessions: one copy of a project for each session.
//!
//! ```text
//! DATA/isolated/<session id>/isolation.json      what was copied
//! DATA/isolated/<session id>/<project>/          the copy
//! ```
//!
//! The record remains after its copy was discarded, so that the session can be reopened in the original directory. Both are removed with
//! the session.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::retention::{DAY_MS, bytes};
use super::{Error, Filter, Store, lock};
use pintle_base::private_files;
use pintle_os::file::{self, Facts};
use pintle_os::{System, names};
use pintle_protocol::ids::SessionId;
use pintle_protocol::isolation::{Isolation, IsolationKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const FOLDER: &str = "isolated";

const RECORD: &str = "isolation.json";

/// The maximum size of a record, and of the files with which git links a worktree.
const MAX_BYTES: u64 = 64 * 1024;

/// An isolated session's directories, absolute and resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Isolated {
    /// The kind of copy.
    pub kind: IsolationKind,
    /// The copy.
    pub root: PathBuf,
    /// The directory that was copied.
    pub original: PathBuf,
    /// The user's working directory.
    pub cwd: String,
}

/// A directory for a session's copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsolatedFolder {
    /// The session.
    pub session: SessionId,
    /// The directory.
    pub path: PathBuf,
    /// True if it has a copy that was not discarded.
    pub is_there: bool,
    /// True if no stored session belongs to it or works in it.
    pub is_abandoned: bool,
}

impl IsolatedFolder {
    /// Returns its size in bytes.
    pub fn bytes(&self) -> u64 {
        bytes(&self.path)
    }
}

impl Isolated {
    /// Returns the user's file for a file in the copy; `None` for a file outside.
    pub fn original_of(&self, path: &Path) -> Option<PathBuf> {
        replaced(path, &self.root, &self.original)
    }

    /// Returns a path's counterpart in the copy; `None` for a path outside of the original directory.
    pub fn copy_of(&self, path: &Path) -> Option<PathBuf> {
        replaced(path, &self.original, &self.root)
    }

    /// Returns the session's working directory.
    pub fn working_folder(&self) -> Option<PathBuf> {
        let cwd = names::canonicalize(Path::new(&self.cwd)).unwrap_or_else(|_| (&self.cwd).into());
        self.copy_of(&cwd)
    }

    /// Describes it for clients.
    pub fn shown(&self) -> Isolation {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (root, original) = (text(&self.root), text(&self.original));
        Isolation { kind: self.kind, root, original, cwd: self.cwd.clone() }
    }
}

fn replaced(path: &Path, from: &Path, to: &Path) -> Option<PathBuf> {
    let below = path.strip_prefix(from).ok()?;
    Some(if below.as_os_str().is_empty() { to.to_owned() } else { to.join(below) })
}

impl Store {
    /// Returns the directory that contains all copies.
    pub fn isolated(&self) -> PathBuf {
        self.sessions.with_file_name(FOLDER)
    }

    /// Returns a session's directory there. An id with separators, which no session has, leads nowhere.
    fn own(&self, session: &SessionId) -> PathBuf {
        let name = Path::new(session.as_str()).file_name().unwrap_or_default();
        let is_name = name == session.as_str();
        self.isolated().join(if is_name { name } else { "-".as_ref() })
    }

    /// Creates the directory for a session's copy, for its owner alone, and returns it resolved. Abandoned ones that are older than a day
    /// are removed.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn create_isolated(&self, session: &SessionId, now_ms: u64) -> Result<PathBuf, Error> {
        for old in self.all_isolated().iter().filter(|old| old.is_abandoned) {
            // Another engine may be making one at this moment.
            if modified_ms(&old.path).is_some_and(|then| then.saturating_add(DAY_MS) < now_ms)
                && let Err(error) = self.remove_isolated(&old.session)
            {
                tracing::warn!("{error}");
            }
        }
        let all = self.isolated();
        private_files::create_private_folder(&all).map_err(Error::io(&all))?;
        let folder = self.own(session);
        private_files::create_private_folder(&folder).map_err(Error::io(&folder))?;
        names::canonicalize(&folder).map_err(Error::io(&folder))
    }

    /// Records a session's copy.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn keep_isolated(&self, session: &SessionId, isolated: &Isolated) -> Result<(), Error> {
        let record = self.own(session).join(RECORD);
        let json = serde_json::to_vec(isolated).map_err(io::Error::from);
        let written = json.and_then(|json| private_files::write_private(&record, &json));
        written.map_err(Error::io(&record))
    }

    /// Returns a session's copy, even if it was discarded.
    pub fn isolated_of(&self, session: &SessionId) -> Option<Isolated> {
        read(&self.own(session))
    }

    /// Returns the copy that contains a working directory, even if it was discarded.
    pub fn isolated_at(&self, cwd: &Path) -> Option<Isolated> {
        self.owner_of(cwd).and_then(|session| self.isolated_of(&session))
    }

    /// Returns false for a path that is certainly in no copy, without looking at files.
    pub fn may_be_isolated(&self, path: &Path) -> bool {
        path.iter().any(|name| name == FOLDER)
    }

    /// Returns the session whose copy contains a path.
    pub fn owner_of(&self, path: &Path) -> Option<SessionId> {
        if !self.may_be_isolated(path) {
            return None;
        }
        let all = self.isolated();
        let resolved = || names::canonicalize(&all).ok();
        let below = path.strip_prefix(&all).ok().map(Path::to_owned);
        let below = below.or_else(|| path.strip_prefix(resolved()?).ok().map(Path::to_owned))?;
        let name = below.components().next()?;
        Some(SessionId::new(name.as_os_str().to_str()?))
    }

    /// Returns the directories of all sessions. One that no stored session belongs to or works in is abandoned: an engine was killed before it
    /// had created the session.
    pub fn all_isolated(&self) -> Vec<IsolatedFolder> {
        let entries = fs::read_dir(self.isolated()).into_iter().flatten().flatten();
        let folders = entries.filter_map(|entry| {
            let session = SessionId::new(entry.file_name().to_str()?);
            let is_unused = || self.users_of(&session).is_ok_and(|users| users.is_empty());
            let is_abandoned = self.folder(&session).is_err() && is_unused();
            let path = entry.path();
            let is_there = read(&path).is_some_and(|isolated| isolated.root.exists());
            Some(IsolatedFolder { session, path, is_there, is_abandoned })
        });
        let mut all: Vec<_> = folders.collect();
        all.sort_by(|a, b| a.session.cmp(&b.session));
        all
    }

    /// Returns the other sessions that work in a session's copy: its forks. `None` if it has no copy.
    ///
    /// # Errors
    /// The session does not exist, or the sessions cannot be listed.
    pub fn isolation_users(&self, session: &SessionId) -> Result<Option<Vec<SessionId>>, Error> {
        self.folder(session)?;
        if self.isolated_of(session).is_none() {
            return Ok(None);
        }
        let own: BTreeSet<SessionId> =
            self.children(session).into_iter().map(|(id, _)| id).chain([session.clone()]).collect();
        let mut users = self.users_of(session)?;
        users.retain(|user| !own.contains(user));
        Ok(Some(users))
    }

    /// Returns all sessions that work in the copy of `owner`.
    fn users_of(&self, owner: &SessionId) -> Result<Vec<SessionId>, Error> {
        let filter = Filter { subagents: true, ..Filter::default() };
        let (all, _) = self.list(&filter, None, usize::MAX)?;
        let is_user = |cwd: &str| self.owner_of(Path::new(cwd)).as_ref() == Some(owner);
        Ok(all.into_iter().filter(|one| is_user(&one.cwd)).map(|one| one.session_id).collect())
    }

    /// Removes a session's copy, and git's data about it if it is a worktree. The record remains.
    ///
    /// # Errors
    /// The session is open, or a part of the copy cannot be removed.
    pub fn discard_isolated(&self, session: &SessionId) -> Result<(), Error> {
        let _lock = lock::lock(&self.find(session)?, session, self.holder)?;
        self.remove_copy(session)
    }

    fn remove_copy(&self, session: &SessionId) -> Result<(), Error> {
        let Some(isolated) = self.isolated_of(session) else { return Ok(()) };
        forget_worktree(&isolated.root);
        remove_tree(&isolated.root)
    }

    /// Removes the copies that deleted sessions worked in, unless others still do.
    pub(super) fn remove_unused(&self, owners: BTreeSet<SessionId>) {
        for owner in owners {
            let removed = match self.users_of(&owner) {
                Ok(users) if users.is_empty() => self.remove_isolated(&owner),
                Ok(_) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = removed {
                tracing::warn!("{error}");
            }
        }
    }

    /// Removes a session's copy with its record.
    ///
    /// # Errors
    /// A part of it cannot be removed.
    pub fn remove_isolated(&self, session: &SessionId) -> Result<(), Error> {
        self.remove_copy(session)?;
        remove_tree(&self.own(session))
    }
}

/// Returns the working directories of a directory's copies, given the directory with all sessions.
pub(super) fn copies(sessions: &Path, cwd: &str) -> Vec<String> {
    let entries = fs::read_dir(sessions.with_file_name(FOLDER)).into_iter().flatten().flatten();
    let copies = entries.filter_map(|entry| read(&entry.path()));
    let copies = copies.filter(|isolated| System::CURRENT.is_same_path(&isolated.cwd, cwd));
    let working = copies.filter_map(|isolated| isolated.working_folder());
    working.map(|path| path.to_string_lossy().into_owned()).collect()
}

fn read(folder: &Path) -> Option<Isolated> {
    let text = private_files::read_to_string(&folder.join(RECORD), MAX_BYTES).ok()?;
    let isolated: Isolated = serde_json::from_str(&text).ok()?;
    // A damaged record must not lead to the removal of anything but a copy.
    let name = folder.file_name()?;
    let is_own = isolated.root.parent()?.file_name()? == name;
    is_own.then_some(isolated)
}

fn modified_ms(path: &Path) -> Option<u64> {
    let age = fs::metadata(path).ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(age.as_millis()).ok()
}

fn remove_tree(folder: &Path) -> Result<(), Error> {
    let mut removed = fs::remove_dir_all(folder);
    if removed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
        // Package managers make directories read-only.
        open_folders(folder);
        removed = fs::remove_dir_all(folder);
    }
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io(folder)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Lets the owner change a directory and those below. Links are not followed.
fn open_folders(folder: &Path) {
    let Ok(facts) = folder.symlink_metadata() else { return };
    if !facts.is_dir() || file::set_mode(folder, facts.mode() | 0o700).is_err() {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        open_folders(&entry.path());
    }
}

/// Removes the directory in which a repository keeps a worktree's `HEAD` and index, if it is this worktree's.
fn forget_worktree(root: &Path) {
    let link = root.join(".git");
    let Ok(text) = private_files::read_to_string(&link, MAX_BYTES) else { return };
    let Some(kept) = text.strip_prefix("gitdir:").map(|path| root.join(path.trim())) else {
        return;
    };
    let is_worktree =
        kept.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees");
    let back = private_files::read_to_string(&kept.join("gitdir"), MAX_BYTES).unwrap_or_default();
    let is_own = names::canonicalize(Path::new(back.trim()))
        .is_ok_and(|back| names::canonicalize(&link).is_ok_and(|link| link == back));
    if is_worktree
        && is_own
        && let Err(error) = fs::remove_dir_all(&kept)
    {
        tracing::warn!("git still lists the worktree {}: {error}", root.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_copy_is_removed_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let create = |name: &str, now_ms: u64| {
            let id = SessionId::new(name);
            let own = store.create_isolated(&id, now_ms).unwrap();
            let (root, original) = (own.join("project"), PathBuf::from("/w"));
            fs::create_dir(&root).unwrap();
            let cwd = "/w/sub".to_owned();
            let isolated = Isolated { kind: IsolationKind::Copy, root, original, cwd };
            store.keep_isolated(&id, &isolated).unwrap();
            (modified_ms(&own).unwrap(), isolated)
        };
        let names = || {
            let all = store.all_isolated();
            all.iter().map(|one| one.session.as_str().to_owned()).collect::<Vec<_>>().join(" ")
        };
        let (made_ms, first) = create("a", 0);
        assert_eq!(first.original_of(&first.root.join("x")), Some("/w/x".into()));
        assert_eq!(first.copy_of(Path::new("/v/x")), None);
        assert_eq!(store.owner_of(&first.root.join("sub")), Some(SessionId::new("a")));
        assert_eq!(store.isolated_at(&first.root), Some(first));
        assert!(store.all_isolated().iter().all(|one| one.is_abandoned && one.is_there));
        create("b", made_ms + DAY_MS / 2);
        assert_eq!(names(), "a b");
        create("c", made_ms + 2 * DAY_MS);
        assert_eq!(names(), "c");
        // An id that leads out of the directory finds nothing.
        assert_eq!(store.isolated_of(&SessionId::new("../isolated/c")), None);
    }
}
