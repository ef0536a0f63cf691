//! Durable state: a folder for each session, in it an append-only journal that is the source of truth.
//!
//! ```text
//! DATA/sessions/<slug of the working directory>/<time>_<session id>/journal.jsonl
//!                                                                   lock
//!                                                                   title
//!                                                                   announced.json
//!                                                                   artifacts/output-*.log
//! DATA/index.sqlite                                                  made from the journals, for lists and searches
//! ```
//!
//! This module reads and writes. Of events it knows what lists and the index show of them; what follows from them is in `history`.

pub mod announced;
pub mod artifacts;
pub mod beside;
pub mod blobs;

mod draft;
mod entries;
pub(crate) mod entry;
pub mod index;
mod journal;
mod list;
mod migrate;
mod place;
pub mod retention;
mod title;
mod verify;

pub use entries::Entries;
pub use entry::Entry;
pub use index::Index;
pub use journal::{Journal, Opened, Page};
pub use list::{Cursor, Filter};
pub use place::EntriesBack;
pub use verify::Verdict;

use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::SessionSummary;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the journal's format that this engine writes.
pub const FORMAT_VERSION: u32 = 1;

/// The folder that holds all sessions of a user. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    sessions: PathBuf,
    index: Arc<Index>,
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
    /// When the session was made, in milliseconds since 1970.
    pub created_ms: u64,
}

/// Why a session could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such session.
    #[error("there is no session {0}")]
    NotFound(SessionId),
    /// Another process has it open for writing.
    #[error("session {session} is open in another process ({holder})")]
    Locked {
        /// The session.
        session: SessionId,
        /// The holder of the lock, from the lock file.
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
    /// The journal is of an earlier format and could not be brought to today's; it is as it was.
    #[error("{path} could not be upgraded from journal format {from} to {to}: {message}")]
    Upgrade {
        /// The journal.
        path: PathBuf,
        /// Its version.
        from: u32,
        /// The version that was wanted.
        to: u32,
        /// The failure.
        message: String,
    },
    /// The first line is not a journal's.
    #[error("{0} does not begin like a journal")]
    NoJournal(PathBuf),
    /// The file that is being written has lost its name.
    #[error(
        "{0} was removed or replaced while the session was open: what is said in it is lost when it is closed; begin a new session"
    )]
    Gone(PathBuf),
    /// The index cannot be used; the sessions are there all the same.
    #[error("the index {path} cannot be used: {message}")]
    Index {
        /// Its file.
        path: PathBuf,
        /// The text.
        message: String,
    },
    /// Somebody else writes the index, and takes longer than one waits.
    #[error("another program holds the index {0}: try again, or end that program")]
    IndexHeld(PathBuf),
    /// A cursor that no page ended with.
    #[error("`{0}` is no cursor: send back the nextCursor of the page before")]
    NoCursor(String),
    /// There is no such output in the session.
    #[error("the session has no output {0}")]
    NoOutput(String),
    /// The disk said no.
    #[error("{path}: {source}")]
    Io {
        /// The path that was read or written.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

impl Store {
    /// The store in this data folder. Nothing is touched until a session is made.
    pub fn new(data: &Path) -> Self {
        let sessions = data.join("sessions");
        let index = Arc::new(Index::new(data, &sessions));
        Self { sessions, index }
    }

    /// The index of these sessions.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The folder that holds the sessions.
    pub fn path(&self) -> &Path {
        &self.sessions
    }

    /// Makes a session's folder and journal and locks it for this process.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub fn create(&self, header: &Header) -> Result<Journal, Error> {
        let mut journal = self.draft(header)?;
        journal.publish()?;
        Ok(journal)
    }

    /// As [`Store::create`], but nobody sees the session before [`Journal::publish`]; dropped before, it is gone.
    ///
    /// # Errors
    /// The folder cannot be made or written.
    pub fn draft(&self, header: &Header) -> Result<Journal, Error> {
        let folder = self.sessions.join(slug(&header.cwd)).join(format!(
            "{}_{}",
            folder_time(header.created_ms),
            header.session_id
        ));
        Journal::draft(folder, header)
    }

    /// Opens a session for writing and reads all of it. A torn last line is moved aside, damaged
    /// lines are passed over; both are reported.
    ///
    /// # Errors
    /// It does not exist, is locked, or cannot be read.
    pub fn open(&self, session: &SessionId) -> Result<Opened, Error> {
        Journal::open(self.find(session)?, session)
    }

    /// Reads a page of a session's events without locking it, also while another process writes.
    ///
    /// # Errors
    /// It does not exist or cannot be read.
    pub fn page(&self, session: &SessionId, after: u64, limit: usize) -> Result<Page, Error> {
        let path = self.current(session)?.join(journal::FILE);
        let offset = place::offset_after(&path, after)?;
        journal::page(&path, offset, after, limit)
    }

    /// Reads the last events before a number, without locking and without reading what is before them. A number
    /// beyond the end stands for the end.
    ///
    /// # Errors
    /// It does not exist or cannot be read.
    pub fn page_before(
        &self,
        session: &SessionId,
        before: u64,
        limit: usize,
    ) -> Result<Page, Error> {
        place::page_before(&self.current(session)?.join(journal::FILE), before, limit)
    }

    /// Reads a session from the last entry before a number towards its beginning, without locking and without reading what is after
    /// it. A number beyond the end stands for the end.
    ///
    /// # Errors
    /// It does not exist or cannot be read.
    pub fn entries_back(&self, session: &SessionId, before: u64) -> Result<EntriesBack, Error> {
        EntriesBack::before(&self.current(session)?.join(journal::FILE), before)
    }

    /// Deletes a session and those of its sub-agents, with all that is in their folders. Returns them, the one that was named last.
    ///
    /// # Errors
    /// It does not exist, one of them is open, or the disk said no; those that were not reached are as before.
    pub fn delete(&self, session: &SessionId) -> Result<Vec<SessionId>, Error> {
        let named = self.find(session)?;
        let mut folders = self.children(session);
        folders.push((session.clone(), named));
        // All locks first: either nobody works with any of them, or all stay.
        let locks = folders
            .iter()
            .map(|(id, folder)| journal::lock(folder, id))
            .collect::<Result<Vec<_>, _>>()?;
        let mut deleted = Vec::new();
        for (id, folder) in folders {
            journal::remove(&folder)?;
            if let Err(error) = self.index.forget(&folder) {
                tracing::debug!("{error}");
            }
            deleted.push(id);
        }
        drop(locks);
        Ok(deleted)
    }

    /// The sessions of a session's sub-agents, and of theirs, the deepest first.
    fn children(&self, session: &SessionId) -> Vec<(SessionId, PathBuf)> {
        let filter = Filter { subagents: true, ..Filter::default() };
        let Ok((all, _)) = self.list(&filter, None, usize::MAX) else { return Vec::new() };
        let mut found: Vec<(SessionId, PathBuf)> = Vec::new();
        let mut parents = vec![session.clone()];
        while let Some(parent) = parents.pop() {
            for one in &all {
                let is_child = one.parent.as_ref().is_some_and(|it| it.session_id == parent);
                if is_child && found.iter().all(|(id, _)| *id != one.session_id) {
                    found.push((one.session_id.clone(), PathBuf::from(&one.path)));
                    parents.push(one.session_id.clone());
                }
            }
        }
        found.reverse();
        found
    }

    /// Lists sessions, newest first.
    ///
    /// # Errors
    /// The folder of sessions exists and cannot be read.
    pub fn list(
        &self,
        filter: &Filter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<SessionSummary>, Option<Cursor>), Error> {
        self.index.list(filter, after, limit).or_else(|error| {
            tracing::warn!("{error}; the folders are read instead");
            list::list(&self.sessions, filter, after, limit)
        })
    }

    /// A session in a list.
    ///
    /// # Errors
    /// It does not exist, or its journal cannot be read.
    pub fn summary(&self, session: &SessionId) -> Result<SessionSummary, Error> {
        let folder = self.find(session)?;
        list::summary(&folder).ok_or_else(|| Error::NoJournal(folder.join(journal::FILE)))
    }

    /// Reads a piece of a session's long output, by the name that its event gives.
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

    /// The ids of all sessions, readable or not, sorted.
    ///
    /// # Errors
    /// The folder of sessions exists and cannot be read.
    pub fn ids(&self) -> Result<Vec<SessionId>, Error> {
        let folders = list::folders(&self.sessions)?;
        let mut ids: Vec<_> =
            folders.iter().filter_map(|folder| list::session_of(folder)).collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }

    /// A session's folder.
    ///
    /// # Errors
    /// It does not exist.
    pub fn folder(&self, session: &SessionId) -> Result<PathBuf, Error> {
        self.find(session)
    }

    /// The session's folder, its journal brought to today's format where it is of an earlier one and nobody has it open.
    fn current(&self, session: &SessionId) -> Result<PathBuf, Error> {
        let folder = self.find(session)?;
        let header = journal::read_header(&folder.join(journal::FILE));
        if header.is_ok_and(|header| header.version < FORMAT_VERSION)
            && let Ok(_lock) = journal::lock(&folder, session)
            && let Err(error) = migrate::upgrade(&folder, migrate::STEPS, FORMAT_VERSION)
        {
            tracing::warn!("{error}; it is read as it is");
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

/// A folder name for a working directory: readable, and short enough for any file system.
fn slug(cwd: &str) -> String {
    const MAX_CHARS: usize = 80;
    let plain: Vec<char> = cwd
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '.' | '_') { c } else { '-' })
        .collect();
    // The end of a path says more than its beginning.
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
