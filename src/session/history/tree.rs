//! The history tree: the tree that a journal's events form, and the current path through it. Pure.
//!
//! Each event follows the one before it, except `history.rewound`, which follows the event that it refers to. So nothing is removed from a
//! journal, numbers stay gapless, and going forward again is a rewind to another event. A fork copies the path, not the tree.

use crate::store::Entry;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::history::{HistoryNode, HistoryPoint};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The message length in a node.
const TEXT_CHARS: usize = 120;

/// The event type after which the history continues from another point.
pub const TURNING: &str = "history.rewound";

/// Fields that determine an entry's position in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    seq: u64,
    rewound_to: Option<u64>,
}

impl Mark {
    pub(super) fn from_entry(entry: &Entry) -> Self {
        Self { seq: entry.seq, rewound_to: rewound_to(entry) }
    }
}

/// Returns the event numbers on the path to the one numbered `leaf`, or to the last one before it.
pub fn path(entries: &[Entry], leaf: u64) -> BTreeSet<u64> {
    let marks: Vec<Mark> = entries.iter().map(Mark::from_entry).collect();
    path_of(&marks, leaf)
}

/// Like [`path`], from the marks alone.
pub(super) fn path_of(marks: &[Mark], leaf: u64) -> BTreeSet<u64> {
    let mut path = BTreeSet::new();
    let behind = |seq: u64| marks.partition_point(|mark| mark.seq <= seq);
    let mut end = behind(leaf);
    while let Some(mark) = end.checked_sub(1).and_then(|last| marks.get(last)) {
        path.insert(mark.seq);
        end = match mark.rewound_to {
            // A damaged event that refers to itself or a later one counts as any other.
            Some(to) if to < mark.seq => behind(to),
            Some(_) | None => end - 1,
        };
    }
    path
}

/// Returns a test for the entries on the path to the last one.
pub fn current(entries: &[Entry]) -> impl Fn(&Entry) -> bool + use<> {
    let leaf = entries.last().map_or(0, |entry| entry.seq);
    let path = entries.iter().any(|entry| rewound_to(entry).is_some());
    let path = path.then(|| self::path(entries, leaf));
    move |entry| path.as_ref().is_none_or(|path| path.contains(&entry.seq))
}

/// Returns only the entries on the path to the one numbered `leaf`.
pub fn on_path(mut entries: Vec<Entry>, leaf: u64) -> Vec<Entry> {
    if entries.iter().any(|entry| rewound_to(entry).is_some() || entry.seq > leaf) {
        let path = path(&entries, leaf);
        entries.retain(|entry| path.contains(&entry.seq));
    }
    entries
}

/// Returns the event that an entry follows, if that is not the one before it.
pub fn rewound_to(entry: &Entry) -> Option<u64> {
    let Event::HistoryRewound(rewound) = &entry.record.as_ref()?.event else { return None };
    Some(rewound.to_seq)
}

/// A point of the history: the event before it, and the message after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The event's number; 0 is the start.
    pub seq: u64,
    /// The message.
    pub input: Vec<Input>,
}

/// The reason why a point in the history is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPoint {
    /// Not exactly one of its fields is given.
    #[error("a point in the history needs exactly one of `itemId`, `turnId` and `seq`")]
    Unclear,
    /// The session does not have it.
    #[error("{0}")]
    Missing(String),
}

/// Finds a point in the history.
///
/// # Errors
/// The point is not clear or does not exist.
pub fn find(entries: &[Entry], point: &HistoryPoint) -> Result<Point, NoPoint> {
    let fields = [point.item_id.is_some(), point.turn_id.is_some(), point.seq.is_some()];
    if fields.into_iter().filter(|is_given| *is_given).count() != 1 {
        return Err(NoPoint::Unclear);
    }
    existing(entries, point).map_err(NoPoint::Missing)
}

fn existing(entries: &[Entry], point: &HistoryPoint) -> Result<Point, String> {
    let last = entries.last().map_or(0, |entry| entry.seq);
    match point {
        HistoryPoint { item_id: Some(id), .. } => before(entries, id),
        HistoryPoint { turn_id: Some(id), .. } => {
            let ended = records(entries).find(|record| {
                matches!(record.event, Event::TurnCompleted(_))
                    && record.turn_id.as_ref() == Some(id)
            });
            let seq = ended.ok_or_else(|| format!("no turn {id} has ended in this session"))?.seq;
            Ok(Point { seq, input: Vec::new() })
        }
        HistoryPoint { seq, .. } => match seq.unwrap_or_default() {
            seq if seq <= last => Ok(Point { seq, input: Vec::new() }),
            seq => Err(format!("event {seq} does not exist; the last one is {last}")),
        },
    }
}

/// Returns the point before a message. If the message is its turn's first, the turn's start is excluded as well.
fn before(entries: &[Entry], id: &ItemId) -> Result<Point, String> {
    let is_it = |entry: &Entry| user_message(entry).is_some_and(|(item, _)| item.id == *id);
    let at = entries
        .iter()
        .position(is_it)
        .ok_or_else(|| format!("the model has read no user message {id} in this session"))?;
    let input = entries.get(at).and_then(user_message).map(|(_, input)| input.to_vec());
    let before = entries.get(..at).unwrap_or_default().iter().rev();
    let mut earlier = before.skip_while(|entry| {
        let event = entry.record.as_ref().map(|record| &record.event);
        matches!(event, Some(Event::TurnStarted { .. } | Event::PromptMade(_)))
    });
    let seq = earlier.next().map_or(0, |entry| entry.seq);
    Ok(Point { seq, input: input.unwrap_or_default() })
}

/// Returns the event number at which a message was read.
pub fn seq_of(entries: &[Entry], id: &ItemId) -> Option<u64> {
    entries
        .iter()
        .find(|entry| user_message(entry).is_some_and(|(item, _)| item.id == *id))
        .map(|entry| entry.seq)
}

fn records(entries: &[Entry]) -> impl Iterator<Item = &EventRecord> {
    entries.iter().filter_map(|entry| entry.record.as_ref())
}

/// Returns a user's message that was read.
fn user_message(entry: &Entry) -> Option<(&Item, &[Input])> {
    let Event::ItemCompleted { item } = &entry.record.as_ref()?.event else { return None };
    let ItemBody::UserMessage(message) = &item.body else { return None };
    Some((item, &message.content))
}

/// Returns the items that are only on the path to `from`, and the items only on the path to `to`.
pub fn difference(entries: &[Entry], from: u64, to: u64) -> (Vec<ItemId>, Vec<ItemId>) {
    let [before, after] = [from, to].map(|seq| items(entries, &path(entries, seq)));
    let only = |these: &[ItemId], others: &[ItemId]| {
        let others: BTreeSet<_> = others.iter().collect();
        these.iter().filter(|id| !others.contains(id)).cloned().collect()
    };
    (only(&before, &after), only(&after, &before))
}

/// Returns the items that a model knows on a path, in order.
pub fn items(entries: &[Entry], path: &BTreeSet<u64>) -> Vec<ItemId> {
    let completed = records(entries).filter(|record| path.contains(&record.seq));
    let item = |record: &EventRecord| {
        let Event::ItemCompleted { item } = &record.event else { return None };
        Some(item.id.clone())
    };
    completed.filter_map(item).collect()
}

/// Returns the labels of events, with the data about them.
pub fn labels(entries: &[Entry]) -> BTreeMap<u64, (&str, Option<&Value>)> {
    let mut labels = BTreeMap::new();
    for record in records(entries) {
        if let Event::LabelChanged(changed) = &record.event {
            match &changed.label {
                Some(label) => {
                    labels.insert(changed.seq, (label.as_str(), changed.metadata.as_ref()))
                }
                None => labels.remove(&changed.seq),
            };
        }
    }
    labels
}

/// Returns the points at which the history may branch, oldest first: users' messages and labelled events.
pub fn nodes(entries: &[Entry]) -> Vec<HistoryNode> {
    let last = entries.last().map_or(0, |entry| entry.seq);
    let current = path(entries, last);
    let labels = labels(entries);
    let mut nodes = Vec::new();
    // The last node on the path to each event.
    let mut nearest: BTreeMap<u64, Option<u64>> = BTreeMap::new();
    let mut before = None;
    for entry in entries {
        if let Some(to) = rewound_to(entry) {
            before = nearest.range(..=to).next_back().and_then(|(_, node)| *node);
        }
        let message = user_message(entry);
        let label = labels.get(&entry.seq).map(|(label, _)| (*label).to_owned());
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
    let text = input
        .iter()
        .find_map(|block| block.as_typed()?.lines().find(|line| !line.trim().is_empty()));
    text.unwrap_or_default().trim().chars().take(TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests;
