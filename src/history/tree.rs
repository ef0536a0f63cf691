//! The tree that a journal's line of events is, and the way through it that holds: pure.
//!
//! Each event comes after the one before it, except `history.rewound`, which comes after the event that it names. So nothing is ever
//! taken out of a journal, and a journal without such events is one way.
//!
//! Each event follows the one before it, except `history.rewound`, which follows the event that it names. So nothing is removed from a
//! journal, numbers stay gapless, and going forward again is going to another place. A fork copies the path, not the tree.

use crate::store::Entry;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::history::{HistoryNode, HistoryPoint};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody};
use std::collections::{BTreeMap, BTreeSet};

/// The length of a message in a node.
const TEXT_CHARS: usize = 120;

/// The part of an entry that tells its place in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    seq: u64,
    rewound_to: Option<u64>,
}

impl Mark {
    pub(super) fn of(entry: &Entry) -> Self {
        Self { seq: entry.seq, rewound_to: rewound_to(entry) }
    }
}

/// The numbers of the events on the way to the one numbered `leaf`, or the last one before it.
pub fn path(entries: &[Entry], leaf: u64) -> BTreeSet<u64> {
    let marks: Vec<Mark> = entries.iter().map(Mark::of).collect();
    way(&marks, leaf)
}

/// The way to an event, as [`path`], from as little as is needed.
pub(super) fn way(marks: &[Mark], leaf: u64) -> BTreeSet<u64> {
    let mut path = BTreeSet::new();
    let behind = |seq: u64| marks.partition_point(|mark| mark.seq <= seq);
    let mut end = behind(leaf);
    while let Some(mark) = end.checked_sub(1).and_then(|last| marks.get(last)) {
        path.insert(mark.seq);
        end = match mark.rewound_to {
            // One that names itself or what comes later is damaged; it is taken for any other.
            Some(to) if to < mark.seq => behind(to),
            Some(_) | None => end - 1,
        };
    }
    path
}

/// Only the entries on the way to the one numbered `leaf`.
pub fn on_path(mut entries: Vec<Entry>, leaf: u64) -> Vec<Entry> {
    if entries.iter().any(|entry| rewound_to(entry).is_some() || entry.seq > leaf) {
        let path = path(&entries, leaf);
        entries.retain(|entry| path.contains(&entry.seq));
    }
    entries
}

/// The event after which the way goes on from an entry, where that is not the one before it.
pub fn rewound_to(entry: &Entry) -> Option<u64> {
    let Event::HistoryRewound(rewound) = &entry.record.as_ref()?.event else { return None };
    Some(rewound.to_seq)
}

/// A place that was found: the event after which it is, and the message that it is before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The event's number; 0 is the beginning.
    pub seq: u64,
    /// The message.
    pub input: Vec<Input>,
}

/// Finds a place.
///
/// # Errors
/// Why there is none, in words for a person.
pub fn find(entries: &[Entry], point: &HistoryPoint) -> Result<Place, String> {
    let last = entries.last().map_or(0, |entry| entry.seq);
    match point {
        HistoryPoint { item_id: Some(id), turn_id: None, seq: None } => before(entries, id),
        HistoryPoint { item_id: None, turn_id: Some(id), seq: None } => {
            let ended = records(entries).find(|record| {
                matches!(record.event, Event::TurnCompleted(_))
                    && record.turn_id.as_ref() == Some(id)
            });
            let seq = ended.ok_or_else(|| format!("no turn {id} has ended in this session"))?.seq;
            Ok(Place { seq, input: Vec::new() })
        }
        HistoryPoint { item_id: None, turn_id: None, seq: Some(seq) } if *seq <= last => {
            Ok(Place { seq: *seq, input: Vec::new() })
        }
        HistoryPoint { item_id: None, turn_id: None, seq: Some(seq) } => {
            Err(format!("there is no event {seq}; the last one is {last}"))
        }
        _ => Err("a place is one of `itemId`, `turnId` and `seq`".to_owned()),
    }
}

/// The place before a message. What the turn began with goes as well where the message is the first thing in it.
fn before(entries: &[Entry], id: &ItemId) -> Result<Place, String> {
    let is_it = |entry: &Entry| said(entry).is_some_and(|(item, _)| item.id == *id);
    let at = entries
        .iter()
        .position(is_it)
        .ok_or_else(|| format!("{id} is no message of a person that was read in this session"))?;
    let input = entries.get(at).and_then(said).map(|(_, input)| input.to_vec());
    let before = entries.get(..at).unwrap_or_default().iter().rev();
    let mut earlier = before.skip_while(|entry| {
        let event = entry.record.as_ref().map(|record| &record.event);
        matches!(event, Some(Event::TurnStarted { .. } | Event::PromptMade(_)))
    });
    let seq = earlier.next().map_or(0, |entry| entry.seq);
    Ok(Place { seq, input: input.unwrap_or_default() })
}

/// The number of the event with which a message was read.
pub fn seq_of(entries: &[Entry], id: &ItemId) -> Option<u64> {
    entries
        .iter()
        .find(|entry| said(entry).is_some_and(|(item, _)| item.id == *id))
        .map(|entry| entry.seq)
}

fn records(entries: &[Entry]) -> impl Iterator<Item = &EventRecord> {
    entries.iter().filter_map(|entry| entry.record.as_ref())
}

/// A message of a person that was read.
fn said(entry: &Entry) -> Option<(&Item, &[Input])> {
    let Event::ItemCompleted { item } = &entry.record.as_ref()?.event else { return None };
    let ItemBody::UserMessage(message) = &item.body else { return None };
    Some((item, &message.content))
}

/// What a model that knows the way to one event does not know any more on the way to another one, and what it knows there alone.
pub fn difference(entries: &[Entry], from: u64, to: u64) -> (Vec<ItemId>, Vec<ItemId>) {
    let [was, is] = [from, to].map(|seq| items(entries, &path(entries, seq)));
    let only = |these: &[ItemId], others: &[ItemId]| {
        let others: BTreeSet<_> = others.iter().collect();
        these.iter().filter(|id| !others.contains(id)).cloned().collect()
    };
    (only(&was, &is), only(&is, &was))
}

/// The items that a model knows, with what a path leaves of them, in order.
pub fn items(entries: &[Entry], path: &BTreeSet<u64>) -> Vec<ItemId> {
    let completed = records(entries).filter(|record| path.contains(&record.seq));
    let item = |record: &EventRecord| {
        let Event::ItemCompleted { item } = &record.event else { return None };
        Some(item.id.clone())
    };
    completed.filter_map(item).collect()
}

/// The names that places have, by their events.
pub fn labels(entries: &[Entry]) -> BTreeMap<u64, &str> {
    let mut labels = BTreeMap::new();
    for record in records(entries) {
        if let Event::LabelChanged(changed) = &record.event {
            match &changed.label {
                Some(label) => labels.insert(changed.seq, label.as_str()),
                None => labels.remove(&changed.seq),
            };
        }
    }
    labels
}

/// The places where the history may branch, oldest first: messages of people, and what has a name.
pub fn nodes(entries: &[Entry]) -> Vec<HistoryNode> {
    let last = entries.last().map_or(0, |entry| entry.seq);
    let current = path(entries, last);
    let labels = labels(entries);
    let mut nodes = Vec::new();
    // The last node on the way to each event.
    let mut nearest: BTreeMap<u64, Option<u64>> = BTreeMap::new();
    let mut before = None;
    for entry in entries {
        if let Some(to) = rewound_to(entry) {
            before = nearest.range(..=to).next_back().and_then(|(_, node)| *node);
        }
        let message = said(entry);
        let label = labels.get(&entry.seq).map(|label| (*label).to_owned());
        if let Some(record) = &entry.record
            && (message.is_some() || label.is_some())
        {
            nodes.push(HistoryNode {
                seq: entry.seq,
                parent_seq: before,
                item_id: message.map(|(item, _)| item.id.clone()),
                turn_id: record.turn_id.clone(),
                text: message.map(|(_, input)| beginning(input)).unwrap_or_default(),
                ts_ms: record.ts_ms,
                label,
                is_current: current.contains(&entry.seq),
            });
            before = Some(entry.seq);
        }
        nearest.insert(entry.seq, before);
    }
    nodes
}

fn beginning(input: &[Input]) -> String {
    let text = input.iter().find_map(|block| {
        let Input::Text { text } = block else { return None };
        text.lines().find(|line| !line.trim().is_empty())
    });
    text.unwrap_or_default().trim().chars().take(TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests;
