//! A first pass over a journal for the writer: the events to which its history returns, and those with labels.

use crate::history::tree;
use crate::store::{Entry, Error, Store};
use pintle_protocol::event::Event;
use pintle_protocol::history::{HistoryRewound, LabelChanged};
use pintle_protocol::ids::SessionId;
use std::collections::BTreeSet;

/// The journal events to which its history returns, or that have labels.
#[derive(Debug, Default)]
pub struct BranchPoints {
    /// The last event; later ones are not written.
    pub(super) last: u64,
    /// Events after which the history continues from an earlier one.
    pub(super) returns: BTreeSet<u64>,
    /// Events that have had a label.
    pub(super) labelled: BTreeSet<u64>,
}

impl BranchPoints {
    /// Reads a session's branch points.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub fn read(store: &Store, session: &SessionId) -> Result<Self, Error> {
        let mut found = Self::default();
        for entry in store.entries_of(session, &[tree::TURNING, "label.changed"])? {
            found.take(&entry?);
        }
        Ok(found)
    }

    /// Handles an entry; all entries of a journal are needed, in order.
    pub fn take(&mut self, entry: &Entry) {
        self.last = entry.seq;
        match entry.record.as_ref().map(|record| &record.event) {
            Some(Event::HistoryRewound(rewound)) => {
                self.returns.extend(target(rewound, entry.seq));
            }
            Some(Event::LabelChanged(LabelChanged { seq, .. })) => {
                self.labelled.insert(*seq);
            }
            Some(_) | None => {}
        }
    }
}

/// Returns the event from which the history continues; `None` for a damaged event that refers to itself or a later one.
pub(super) fn target(rewound: &HistoryRewound, seq: u64) -> Option<u64> {
    (rewound.to_seq < seq).then_some(rewound.to_seq)
}
