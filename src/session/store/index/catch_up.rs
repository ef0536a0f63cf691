//! Reads journals into the index. Nothing else writes to it, whichever process wrote the journal.
//!
//! Invariant: a row records the byte up to which its journal was read and a checksum of the last line; if that no longer matches, the
//! session's rows are dropped and read again.
#![warn(clippy::wildcard_enum_match_arm, reason = "a new event must be counted in the index")]

use super::extract::{self, SearchEntry};
use super::rows::{JournalFile, facts_of, forget, insert};
use super::whole;
use super::words::{fold, short_words};
use crate::store::header::FILE;
use crate::store::list;
use pintle_base::private_files;
use pintle_protocol::event::{Event, EventRecord};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The maximum number of bytes of a journal that are read in one transaction, which blocks other processes for less than a second.
const MAX_PIECE_BYTES: u64 = 1024 * 1024;

/// The position up to which a journal was read.
#[derive(Debug, Clone, Copy)]
struct Position {
    key: i64,
    offset: u64,
    last_length: u64,
    last_crc: u32,
    last_seq: u64,
    /// The last event that was copied from another session.
    copied_seq: u64,
}

/// Reads the next piece of a session's journal into the index, of at most about `max_bytes` bytes. Returns the number of bytes read, and
/// true if there is more.
pub(super) fn read_piece(
    connection: &mut Connection,
    sessions: &Path,
    folder: &str,
    max_bytes: u64,
) -> rusqlite::Result<(u64, bool)> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let nothing = Ok((0, false));
    let Some(mut position) = position_of(&transaction, folder)? else { return nothing };
    let path = sessions.join(folder).join(FILE);
    // A journal that cannot be read now is tried again the next time.
    let Ok(file) = private_files::open(&path) else { return nothing };
    let Ok(facts) = file.metadata() else { return nothing };
    let (size, mtime_ns) = facts_of(&facts);
    if !is_unchanged(&file, &position) {
        // The journal was replaced: by a backup, or by an edit.
        forget(&transaction, position.key)?;
        let Some(summary) = list::summary(&sessions.join(folder)) else {
            transaction.commit()?;
            return nothing;
        };
        insert(&transaction, &JournalFile { folder: folder.to_owned(), size, mtime_ns }, &summary)?;
        let Some(fresh) = position_of(&transaction, folder)? else { return nothing };
        position = fresh;
    }
    let start = position.offset;
    let mut tally = Tally::default();
    let is_end =
        read_lines(&file, &mut position, max_bytes.min(MAX_PIECE_BYTES), &mut tally, &transaction)?;
    save(&transaction, &position, &tally, is_end.then_some((size, mtime_ns)))?;
    transaction.commit()?;
    Ok((position.offset - start, !is_end))
}

fn position_of(transaction: &Transaction<'_>, folder: &str) -> rusqlite::Result<Option<Position>> {
    transaction
        .prepare_cached(
            "SELECT key, offset, last_length, last_crc, last_seq, copied_seq FROM sessions WHERE folder = ?1",
        )?
        .query_row([folder], |row| {
            let number = |column| row.get::<_, i64>(column).map(|n| u64::try_from(n).unwrap_or(0));
            Ok(Position {
                key: row.get(0)?,
                offset: number(1)?,
                last_length: number(2)?,
                last_crc: row.get(3)?,
                last_seq: number(4)?,
                copied_seq: number(5)?,
            })
        })
        .optional()
}

/// Returns true if the last line that was read is unchanged.
fn is_unchanged(mut file: &File, position: &Position) -> bool {
    let mut read = || -> io::Result<u32> {
        file.seek(SeekFrom::Start(position.offset - position.last_length))?;
        let mut line = Vec::new();
        file.take(position.last_length).read_to_end(&mut line)?;
        Ok(crc32fast::hash(&line))
    };
    position.offset == 0 || read().is_ok_and(|crc| crc == position.last_crc)
}

/// The facts about a session in a piece of its journal.
#[derive(Debug, Default)]
struct Tally {
    entries: i64,
    turns: i64,
    cost_nano_usd: Option<i64>,
    state: Option<&'static str>,
}

impl Tally {
    fn spend(&mut self, cost_nano_usd: Option<u64>) {
        if let Some(cost) = cost_nano_usd {
            let sum = self.cost_nano_usd.unwrap_or(0).saturating_add(whole(cost));
            self.cost_nano_usd = Some(sum);
        }
    }

    /// Handles an event. Copied events were counted in the other session.
    fn take(&mut self, event: &Event, is_copied: bool) {
        match event {
            Event::TurnStarted { .. } => {
                self.turns += 1;
                self.state = Some("running");
            }
            Event::TurnCompleted(turn) => {
                self.state = Some("idle");
                self.spend(turn.cost_nano_usd.filter(|_| !is_copied));
            }
            Event::SessionClosed {} => self.state = Some("closed"),
            Event::SessionUpdated(updated) => self.spend(updated.cost_nano_usd),
            Event::SessionCreated(_)
            | Event::SessionMoved(_)
            | Event::InputAccepted(_)
            | Event::InputRemoved { .. }
            | Event::QueueChanged { .. }
            | Event::PromptMade(_)
            | Event::ItemStarted { .. }
            | Event::ItemUpdated { .. }
            | Event::ItemCompleted { .. }
            | Event::ApprovalRequested(_)
            | Event::ApprovalResolved(_)
            | Event::QuestionRequested(_)
            | Event::QuestionResolved(_)
            | Event::PlanUpdated(_)
            | Event::StepCompleted(_)
            | Event::RetryScheduled(_)
            | Event::ContextPruned(_)
            | Event::ConfigChanged(_)
            | Event::FilesChanged(_)
            | Event::IsolationApplied(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::HistoryRewound(_)
            | Event::LabelChanged(_)
            | Event::Notice(_) => {}
        }
    }
}

/// Returns the number up to which the following events are copies, if an event records it.
fn copied(event: &Event) -> Option<u64> {
    if let Event::SessionCreated(created) = event {
        return Some(created.forked_from.as_ref()?.copied_seq);
    }
    let Event::HistoryRewound(rewound) = event else { return None };
    Some(rewound.merged.as_ref()?.copied_seq)
}

/// The fields that determine whether a line matters.
#[derive(Deserialize)]
struct Head<'a> {
    seq: u64,
    #[serde(borrow)]
    event: &'a RawValue,
}

/// Reads complete lines from the position on; returns true when the end was reached.
fn read_lines(
    mut file: &File,
    position: &mut Position,
    max_bytes: u64,
    tally: &mut Tally,
    transaction: &Transaction<'_>,
) -> rusqlite::Result<bool> {
    let start = position.offset;
    if file.seek(SeekFrom::Start(start)).is_err() {
        return Ok(true);
    }
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    loop {
        if position.offset - start >= max_bytes {
            return Ok(false);
        }
        line.clear();
        // An incomplete line is not read: it is being written, or its writer will set it aside.
        let Ok(length) = private_files::read_line(&mut reader, &mut line) else { return Ok(true) };
        if length == 0 || line.last() != Some(&b'\n') {
            return Ok(true);
        }
        let offset = position.offset;
        position.offset += length as u64;
        position.last_length = length as u64;
        position.last_crc = crc32fast::hash(&line);
        // Damaged lines are skipped, as in the journal reader.
        let Ok(head) = serde_json::from_slice::<Head<'_>>(&line) else { continue };
        if head.seq <= position.last_seq {
            continue;
        }
        position.last_seq = head.seq;
        if !extract::may_matter(head.event.get()) {
            continue;
        }
        let Ok(record) = serde_json::from_slice::<EventRecord>(&line) else { continue };
        if let Some(copied_seq) = copied(&record.event) {
            position.copied_seq = copied_seq;
        }
        tally.take(&record.event, record.seq <= position.copied_seq);
        if let Some(entry) = extract::search_entry(&record) {
            tally.entries += 1;
            add(transaction, position.key, &record, &entry, (offset, length as u64))?;
        }
    }
}

fn add(
    transaction: &Transaction<'_>,
    session: i64,
    record: &EventRecord,
    entry: &SearchEntry,
    (offset, length): (u64, u64),
) -> rusqlite::Result<()> {
    let first = super::first_key(record.ts_ms);
    let key: i64 = transaction
        .prepare_cached(
            "SELECT coalesce(max(key) + 1, ?1) FROM entries WHERE key >= ?1 AND key < ?2",
        )?
        .query_row([first, first.saturating_add(super::SAME_MS)], |row| row.get(0))?;
    let added = transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO entries (key, session, seq, ts_ms, kind, role, turn, item, offset, length, text, paths)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            key,
            session,
            whole(record.seq),
            whole(record.ts_ms),
            super::number_of_kind(entry.kind),
            super::number_of_role(entry.role),
            record.turn_id.as_ref().map(ToString::to_string),
            entry.item_id,
            whole(offset),
            whole(length),
            entry.text,
            entry.paths,
        ])?;
    if added == 0 {
        return Ok(());
    }
    let (text, paths) = (fold(&entry.text), fold(&entry.paths));
    transaction
        .prepare_cached("INSERT INTO substrings (rowid, text, paths) VALUES (?1, ?2, ?3)")?
        .execute(params![key, text, paths])?;
    let short = short_words(&text);
    if !short.is_empty() {
        transaction
            .prepare_cached("INSERT INTO short (rowid, text) VALUES (?1, ?2)")?
            .execute(params![key, short])?;
    }
    Ok(())
}

fn save(
    transaction: &Transaction<'_>,
    position: &Position,
    tally: &Tally,
    read: Option<(i64, i64)>,
) -> rusqlite::Result<()> {
    let (size, mtime_ns) = read.unwrap_or((-1, -1));
    transaction
        .prepare_cached(
            "UPDATE sessions SET offset = ?2, last_length = ?3, last_crc = ?4, last_seq = ?5,
             read_size = ?6, read_mtime_ns = ?7, entries = entries + ?8, turns = turns + ?9, copied_seq = ?12,
             cost_nano_usd = CASE WHEN ?10 IS NULL THEN cost_nano_usd ELSE coalesce(cost_nano_usd, 0) + ?10 END,
             state = coalesce(?11, state) WHERE key = ?1",
        )?
        .execute(params![
            position.key,
            whole(position.offset),
            whole(position.last_length),
            position.last_crc,
            whole(position.last_seq),
            size,
            mtime_ns,
            tally.entries,
            tally.turns,
            tally.cost_nano_usd,
            tally.state,
            whole(position.copied_seq),
        ])?;
    Ok(())
}
