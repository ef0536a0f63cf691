//! The index: sessions and their messages, in one SQLite file next to the journals.
//!
//! All its data comes from the journals, and it may be deleted at any time. Sessions never write to it: each use, and the end of each turn,
//! compares the sizes and times of journals with the recorded ones, and continues from there after checking the last known line
//! (`catch_up`). So a crash, another process, an older engine and a restored backup are one case, and a session pays for the index with one
//! message per turn.
//!
//! Invariant: an error in the index never costs more than time.
//!
//! Entry keys are their times: the newest matches come first without sorting, and a time span is a key range. The newest 2,000 matches of a
//! common word are ranked by this module's BM25, since SQLite's ranks all matches, which takes a second in 100,000.
//!
//! There are two word tables. Trigrams find substrings, paths and any script from three characters on; shorter words, and single characters
//! of scripts without spaces, are in a small table. Both contain folded text, as queries do, so no query is an error.

mod catch_up;
mod database;
mod extract;
mod rows;
pub(super) mod scan;
mod search;
mod sessions;
mod words;

use super::list::{Cursor, Filter};
use super::{Error, place};
use database::Database;
use pintle_protocol::methods::SessionSummary;
use pintle_protocol::search::{EntryKind, EntryRole, SessionSearchParams, SessionSearchResult};
use std::path::{Path, PathBuf};

pub use sessions::Stored;

/// The bytes of journals that are read before a list is returned: enough for the events since the last turn's end, and read within a tenth
/// of a second.
const LIST_BUDGET: u64 = 256 * 1024;

/// How many journal bytes are read before a search. The result reports how many sessions are not up to date.
const SEARCH_BUDGET: u64 = 64 * 1024 * 1024;

/// A data directory's index.
#[derive(Debug)]
pub struct Index {
    sessions: PathBuf,
    database: Database,
}

/// A check's result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Check {
    /// The sessions in the index.
    pub sessions: u64,
    /// The entries in it.
    pub entries: u64,
    /// Directories whose journal is not in the index, or has changed since.
    pub behind: Vec<String>,
    /// The problems that SQLite finds in its file.
    pub damage: Option<String>,
}

impl Index {
    /// Returns the index of these sessions. No file is touched.
    pub(super) fn new(data: &Path, sessions: &Path) -> Self {
        Self { sessions: sessions.to_owned(), database: Database::new(data) }
    }

    /// Such an index without a file.
    pub(super) fn in_memory(data: &Path, sessions: &Path) -> Self {
        Self { sessions: sessions.to_owned(), database: Database::in_memory(data) }
    }

    /// Returns the index file's path, and the paths that SQLite writes next to it.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        self.database.paths()
    }

    /// Updates rows and reads journals, newest first, up to a number of bytes. Returns the number of journals that are left.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn catch_up(&self, budget: u64) -> Result<u64, Error> {
        if !self.sessions.is_dir() {
            return Ok(0);
        }
        let behind = self.database.with(|connection| rows::refresh(connection, &self.sessions))?;
        let mut remaining = budget;
        for (done, folder) in behind.iter().enumerate() {
            loop {
                if remaining == 0 {
                    return Ok((behind.len() - done) as u64);
                }
                let (bytes, more) = self.read_piece(folder, remaining)?;
                remaining = remaining.saturating_sub(bytes);
                if !more {
                    break;
                }
            }
        }
        Ok(0)
    }

    fn read_piece(&self, folder: &str, max_bytes: u64) -> Result<(u64, bool), Error> {
        self.database
            .with(|connection| catch_up::read_piece(connection, &self.sessions, folder, max_bytes))
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

    /// Lists sessions with the index's counts, newest first.
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

    /// Searches messages and calls.
    ///
    /// # Errors
    /// The index cannot be read or written, or the cursor is invalid.
    pub fn search(
        &self,
        params: &SessionSearchParams,
        limit: usize,
    ) -> Result<SessionSearchResult, Error> {
        let from = match &params.cursor {
            None => 0,
            Some(cursor) => cursor.parse().map_err(|_| Error::NoCursor(cursor.clone()))?,
        };
        if !self.sessions.is_dir() {
            return Ok(SessionSearchResult::default());
        }
        let behind = match self.catch_up(SEARCH_BUDGET) {
            // The existing index can be searched, though it may be out of date.
            Err(Error::IndexHeld(_)) => 1,
            behind => behind?,
        };
        let folders = params.cwd.as_deref().map(|cwd| place::names(&self.sessions, cwd));
        let asked = search::SearchRequest { params, folders };
        let result =
            self.database.with(|connection| search::search(connection, &asked, from, limit))?;
        Ok(SessionSearchResult { behind, ..result })
    }

    /// Removes a session whose directory is gone, or about to be.
    pub(super) fn forget(&self, folder: &Path) -> Result<(), Error> {
        let Some(folder) = folder.strip_prefix(&self.sessions).ok().and_then(Path::to_str) else {
            return Ok(());
        };
        self.database.with(|connection| rows::forget_folder(connection, folder))
    }

    /// Empties the index. The next use fills it again.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn clear(&self) -> Result<(), Error> {
        if !self.sessions.is_dir() {
            return Ok(());
        }
        self.database.clear()
    }

    /// Checks the index without changing it.
    ///
    /// # Errors
    /// The index cannot be read.
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

/// The number of keys for entries of the same millisecond. Keys rise with time.
const SAME_MS: i64 = 1 << 20;

/// The largest time: a larger one would not fit next to [`SAME_MS`].
const LAST_MS: u64 = 1 << 42;

/// Returns a millisecond's first key.
fn first_key(ms: u64) -> i64 {
    whole(ms.min(LAST_MS)).saturating_mul(SAME_MS)
}

/// Converts a number to SQLite's integer type.
fn whole(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn number_of_kind(kind: EntryKind) -> i64 {
    match kind {
        EntryKind::UserMessage => 0,
        EntryKind::AgentMessage => 1,
        // The index contains no text of the last two.
        EntryKind::ToolCall | EntryKind::ToolOutput | EntryKind::Reasoning => 2,
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
