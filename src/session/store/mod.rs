//! Durable state: a directory for each session, in it an append-only journal that is the source of truth.
//!
//! ```text
//! DATA/sessions/<slug of the working directory>/<time>_<session id>/journal.jsonl
//!                                                                   lock
//!                                                                   title
//!                                                                   place.json
//!                                                                   archived
//!                                                                   announced.json
//!                                                                   announced-folder.json
//!                                                                   streaming.json
//!                                                                   folded.json
//!                                                                   artifacts/output-*.log
//! DATA/sessions/<slug of the working directory>/place.json          which folders these are, wherever they are moved
//! DATA/isolated/<session id>/                                       the copy that an isolated session works in
//! DATA/keys/<digest>                                                the session that a client made with a key
//! DATA/index.sqlite                                                  made from the journals, for lists and searches
//! ```
//!
//! This module reads and writes. It knows events only as far as lists and the index show them; their meaning is in `history`.

pub mod announced;
pub mod artifacts;
pub mod blobs;
pub mod sidecar;

mod archive;
mod draft;
mod entries;
pub(crate) mod entry;
mod folded;
mod header;
pub mod index;
mod isolated;
mod journal;
mod keys;
mod list;
mod lock;
mod migrate;
pub mod moves;
mod place;
pub mod retention;
mod seek;
pub mod seen;
pub mod streaming;
mod text_file;
mod title;
mod verify;

pub use entries::Entries;
pub use entry::{Entry, FromLine};
pub use folded::Fold;
pub use index::Index;
pub use isolated::{Isolated, IsolatedFolder};
pub use journal::{Journal, Opened, Page, Resumed};
pub use list::{Cursor, Filter};
use lock::Holder;
pub use seek::EntriesBack;
pub use text_file::TextFile;
pub use verify::JournalReport;

use pintle_base::private_files;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::SessionSummary;
use pintle_protocol::search::{SessionSearchParams, SessionSearchResult};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The journal format version that this engine writes.
pub const FORMAT_VERSION: u32 = 2;

/// The directory that contains all sessions of a user. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    sessions: PathBuf,
    index: Arc<Index>,
    holder: Holder,
    /// The number of journal bytes from which a state is saved.
    uncovered_bytes: u64,
}

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Always `pintle`.
    pub journal: String,
    /// The format's version.
    pub version: u32,
    /// The session.
    pub session_id: SessionId,
    /// The working directory, absolute.
    pub cwd: String,
    /// The session's creation time, in milliseconds since 1970.
    pub created_ms: u64,
}

/// Describes the process that owns a lock.
fn place(holder: &str) -> String {
    if lock::is_own(holder) {
        return "this process".to_owned();
    }
    format!("another process ({holder})")
}

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The session does not exist.
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// The session is already open for writing.
    #[error("session {session} is open in {}", place(holder))]
    Locked {
        /// The session.
        session: SessionId,
        /// The lock's owner, from the lock file.
        holder: String,
    },
    /// The journal is of a later format.
    #[error(
        "{path} has journal format {version}; this engine reads up to {FORMAT_VERSION}: use a newer pintle"
    )]
    TooNew {
        /// The journal.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The journal is of an earlier format and could not be upgraded; it is unchanged.
    #[error("{path} could not be upgraded from journal format {from} to {to}: {message}")]
    Upgrade {
        /// The journal.
        path: PathBuf,
        /// Its version.
        from: u32,
        /// The version to upgrade to.
        to: u32,
        /// The failure.
        message: String,
    },
    /// The first line is not a journal's.
    #[error("{0} is not a pintle journal")]
    NoJournal(PathBuf),
    /// The file that is being written has lost its name.
    #[error(
        "{0} was removed or replaced while the session was open: later events are lost when it is closed; begin a new session"
    )]
    Gone(PathBuf),
    /// The index cannot be used; the sessions still can.
    #[error("the index {path} is not usable: {message}")]
    Index {
        /// Its file.
        path: PathBuf,
        /// The text.
        message: String,
    },
    /// Another process has locked the index for too long.
    #[error("another program has locked the index {0}; try again, or exit that program")]
    IndexHeld(PathBuf),
    /// A cursor that no page returned.
    #[error("invalid cursor `{0}`; send the nextCursor from the previous page")]
    NoCursor(String),
    /// The session has no such output.
    #[error("the session has no output {0}")]
    NoOutput(String),
    /// The disk failed.
    #[error("{path}: {source}")]
    Io {
        /// The path that was read or written.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
}

impl Error {
    /// Returns true if the session is open in this process.
    pub fn is_open_here(&self) -> bool {
        matches!(self, Self::Locked { holder, .. } if lock::is_own(holder))
    }

    /// Returns true if the session is open in the engine that clients share.
    pub fn is_open_in_shared_engine(&self) -> bool {
        matches!(self, Self::Locked { holder, .. } if lock::is_shared(holder))
    }
}

impl Error {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

impl Store {
    /// Returns the store in this data directory. No file is touched until a session is created.
    pub fn new(data: &Path) -> Self {
        let sessions = data.join("sessions");
        let index = Arc::new(Index::new(data, &sessions));
        Self { sessions, index, holder: Holder::Alone, uncovered_bytes: folded::UNCOVERED_BYTES }
    }

    /// Returns the store in a temporary directory. Its index is in memory: indexing may continue after the engine has ended, and would
    /// create its file in a directory that is being removed.
    pub fn temporary(data: &Path) -> Self {
        let sessions = data.join("sessions");
        let index = Arc::new(Index::in_memory(data, &sessions));
        Self { sessions, index, holder: Holder::Alone, uncovered_bytes: folded::UNCOVERED_BYTES }
    }

    /// Returns the store for the engine shared by clients: a process that finds one of its sessions locked can see that.
    #[must_use]
    pub fn of_shared_engine(self) -> Self {
        Self { holder: Holder::SharedEngine, ..self }
    }

    /// Returns the store with another number of journal bytes from which a state is saved; by default 256 KiB.
    #[must_use]
    pub fn saving_after(self, bytes: u64) -> Self {
        Self { uncovered_bytes: bytes, ..self }
    }

    /// Returns true if enough of a journal is not covered by a saved state, so that a new one should be saved.
    pub fn is_due(&self, journal: &Journal) -> bool {
        journal.uncovered_bytes() >= self.uncovered_bytes
    }

    /// Returns the index of these sessions.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns true if the first directory is gone and was recognized as the second one.
    pub fn has_moved(&self, from: &Path, to: &Path) -> bool {
        let names = place::moved_names(&self.sessions, &to.to_string_lossy());
        names.iter().any(|name| Path::new(name) == from)
    }

    /// Returns the sessions directory.
    pub fn path(&self) -> &Path {
        &self.sessions
    }

    /// Returns the files and directories that the program writes while it works: the data directory, and its parts if a project is that
    /// directory.
    pub fn own_paths(&self) -> Vec<PathBuf> {
        let data = self.sessions.parent().map(Path::to_owned);
        data.into_iter().chain([self.sessions.clone()]).chain(self.index.paths()).collect()
    }

    /// Removes other users' access to the sessions directory, which earlier versions did not, and with it to all files below. The data
    /// directory itself may be any directory set by `PINTLE_HOME`, so it is left alone unless it is named after the program.
    fn tighten(&self) {
        let data = self.sessions.parent();
        let ours = data.filter(|data| data.file_name().is_some_and(|name| name == "pintle"));
        for folder in ours.into_iter().chain([self.sessions.as_path()]) {
            if let Err(error) = private_files::tighten(folder)
                && error.kind() != io::ErrorKind::NotFound
            {
                tracing::warn!("{} is open to others: {error}", folder.display());
            }
        }
    }

    /// Creates a session's directory and journal and locks it for this process.
    ///
    /// # Errors
    /// The directory cannot be created or written.
    pub fn create(&self, header: &Header) -> Result<Journal, Error> {
        let mut journal = self.draft(header)?;
        journal.publish()?;
        Ok(journal)
    }

    /// Like [`Store::create`], but the session is invisible until [`Journal::publish`]; if it is dropped before that, it is removed.
    ///
    /// # Errors
    /// The directory cannot be created or written.
    pub fn draft(&self, header: &Header) -> Result<Journal, Error> {
        self.tighten();
        let slug = self.sessions.join(slug(&header.cwd));
        let name = format!("{}_{}", folder_time(header.created_ms), header.session_id);
        let journal = Journal::draft(slug.join(name), header, self.holder)?;
        place::remember(&slug, &header.cwd);
        Ok(journal)
    }

    /// Opens a session for writing and reads all of it. An incomplete last line is moved aside, damaged lines are skipped; both are
    /// reported.
    ///
    /// # Errors
    /// The session does not exist, is locked, or cannot be read.
    pub fn open(&self, session: &SessionId) -> Result<Opened, Error> {
        self.tighten();
        Journal::open(self.find(session)?, session, self.holder)
    }

    /// Like [`Store::open`], but folds the entries instead of returning them, starting from the state saved with [`Journal::saver`] if it
    /// applies to this journal.
    ///
    /// # Errors
    /// The session does not exist, is locked, or cannot be read.
    pub fn resume<F: Fold>(&self, session: &SessionId) -> Result<Resumed<F>, Error> {
        self.tighten();
        Journal::resume(self.find(session)?, session, self.holder)
    }

    /// Reads a page of a session's events without locking it, also while another process writes.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub fn page(&self, session: &SessionId, after: u64, limit: usize) -> Result<Page, Error> {
        let path = self.current(session)?.join(header::FILE);
        let offset = seek::offset_after(&path, after)?;
        journal::page(&path, offset, after, limit)
    }

    /// Reads the last events before a number, without locking and without reading earlier ones. A number beyond the end means the end.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub fn page_before(
        &self,
        session: &SessionId,
        before: u64,
        limit: usize,
    ) -> Result<Page, Error> {
        seek::page_before(&self.current(session)?.join(header::FILE), before, limit)
    }

    /// Reads a session backwards from the last entry before a number, without locking and without reading later ones. A number beyond the
    /// end means the end.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub fn entries_back(&self, session: &SessionId, before: u64) -> Result<EntriesBack, Error> {
        EntriesBack::before(&self.current(session)?.join(header::FILE), before)
    }

    /// Deletes a session and its sub-agents' sessions, with their directories. Returns the deleted sessions, this one last.
    ///
    /// # Errors
    /// The session does not exist, one of them is open, or the deletion failed; sessions that were not reached are unchanged.
    pub fn delete(&self, session: &SessionId) -> Result<Vec<SessionId>, Error> {
        let named = self.find(session)?;
        let mut folders = self.children(session);
        folders.push((session.clone(), named));
        // All locks first: if any of them is in use, all stay.
        let locks = folders
            .iter()
            .map(|(id, folder)| lock::lock(folder, id, self.holder))
            .collect::<Result<Vec<_>, _>>()?;
        let cwds = folders.iter().filter_map(|(_, folder)| Some(list::summary(folder)?.cwd));
        let owners = cwds.filter_map(|cwd| self.owner_of(Path::new(&cwd))).collect();
        let mut deleted = Vec::new();
        for ((id, folder), lock) in folders.into_iter().zip(locks) {
            journal::remove(&folder, lock)?;
            if let Err(error) = self.index.forget(&folder) {
                tracing::debug!("{error}");
            }
            deleted.push(id);
        }
        self.remove_unused(owners);
        Ok(deleted)
    }

    /// Returns the sub-agents' sessions of a session, recursively, the deepest first.
    fn children(&self, session: &SessionId) -> Vec<(SessionId, PathBuf)> {
        let filter = Filter { subagents: true, ..Filter::default() };
        let Ok((all, _)) = self.list(&filter, None, usize::MAX) else { return Vec::new() };
        let mut children: Vec<(SessionId, PathBuf)> = Vec::new();
        let mut parents = vec![session.clone()];
        while let Some(parent) = parents.pop() {
            for session in &all {
                let is_child = session.parent.as_ref().is_some_and(|it| it.session_id == parent);
                if is_child && children.iter().all(|(id, _)| *id != session.session_id) {
                    children.push((session.session_id.clone(), PathBuf::from(&session.path)));
                    parents.push(session.session_id.clone());
                }
            }
        }
        children.reverse();
        children
    }

    /// Lists sessions, newest first.
    ///
    /// # Errors
    /// The sessions directory exists and cannot be read, or the cursor is invalid.
    ///
    /// # Example
    ///
    /// ```
    /// use pintle_protocol::ids::SessionId;
    /// use pintle_session::store::{FORMAT_VERSION, Filter, Header, Store};
    ///
    /// let data = tempfile::tempdir()?;
    /// let store = Store::new(data.path());
    /// for (id, cwd, created_ms) in [("a", "/work/app", 1_000), ("b", "/work/lib", 2_000)] {
    ///     let (journal, session_id) = ("pintle".to_owned(), SessionId::new(id));
    ///     let (version, cwd) = (FORMAT_VERSION, cwd.to_owned());
    ///     store.create(&Header { journal, version, session_id, cwd, created_ms })?;
    /// }
    /// let filter = Filter { query: Some("LIB".to_owned()), ..Filter::default() };
    /// let (sessions, next) = store.list(&filter, None, 10)?;
    /// assert_eq!(sessions[0].cwd, "/work/lib");
    /// assert_eq!((sessions.len(), next), (1, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list(
        &self,
        filter: &Filter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<SessionSummary>, Option<Cursor>), Error> {
        if let Some(Cursor(name)) = after.filter(|after| !list::is_cursor(after)) {
            return Err(Error::NoCursor(name.clone()));
        }
        self.index.list(filter, after, limit).or_else(|error| {
            tracing::warn!("{error}; reading the session directories instead");
            list::list(&self.sessions, filter, after, limit)
        })
    }

    /// Returns the newest sessions whose id has this prefix, without those of sub-agents. The index is neither read nor written.
    ///
    /// # Errors
    /// The sessions directory exists and cannot be read.
    pub fn newest(&self, prefix: &str, limit: usize) -> Result<Vec<SessionSummary>, Error> {
        list::newest(&self.sessions, prefix, limit)
    }

    /// Searches conversations and actions: in the index, or in the journals themselves for kinds of text that it omits.
    ///
    /// # Errors
    /// The index or the data directory cannot be read, the session does not exist, or the cursor is invalid.
    pub fn search(
        &self,
        params: &SessionSearchParams,
        limit: usize,
    ) -> Result<SessionSearchResult, Error> {
        if index::scan::is_asked_for(params) {
            index::scan::search(self, params, limit)
        } else {
            self.index.search(params, limit)
        }
    }

    /// Returns a session's list entry.
    ///
    /// # Errors
    /// The session does not exist, or its journal cannot be read.
    pub fn summary(&self, session: &SessionId) -> Result<SessionSummary, Error> {
        let folder = self.find(session)?;
        list::summary(&folder).ok_or_else(|| Error::NoJournal(folder.join(header::FILE)))
    }

    /// Reads a piece of a session's long output, by the name in its event.
    ///
    /// # Errors
    /// The session or the output does not exist or cannot be read.
    pub fn output(
        &self,
        session: &SessionId,
        name: &str,
        offset: u64,
        max_bytes: u64,
    ) -> Result<artifacts::Piece, Error> {
        artifacts::read(&self.find(session)?, name, offset, max_bytes)
    }

    /// Stores data that was passed to a session, and returns its file's path.
    ///
    /// # Errors
    /// The session does not exist or cannot be written.
    pub fn keep_input(
        &self,
        session: &SessionId,
        name: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, Error> {
        let folder = self.find(session)?.join(artifacts::FOLDER);
        let suffix = if std::str::from_utf8(bytes).is_ok() { ".txt" } else { "" };
        artifacts::save_as(&folder, &format!("{name}-"), suffix, bytes)
    }

    /// Returns the ids of all sessions, readable or not, sorted.
    ///
    /// # Errors
    /// The sessions directory exists and cannot be read.
    pub fn ids(&self) -> Result<Vec<SessionId>, Error> {
        let folders = list::folders(&self.sessions)?;
        let mut ids: Vec<_> =
            folders.iter().filter_map(|folder| list::session_of(folder)).collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// Returns the path to a session's journal.
    ///
    /// # Errors
    /// The session does not exist.
    pub fn journal(&self, session: &SessionId) -> Result<PathBuf, Error> {
        Ok(self.folder(session)?.join(header::FILE))
    }

    /// Returns a session's directory.
    ///
    /// # Errors
    /// The session does not exist.
    pub fn folder(&self, session: &SessionId) -> Result<PathBuf, Error> {
        self.find(session)
    }

    /// Returns the session's directory, after upgrading a journal of an earlier format if it is not open.
    fn current(&self, session: &SessionId) -> Result<PathBuf, Error> {
        let folder = self.find(session)?;
        let header = header::read_header(&folder.join(header::FILE));
        if header.is_ok_and(|header| header.version < FORMAT_VERSION)
            && let Ok(_lock) = lock::lock(&folder, session, self.holder)
            && let Err(error) = migrate::upgrade(&folder, migrate::STEPS, FORMAT_VERSION)
        {
            tracing::warn!("{error}; it is read unchanged");
        }
        Ok(folder)
    }

    fn find(&self, session: &SessionId) -> Result<PathBuf, Error> {
        list::folders(&self.sessions)?
            .into_iter()
            .find(|folder| list::session_of(folder).as_ref() == Some(session))
            .ok_or_else(|| Error::NotFound(session.clone()))
    }
}

/// Returns a directory name for a working directory: readable, and short enough for any file system.
fn slug(cwd: &str) -> String {
    const MAX_CHARS: usize = 80;
    let plain: Vec<char> = cwd
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' })
        .collect();
    // A path's end is more specific than its start.
    let start = plain.len().saturating_sub(MAX_CHARS);
    let slug: String = plain.into_iter().skip(start).collect();
    let slug = slug.trim_matches(['-', '.']);
    if slug.is_empty() { "root".to_owned() } else { slug.to_owned() }
}

fn folder_time(ms: u64) -> String {
    i64::try_from(ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or_else(|| ms.to_string(), |time| time.strftime("%Y%m%dT%H%M%SZ").to_string())
}

#[cfg(test)]
mod tests;
