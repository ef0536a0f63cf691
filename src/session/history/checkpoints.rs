//! Points of a session to which its files can be rewound. Pure.

use crate::store::Entry;
use pintle_protocol::event::Event;
use pintle_protocol::history::Checkpoint;
use std::collections::BTreeMap;

/// Returns the session's start and each turn's end, oldest first, with the files that changed before it.
pub fn checkpoints(entries: &[Entry]) -> Vec<Checkpoint> {
    let records = || entries.iter().filter_map(|entry| entry.record.as_ref());
    let mut labels = BTreeMap::new();
    for record in records() {
        if let Event::LabelChanged(changed) = &record.event {
            labels.insert(changed.seq, changed.label.clone());
        }
    }
    let mut checkpoints: Vec<Checkpoint> = Vec::new();
    let mut changed: Vec<String> = Vec::new();
    for record in records() {
        if let Event::FilesChanged(files) = &record.event {
            changed.extend(files.changes.iter().map(|change| change.path.clone()));
        }
        let is_end = matches!(record.event, Event::TurnCompleted(_));
        if is_end || matches!(record.event, Event::SessionCreated(_)) {
            changed.sort();
            changed.dedup();
            checkpoints.push(Checkpoint {
                seq: record.seq,
                turn_id: record.turn_id.clone().filter(|_| is_end),
                ts_ms: record.ts_ms,
                changed: std::mem::take(&mut changed),
                label: labels.get(&record.seq).cloned().flatten(),
            });
        }
    }
    checkpoints
}
