//! The index: sessions and what was said in them, in one SQLite file beside the journals.
//!
//! It knows nothing that the journals do not say, and may be deleted at any time. Nobody tells it what happens: it compares itself with the
//! journals whenever it is asked, and after each turn, and reads what it has not read (`catch_up`). So a crash between both, a
//! journal from an older engine and one that another process writes are all the same to it.
//!
//! Invariant: an error in here never costs more than time.
//!
//! The index is never written by sessions; it reads journals. Each use compares sizes and times of journals with what was read, and
//! reads on from there after checking the last known line. So a crash, another process, an older engine and a restored backup are one
//! case, and a session pays for the index with one message per turn.
//!
//! Keys of entries are their times: the newest matches come first without sorting, and a span of time is a range of keys. The newest
//! 2,000 matches of a common word are ranked by a BM25 of our own, since SQLite's ranks all matches, which takes a second in 100,000.
//!
//! There are two word tables. Trigrams find substrings, paths and any script from three characters on; shorter words, and single
//! characters of scripts without spaces, are in a small table. Both hold folded text, as queries do, so no query is an error.

mod catch_up;
mod database;
mod extract;
mod rows;
mod search;
mod sessions;
mod words;

use super::Error;
use super::list::{Cursor, Filter};
use database::Database;
use pintle_protocol::methods::SessionSummary;
use pintle_protocol::search::{EntryKind, EntryRole, SessionSearchParams, SessionSearchResult};
use std::path::{Path, PathBuf};

pub use sessions::Stored;

/// The bytes of journals that are read before a list is given: enough for the events since the last turn's end, and
/// a tenth of a second where it is all text.
const LIST_BUDGET: u64 = 256 * 1024;

/// The bytes of journals that are read before a search. The number of sessions that are left is told with the hits.
const SEARCH_BUDGET: u64 = 64 * 1024 * 1024;

/// The index of a data folder.
#[derive(Debug)]
pub struct Index {
    sessions: PathBuf,
    database: Database,
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Check {
    /// The sessions in the index.
    pub sessions: u64,
    /// The entries in it.
    pub entries: u64,
    /// Folders with a journal that is not in it, or not as it is now.
    pub behind: Vec<String>,
    /// The problems that SQLite finds in its file.
    pub damage: Option<String>,
}

impl Index {
    /// The index of these sessions. Nothing is touched.
    pub(super) fn new(data: &Path, sessions: &Path) -> Self {
        Self { sessions: sessions.to_owned(), database: Database::new(data) }
    }

    /// Brings rows up to date and reads journals, newest first, until so many bytes are read. Returns how many journals are left.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn catch_up(&self, budget: u64) -> Result<u64, Error> {
        if !self.sessions.is_dir() {
            return Ok(0);
        }
        let behind = self.database.with(|connection| rows::refresh(connection, &self.sessions))?;
        let mut left = budget;
        for (done, folder) in behind.iter().enumerate() {
            loop {
                if left == 0 {
                    return Ok((behind.len() - done) as u64);
                }
                let (bytes, more) = self.read_piece(folder, left)?;
                left = left.saturating_sub(bytes);
                if !more {
                    break;
                }
            }
        }
        Ok(0)
    }

    fn read_piece(&self, folder: &str, most: u64) -> Result<(u64, bool), Error> {
        self.database
            .with(|connection| catch_up::read_piece(connection, &self.sessions, folder, most))
    }

    /// Lists sessions, newest first.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub(super) fn list(
        &self,
        filter: &Filter,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(Vec<SessionSummary>, Option<Cursor>), Error> {
        if !self.sessions.is_dir() {
            return Ok((Vec::new(), None));
        }
        self.catch_up(LIST_BUDGET)?;
        let (stored, next) = self
            .database
            .with(|connection| sessions::list(connection, &self.sessions, filter, after, limit))?;
        Ok((stored.into_iter().map(|stored| stored.summary).collect(), next))
    }

    /// Lists sessions with what the index has counted, newest first.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn stored(&self, filter: &Filter, limit: usize) -> Result<Vec<Stored>, Error> {
        if !self.sessions.is_dir() {
            return Ok(Vec::new());
        }
        self.catch_up(SEARCH_BUDGET)?;
        let listed = self
            .database
            .with(|connection| sessions::list(connection, &self.sessions, filter, None, limit))?;
        Ok(listed.0)
    }

    /// Searches what was said and done.
    ///
    /// # Errors
    /// The index cannot be read or written, or the cursor is none of its own.
    pub fn search(
        &self,
        wanted: &SessionSearchParams,
        limit: usize,
    ) -> Result<SessionSearchResult, Error> {
        let from = match &wanted.cursor {
            None => 0,
            Some(cursor) => cursor.parse().map_err(|_| Error::NoCursor(cursor.clone()))?,
        };
        if !self.sessions.is_dir() {
            return Ok(SessionSearchResult::default());
        }
        let behind = match self.catch_up(SEARCH_BUDGET) {
            // What is in it can be read all the same; what is not, nobody knows.
            Err(Error::IndexHeld(_)) => 1,
            behind => behind?,
        };
        let found =
            self.database.with(|connection| search::search(connection, wanted, from, limit))?;
        Ok(SessionSearchResult { behind, ..found })
    }

    /// Takes a session out. Its folder is gone, or about to be.
    pub(super) fn forget(&self, folder: &Path) -> Result<(), Error> {
        let Some(folder) = folder.strip_prefix(&self.sessions).ok().and_then(Path::to_str) else {
            return Ok(());
        };
        self.database.with(|connection| rows::forget_folder(connection, folder))
    }

    /// Empties it. The next need fills it again.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn clear(&self) -> Result<(), Error> {
        if !self.sessions.is_dir() {
            return Ok(());
        }
        self.database.clear()
    }

    /// Looks what is wrong with it, and changes nothing.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn check(&self) -> Result<Check, Error> {
        if !self.sessions.is_dir() {
            return Ok(Check::default());
        }
        let damage = self.database.damage()?;
        let (sessions, entries) = self.database.with(|connection| sessions::counts(connection))?;
        let behind = self.database.with(|connection| rows::behind(connection, &self.sessions))?;
        Ok(Check { sessions, entries, behind, damage })
    }
}

/// Keys of entries rise with time: so many may be of the same millisecond.
const SAME_MS: i64 = 1 << 20;

/// What is beyond this is no time: it would not fit beside [`SAME_MS`].
const LAST_MS: u64 = 1 << 42;

/// The first key of a millisecond.
fn first_key(ms: u64) -> i64 {
    whole(ms.min(LAST_MS)).saturating_mul(SAME_MS)
}

/// A number as SQLite holds it.
fn whole(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn number_of_kind(kind: EntryKind) -> i64 {
    match kind {
        EntryKind::UserMessage => 0,
        EntryKind::AgentMessage => 1,
        EntryKind::ToolCall => 2,
    }
}

fn number_of_role(role: EntryRole) -> i64 {
    match role {
        EntryRole::User => 0,
        EntryRole::Assistant => 1,
        EntryRole::Tool => 2,
    }
}

fn kind_of(number: i64) -> EntryKind {
    match number {
        0 => EntryKind::UserMessage,
        1 => EntryKind::AgentMessage,
        _ => EntryKind::ToolCall,
    }
}

fn role_of(number: i64) -> EntryRole {
    match number {
        0 => EntryRole::User,
        1 => EntryRole::Assistant,
        _ => EntryRole::Tool,
    }
}

#[cfg(test)]
mod tests;
