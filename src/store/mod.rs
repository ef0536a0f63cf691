//! What lasts: one folder a session, in it an append-only journal that is the truth.
//!
//! ```text
//! DATA/sessions/<slug of the working directory>/<time>_<session id>/journal.jsonl
//!                                                                   lock
//!                                                                   title
//!                                                                   artifacts/output-*.log
//! ```
//!
//! This module reads and writes; it does not know what the events mean.

pub mod artifacts;

mod entry;
mod journal;
mod list;
mod title;

pub use entry::Entry;
pub use journal::{Journal, Opened, Page};
pub use list::{Cursor, Filter};

use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::SessionSummary;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The version of the journal's format that this engine writes.
pub const FORMAT_VERSION: u32 = 1;

/// The folder that holds all sessions of a user. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    sessions: PathBuf,
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
        /// What the lock file says about the holder.
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
    /// The first line is not a journal's.
    #[error("{0} does not begin like a journal")]
    NoJournal(PathBuf),
    /// There is no such output in the session.
    #[error("the session has no output {0}")]
    NoOutput(String),
    /// The disk said no.
    #[error("{path}: {source}")]
    Io {
        /// What was read or written.
        path: PathBuf,
        /// What the system said.
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
        Self { sessions: data.join("sessions") }
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
        let folder = self.sessions.join(slug(&header.cwd)).join(format!(
            "{}_{}",
            folder_time(header.created_ms),
            header.session_id
        ));
        Journal::create(folder, header)
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
        journal::page(&self.find(session)?.join(journal::FILE), 0, after, limit)
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
        list::list(&self.sessions, filter, after, limit)
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
