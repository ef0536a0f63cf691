//! Session rows, compared with their directories: new, removed, or with unread lines.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::whole;
use crate::store::draft;
use crate::store::header::FILE;
use crate::store::list;
use pintle_os::file::Facts;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::SessionSummary;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A session directory's journal on disk.
#[derive(Debug)]
pub(super) struct JournalFile {
    pub(super) folder: String,
    pub(super) size: i64,
    pub(super) mtime_ns: i64,
}

/// The session columns needed for catching up.
#[derive(Debug)]
struct Row {
    key: i64,
    size: i64,
    mtime_ns: i64,
    is_read: bool,
}

/// Compares directories with rows: new directories get a row, rows of missing ones are dropped. Returns the directories whose journals have
/// unread lines, newest first.
pub(super) fn refresh(
    connection: &mut Connection,
    sessions: &Path,
) -> rusqlite::Result<Vec<String>> {
    let mut rows = stored_rows(connection)?;
    let mut new = Vec::new();
    let mut changed = Vec::new();
    let mut behind = Vec::new();
    for file in journal_files(sessions) {
        match rows.remove(&file.folder) {
            // A directory without a readable journal is not a session, or incomplete.
            None => new.extend(list::summary(&sessions.join(&file.folder)).map(|now| (file, now))),
            Some(row) => {
                let is_same = row.size == file.size && row.mtime_ns == file.mtime_ns;
                if !(is_same && row.is_read) {
                    behind.push(file.folder.clone());
                }
                if !is_same {
                    changed.push((row, file));
                }
            }
        }
    }
    if !(new.is_empty() && changed.is_empty() && rows.is_empty()) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for row in rows.values() {
            forget(&transaction, row.key)?;
        }
        for (row, file) in changed {
            // The first prompt, another title or another working directory may have been recorded since.
            let now = list::summary(&sessions.join(&file.folder));
            let (title, cwd) = now.map(|now| (now.title, now.cwd)).unzip();
            transaction
                .prepare_cached(
                    "UPDATE sessions SET size = ?2, mtime_ns = ?3, updated_ms = ?4, title = ?5,
                     cwd = coalesce(?6, cwd) WHERE key = ?1",
                )?
                .execute(params![
                    row.key,
                    file.size,
                    file.mtime_ns,
                    file.mtime_ns / 1_000_000,
                    title.flatten(),
                    cwd
                ])?;
        }
        for (file, summary) in new {
            insert(&transaction, &file, &summary)?;
            behind.push(file.folder);
        }
        transaction.commit()?;
    }
    behind.sort_unstable_by(|a, b| name_of(b).cmp(name_of(a)));
    Ok(behind)
}

/// Returns the directories whose journals have changed since they were read, and those that are gone.
pub(super) fn behind(connection: &Connection, sessions: &Path) -> rusqlite::Result<Vec<String>> {
    let mut rows = stored_rows(connection)?;
    let mut behind = Vec::new();
    for file in journal_files(sessions) {
        let row = rows.remove(&file.folder);
        let is_same = match row {
            Some(row) => row.is_read && row.size == file.size && row.mtime_ns == file.mtime_ns,
            None => list::summary(&sessions.join(&file.folder)).is_none(),
        };
        if !is_same {
            behind.push(file.folder);
        }
    }
    behind.extend(rows.into_keys());
    behind.sort_unstable();
    Ok(behind)
}

fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

fn stored_rows(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Row>> {
    let mut statement = connection.prepare_cached(
        "SELECT folder, key, size, mtime_ns, read_size = size AND read_mtime_ns = mtime_ns
         FROM sessions",
    )?;
    let rows = statement.query_map([], |row| {
        let (key, size, mtime_ns) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let stored = Row { key, size, mtime_ns, is_read: row.get(4)? };
        Ok((row.get(0)?, stored))
    })?;
    rows.collect()
}

fn journal_files(sessions: &Path) -> Vec<JournalFile> {
    let mut all = Vec::new();
    let slugs = fs::read_dir(sessions).into_iter().flatten().flatten();
    for slug in slugs {
        let Ok(slug_name) = slug.file_name().into_string() else { continue };
        let folders = fs::read_dir(slug.path()).into_iter().flatten().flatten();
        for folder in folders.filter(|folder| draft::is_shown(&folder.path())) {
            let Ok(name) = folder.file_name().into_string() else { continue };
            let Ok(facts) = fs::metadata(folder.path().join(FILE)) else { continue };
            let (size, mtime_ns) = facts_of(&facts);
            all.push(JournalFile { folder: format!("{slug_name}/{name}"), size, mtime_ns });
        }
    }
    all
}

/// Returns a file's size and time in row format.
pub(super) fn facts_of(facts: &fs::Metadata) -> (i64, i64) {
    let size = i64::try_from(facts.len()).unwrap_or(i64::MAX);
    let (seconds, nanos) = facts.modified_at();
    (size, seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}

/// Inserts a session's row.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    file: &JournalFile,
    summary: &SessionSummary,
) -> rusqlite::Result<()> {
    let parent = summary.parent.as_ref();
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO sessions (folder, name, id, cwd, created_ms, updated_ms, title, parent_session,
             parent_agent, forked_from, size, mtime_ns) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            file.folder,
            name_of(&file.folder),
            summary.session_id.as_str(),
            summary.cwd,
            whole(summary.created_ms),
            file.mtime_ns / 1_000_000,
            summary.title,
            parent.map(|parent| parent.session_id.as_str()),
            parent.map(|parent| parent.agent_id.as_str()),
            summary.forked_from.as_ref().map(SessionId::as_str),
            file.size,
            file.mtime_ns,
        ])?;
    Ok(())
}

/// Removes a session with its entries.
pub(super) fn forget(transaction: &Transaction<'_>, key: i64) -> rusqlite::Result<()> {
    for table in ["substrings", "short"] {
        transaction.execute(
            &format!(
                "DELETE FROM {table} WHERE rowid IN (SELECT key FROM entries WHERE session = ?1)"
            ),
            [key],
        )?;
    }
    transaction.execute("DELETE FROM entries WHERE session = ?1", [key])?;
    transaction.execute("DELETE FROM sessions WHERE key = ?1", [key])?;
    Ok(())
}

/// Removes a session by its directory.
pub(super) fn forget_folder(connection: &mut Connection, folder: &str) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let key = transaction
        .query_row("SELECT key FROM sessions WHERE folder = ?1", [folder], |row| row.get(0))
        .optional()?;
    if let Some(key) = key {
        forget(&transaction, key)?;
    }
    transaction.commit()
}
