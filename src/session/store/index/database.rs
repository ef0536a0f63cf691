//! The index file: opened on first use, rebuilt when its schema has another version, set aside when it is damaged.
//!
//! Invariant: nothing in it is the truth. If it cannot be written, or its directory is temporary, it is kept in memory.
//!
//! The connection is locked: it serves one thread at a time, and each use is a short transaction on a blocking thread.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use crate::store::Error;
use pintle_base::private_files;
use pintle_os::{names, replace};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The file's name in the data directory.
const FILE: &str = "index.sqlite";

/// The new name of a damaged file; an older one with that name is removed.
const DAMAGED: &str = "index.sqlite.damaged";

/// The schema's version. If the file has another one, everything is dropped and read again from the journals.
const VERSION: i64 = 3;

/// How long to wait for another process that has locked the file. Its transactions take milliseconds, more on a busy machine.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// When several processes create the file at the same moment, SQLite rejects all but one at once, whatever the busy timeout.
const OPEN_ATTEMPTS: u32 = 50;
const OPEN_RETRY_DELAY: Duration = Duration::from_millis(20);

/// Pages kept in memory, in KiB.
const CACHE_KIB: i64 = 16 * 1024;

/// The number of statements that stay compiled.
const STATEMENTS: usize = 48;

const TABLES: &str = "
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  -- The folder below `sessions`, and its name, which lists are ordered by.
  folder TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  id TEXT NOT NULL,
  cwd TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  title TEXT,
  parent_session TEXT,
  parent_agent TEXT,
  forked_from TEXT,
  -- The journal when the row was written.
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  -- The journal when its lines were last read, up to where, and what its last line was.
  read_size INTEGER NOT NULL DEFAULT -1,
  read_mtime_ns INTEGER NOT NULL DEFAULT -1,
  offset INTEGER NOT NULL DEFAULT 0,
  last_length INTEGER NOT NULL DEFAULT 0,
  last_crc INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  -- The last line that came from another session, which counts what was used.
  copied_seq INTEGER NOT NULL DEFAULT 0,
  entries INTEGER NOT NULL DEFAULT 0,
  turns INTEGER NOT NULL DEFAULT 0,
  cost_nano_usd INTEGER,
  state TEXT NOT NULL DEFAULT 'idle'
);
CREATE INDEX sessions_by_name ON sessions (name);
CREATE INDEX sessions_by_id ON sessions (id);
CREATE INDEX sessions_by_parent ON sessions (parent_session);
-- What can be found. Keys rise with time.
CREATE TABLE entries (
  key INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  ts_ms INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  role INTEGER NOT NULL,
  turn TEXT,
  item TEXT NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  text TEXT NOT NULL,
  paths TEXT NOT NULL
);
CREATE UNIQUE INDEX entries_by_place ON entries (session, seq);
CREATE VIRTUAL TABLE substrings USING fts5 (
  text, paths, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1
);
CREATE VIRTUAL TABLE short USING fts5 (
  text, tokenize = 'unicode61 remove_diacritics 0', content = '', contentless_delete = 1
);
";

/// The file, or its replacement in memory. Used from threads that may block.
#[derive(Debug)]
pub(super) struct Database {
    data: PathBuf,
    /// False for an index that never has a file.
    has_file: bool,
    /// Held while one thread reads or writes, never over an await.
    open: Mutex<Option<Connection>>,
}

impl Database {
    pub(super) fn new(data: &Path) -> Self {
        Self { data: data.to_owned(), has_file: true, open: Mutex::new(None) }
    }

    pub(super) fn in_memory(data: &Path) -> Self {
        Self { has_file: false, ..Self::new(data) }
    }

    /// Returns the file's path, and the paths that SQLite writes next to it.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        ["", "-wal", "-shm", "-journal"]
            .map(|end| self.data.join(format!("{FILE}{end}")))
            .into_iter()
    }

    /// Runs work on the database. If it is damaged, it is set aside and the work repeated on a new one; if it cannot be written, on one in
    /// memory.
    pub(super) fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let mut open = self.lock();
        let first = self.attempt(&mut open, &mut work);
        let done = match first {
            Err(error) if is_damaged(&error) => {
                // Close the connection before its file is moved.
                *open = None;
                self.set_aside(&error);
                self.attempt(&mut open, &mut work)
            }
            Err(error) if is_read_only(&error) => {
                *open = None;
                tracing::debug!(
                    "the index is in memory, since its file cannot be written: {error}"
                );
                in_memory().and_then(|connection| work(open.insert(connection)))
            }
            done => done,
        };
        done.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => Error::IndexHeld(self.path()),
            Some(_) | None => Error::Index { path: self.path(), message: error.to_string() },
        })
    }

    fn attempt<T>(
        &self,
        open: &mut MutexGuard<'_, Option<Connection>>,
        work: &mut impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let connection = match &mut **open {
            Some(connection) => connection,
            empty => empty.insert(self.connect()?),
        };
        work(connection)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        // A panic leaves a connection whose transaction was rolled back.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self) -> PathBuf {
        self.data.join(FILE)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        if !self.has_file {
            return in_memory();
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        self.make_private();
        let path = self.path();
        for _ in 0..OPEN_ATTEMPTS {
            match Connection::open_with_flags(names::verbatim(&path), flags).and_then(prepared) {
                Err(error) if is_busy(&error) => std::thread::sleep(OPEN_RETRY_DELAY),
                opened => return opened,
            }
        }
        Connection::open_with_flags(names::verbatim(&path), flags).and_then(prepared)
    }

    /// Creates the file with access for its owner only, which SQLite would not; the files next to it (`-wal`, `-shm`) get the same
    /// permissions. A failure is left to SQLite to report.
    fn make_private(&self) {
        let path = self.path();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        if private_files::open_private(&path, &mut options).is_ok() {
            for ending in ["", "-wal", "-shm"] {
                let _ = private_files::tighten(&self.data.join(format!("{FILE}{ending}")));
            }
        }
    }

    fn set_aside(&self, error: &rusqlite::Error) {
        let (from, to) = (self.path(), self.data.join(DAMAGED));
        tracing::warn!(
            "{} is damaged ({error}); it is kept as {} and rebuilt from the journals",
            from.display(),
            to.display()
        );
        let _ = replace::rename(&from, &to);
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(self.data.join(format!("{FILE}{ending}")));
        }
    }

    /// Drops all tables and creates them empty.
    pub(super) fn clear(&self) -> Result<(), Error> {
        self.with(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            rebuild(&transaction)?;
            transaction.commit()
        })
    }

    /// Returns the problems that SQLite finds in its file.
    pub(super) fn damage(&self) -> Result<Option<String>, Error> {
        self.with(|connection| {
            let result: String =
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            Ok((result != "ok").then_some(result))
        })
    }
}

fn prepared(mut connection: Connection) -> rusqlite::Result<Connection> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    if version(&connection)? != VERSION {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have done it already.
        if version(&transaction)? != VERSION {
            rebuild(&transaction)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Drops all tables, whatever they are, and creates the index's.
fn rebuild(connection: &Connection) -> rusqlite::Result<()> {
    // Virtual tables first: their shadow tables go with them.
    let list = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'";
    loop {
        let mut statement = connection.prepare(list)?;
        let next: Option<String> = statement.query_map([], |row| row.get(0))?.next().transpose()?;
        drop(statement);
        let Some(name) = next else { break };
        connection.execute(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")), [])?;
    }
    connection.execute_batch(TABLES)?;
    connection.pragma_update(None, "user_version", VERSION)
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, message) = error else { return false };
    matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        // A table was dropped by another program.
        || message.as_deref().is_some_and(|message| message.starts_with("no such table"))
}

fn in_memory() -> rusqlite::Result<Connection> {
    Connection::open_in_memory().and_then(prepared)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let codes = [ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked];
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}

fn is_read_only(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, _) = error else { return false };
    matches!(
        failure.code,
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied
    )
}
