//! A session's review, folded from its journal as it grows.
//!
//! The review itself is pure (`pintle_session::review`); this module converts entries to its inputs. Invariant: the same journal yields the
//! same review, regardless of reader and time.

use crate::file_history::{FileStates, PLAIN_MODE, content_of};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::files::{ChangedBy, FileState};
use pintle_protocol::ids::TurnId;
use pintle_protocol::isolation::ApplyOutcome;
use pintle_protocol::item::ItemBody;
use pintle_protocol::review::Maker;
use pintle_session::review::{Author, Content, Review};
use pintle_session::store::Entry;
use pintle_session::store::blobs::Blobs;
use std::collections::BTreeSet;

/// A review, and how far of the journal is in it.
#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Reviewed {
    pub(in crate::session) review: Review,
    pub(in crate::session) seq: u64,
    /// The files' last states in the journal.
    pub(in crate::session) files: FileStates,
    /// The turns that have started.
    turns: BTreeSet<TurnId>,
    /// Up to here events came from another session, whose numbers are its own.
    copied_seq: u64,
}

impl Reviewed {
    /// Adds new entries; known ones are skipped. Reads contents from disk, so this blocks.
    pub(in crate::session) fn take(mut self, entries: &[Entry], blobs: &Blobs) -> Self {
        let known = entries.partition_point(|entry| entry.seq <= self.seq);
        for entry in entries.iter().skip(known) {
            if let Some(record) = &entry.record {
                self.record(record, blobs);
            }
        }
        self.seq = entries.last().map_or(self.seq, |entry| entry.seq.max(self.seq));
        self
    }

    /// Returns true if the session has this turn.
    pub(in crate::session) fn has_turn(&self, turn: &TurnId) -> bool {
        self.turns.contains(turn)
    }

    fn record(&mut self, record: &EventRecord, blobs: &Blobs) {
        if let (Event::TurnStarted { .. }, Some(turn)) = (&record.event, &record.turn_id) {
            self.turns.insert(turn.clone());
        }
        if let Event::FilesChanged(changed) = &record.event {
            self.files.update(&changed.changes);
            let author = match &changed.by {
                ChangedBy::Call { item_id, while_ran } => Author::Agent(Maker {
                    turn_id: record.turn_id.clone().unwrap_or_else(|| TurnId::new("")),
                    item_id: item_id.clone(),
                    while_ran: while_ran.clone(),
                }),
                ChangedBy::Other {} => Author::User,
                ChangedBy::Rewind { .. } => Author::Rewind,
                // The preceding decision already records it.
                ChangedBy::Review {} => return,
            };
            for change in &changed.changes {
                let content =
                    |state: &Option<FileState>| state.as_ref().map(|state| content(state, blobs));
                let (before, after) = (content(&change.before), content(&change.after));
                self.review.changed(record.seq, &change.path, before, after, &author);
            }
        }
        // Their changes are hunks of the user's files from now on.
        if let Event::IsolationApplied(applied) = &record.event {
            let taken = applied.files.iter().filter(|file| file.outcome != ApplyOutcome::Kept);
            taken.for_each(|file| self.review.forget(&file.isolated));
        }
        if let Event::ReviewDecided(decision) = &record.event {
            self.review.record(record.seq, decision);
        }
        if let Event::HistoryRewound(rewound) = &record.event
            && let Some(from) = &rewound.merged
        {
            self.copied_seq = from.copied_seq;
        }
        if let Event::SessionCreated(created) = &record.event
            && let Some(from) = &created.forked_from
        {
            self.copied_seq = from.copied_seq;
        }
        if record.seq > self.copied_seq
            && let Event::ItemCompleted { item } = &record.event
            && let ItemBody::EngineMessage(message) = &item.body
        {
            self.review.reported(&message.reviewed);
        }
    }
}

/// Returns a file's content. Content that is not kept counts as binary, and differs from all other contents.
fn content(state: &FileState, blobs: &Blobs) -> Content {
    content_of(state, blobs).unwrap_or_else(|| Content {
        bytes: format!("\0{}", state.sha256).into_bytes().into(),
        mode: state.mode.unwrap_or(PLAIN_MODE),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::ids::SessionId;
    use serde_json::{Value, json};

    #[test]
    fn what_a_fork_was_told_this_session_was_not() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(folder.path());
        let [old, new] = ["one\n", "two\n"].map(|text| {
            let sha256 = blobs.put(text.as_bytes()).unwrap();
            json!({"sha256": sha256, "size": text.len()})
        });
        let by = json!({"type": "call", "itemId": "i"});
        let changes = json!([{"path": "/w/a", "before": old, "after": new}]);
        let changed = json!({"type": "files.changed", "by": by, "changes": changes});
        let part = json!({"hunk": "1.1", "path": "/w/a", "effect": "keep", "outcome": "applied"});
        let action = json!({"type": "keep", "target": {"type": "all"}});
        let decided = json!({"type": "review.decided", "action": action, "parts": [part]});
        let told = json!({"type": "item.completed", "item": {"id": "m", "status": "completed", "startedMs": 1,
            "type": "engineMessage", "text": "kept", "reviewed": [2]}});
        let from = json!({"sessionId": "fork", "seq": 9, "copiedSeq": 4});
        let merged = json!({"type": "history.rewound", "toSeq": 0, "merged": from});
        let labelled = json!({"type": "label.changed", "seq": 1});
        for (what, third, is_told) in
            [("told here", labelled, true), ("told in a fork that was merged", merged, false)]
        {
            let events: [Value; 4] = [changed.clone(), decided.clone(), third, told.clone()];
            let entries = events.into_iter().zip(1..).map(|(event, seq)| {
                let event = serde_json::from_value(event).unwrap();
                let session_id = SessionId::new("s");
                let record =
                    EventRecord { session_id, seq, ts_ms: 1, turn_id: None, cause: None, event };
                Entry::written(record)
            });
            let entries: Vec<Entry> = entries.collect();
            let untold = |entries: &[Entry]| {
                Reviewed::default().take(entries, &blobs).review.pending_note().seqs
            };
            assert_eq!(untold(&entries[..3]), [2], "{what}");
            assert_eq!(untold(&entries).is_empty(), is_told, "{what}");
        }
    }
}
