//! A first pass over a journal for the writer: the events to which its history goes back, and those with labels.

use crate::store::Entry;
use pintle_protocol::event::Event;
use pintle_protocol::history::{HistoryRewound, LabelChanged};
use std::collections::BTreeSet;

/// The places of a journal that are gone back to or named.
#[derive(Debug, Default)]
pub struct Ways {
    /// The last event; those that come after it are not written.
    pub(super) last: u64,
    /// Events after which the history goes on from elsewhere.
    pub(super) stops: BTreeSet<u64>,
    /// Events that have had a name.
    pub(super) named: BTreeSet<u64>,
}

impl Ways {
    /// Takes note of an entry; all of a journal are to be shown, in order.
    pub fn take(&mut self, entry: &Entry) {
        self.last = entry.seq;
        match entry.record.as_ref().map(|record| &record.event) {
            Some(Event::HistoryRewound(rewound)) => {
                self.stops.extend(target(rewound, entry.seq));
            }
            Some(Event::LabelChanged(LabelChanged { seq, .. })) => {
                self.named.insert(*seq);
            }
            Some(_) | None => {}
        }
    }
}

/// Where the history goes on; one that names itself or what comes later is damaged, and goes nowhere.
pub(super) fn target(rewound: &HistoryRewound, seq: u64) -> Option<u64> {
    (rewound.to_seq < seq).then_some(rewound.to_seq)
}
