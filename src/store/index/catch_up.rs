//! Reads journals into the index. This is the only way in which anything comes into it, whoever wrote the journal and whenever.
//!
//! Invariant: a row says up to which byte its journal was read and what stood there last; when that is not so any more, the
//! session's rows are thrown away and read again.
#![warn(clippy::wildcard_enum_match_arm, reason = "a new event must be counted in the index")]
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::extract::{self, Found};
use super::rows::{Seen, facts_of, forget, insert};
use super::whole;
use super::words::{fold, short_words};
use crate::store::journal::FILE;
use crate::store::list;
use pintle_protocol::event::{Event, EventRecord};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The most bytes of a journal that are read in one transaction. Another process waits for no longer than this takes: less than
/// a second where it is all text.
const PIECE: u64 = 1024 * 1024;

/// The position up to which a journal was read.
#[derive(Debug, Clone, Copy)]
struct Place {
    key: i64,
    offset: u64,
    last_length: u64,
    last_crc: u32,
    last_seq: u64,
    /// The last event that was copied from another session.
    copied_seq: u64,
}

/// Reads the next piece of a session's journal into the index, of about so many bytes at most. Returns how many it was, and whether
/// there is more.
pub(super) fn read_piece(
    connection: &mut Connection,
    sessions: &Path,
    folder: &str,
    most: u64,
) -> rusqlite::Result<(u64, bool)> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let nothing = Ok((0, false));
    let Some(mut place) = place_of(&transaction, folder)? else { return nothing };
    let path = sessions.join(folder).join(FILE);
    // A journal that cannot be read now is looked at again the next time.
    let Ok(file) = File::open(&path) else { return nothing };
    let Ok(facts) = file.metadata() else { return nothing };
    let (size, mtime_ns) = facts_of(&facts);
    if !still_stands(&file, &place) {
        // It is another journal than the one that was read: a backup, or somebody's edit.
        forget(&transaction, place.key)?;
        let Some(summary) = list::summary(&sessions.join(folder)) else {
            transaction.commit()?;
            return nothing;
        };
        insert(&transaction, &Seen { folder: folder.to_owned(), size, mtime_ns }, &summary)?;
        let Some(anew) = place_of(&transaction, folder)? else { return nothing };
        place = anew;
    }
    let start = place.offset;
    let mut tally = Tally::default();
    let is_end = read_lines(&file, &mut place, most.min(PIECE), &mut tally, &transaction)?;
    save(&transaction, &place, &tally, is_end.then_some((size, mtime_ns)))?;
    transaction.commit()?;
    Ok((place.offset - start, !is_end))
}

fn place_of(transaction: &Transaction<'_>, folder: &str) -> rusqlite::Result<Option<Place>> {
    transaction
        .prepare_cached(
            "SELECT key, offset, last_length, last_crc, last_seq, copied_seq FROM sessions WHERE folder = ?1",
        )?
        .query_row([folder], |row| {
            let number = |column| row.get::<_, i64>(column).map(|n| u64::try_from(n).unwrap_or(0));
            Ok(Place {
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

/// True when the last line that was read is still where it was.
fn still_stands(mut file: &File, place: &Place) -> bool {
    let mut read = || -> io::Result<u32> {
        file.seek(SeekFrom::Start(place.offset - place.last_length))?;
        let mut line = Vec::new();
        file.take(place.last_length).read_to_end(&mut line)?;
        Ok(crc32fast::hash(&line))
    };
    place.offset == 0 || read().is_ok_and(|crc| crc == place.last_crc)
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

    /// Takes note of an event. What was copied was used elsewhere.
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
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::HistoryRewound(_)
            | Event::LabelChanged(_)
            | Event::Notice(_) => {}
        }
    }
}

/// Up to which event what follows comes from another session, where an event says so.
fn copied(event: &Event) -> Option<u64> {
    if let Event::SessionCreated(created) = event {
        return Some(created.forked_from.as_ref()?.copied_seq);
    }
    let Event::HistoryRewound(rewound) = event else { return None };
    Some(rewound.merged.as_ref()?.copied_seq)
}

/// A line as far as it must be read to know whether it matters.
#[derive(Deserialize)]
struct Head<'a> {
    seq: u64,
    #[serde(borrow)]
    event: &'a RawValue,
}

/// Reads whole lines from the place on; returns whether the end was reached.
fn read_lines(
    mut file: &File,
    place: &mut Place,
    most: u64,
    tally: &mut Tally,
    transaction: &Transaction<'_>,
) -> rusqlite::Result<bool> {
    let start = place.offset;
    if file.seek(SeekFrom::Start(start)).is_err() {
        return Ok(true);
    }
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    loop {
        if place.offset - start >= most {
            return Ok(false);
        }
        line.clear();
        // A line that is not whole is not read: it is being written, or its writer will set it aside.
        let Ok(length) = reader.read_until(b'\n', &mut line) else { return Ok(true) };
        if length == 0 || line.last() != Some(&b'\n') {
            return Ok(true);
        }
        let offset = place.offset;
        place.offset += length as u64;
        place.last_length = length as u64;
        place.last_crc = crc32fast::hash(&line);
        // Damaged lines are passed over, as the journal's own reader does.
        let Ok(head) = serde_json::from_slice::<Head<'_>>(&line) else { continue };
        if head.seq <= place.last_seq {
            continue;
        }
        place.last_seq = head.seq;
        if !extract::may_matter(head.event.get()) {
            continue;
        }
        let Ok(record) = serde_json::from_slice::<EventRecord>(&line) else { continue };
        if let Some(copied_seq) = copied(&record.event) {
            place.copied_seq = copied_seq;
        }
        tally.take(&record.event, record.seq <= place.copied_seq);
        if let Some(found) = extract::found(&record) {
            tally.entries += 1;
            add(transaction, place.key, &record, &found, (offset, length as u64))?;
        }
    }
}

fn add(
    transaction: &Transaction<'_>,
    session: i64,
    record: &EventRecord,
    found: &Found,
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
            super::number_of_kind(found.kind),
            super::number_of_role(found.role),
            record.turn_id.as_ref().map(ToString::to_string),
            found.item_id,
            whole(offset),
            whole(length),
            found.text,
            found.paths,
        ])?;
    if added == 0 {
        return Ok(());
    }
    let (text, paths) = (fold(&found.text), fold(&found.paths));
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
    place: &Place,
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
            place.key,
            whole(place.offset),
            whole(place.last_length),
            place.last_crc,
            whole(place.last_seq),
            size,
            mtime_ns,
            tally.entries,
            tally.turns,
            tally.cost_nano_usd,
            tally.state,
            whole(place.copied_seq),
        ])?;
    Ok(())
}
