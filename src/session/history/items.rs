//! A session's items in their current state, read backwards from the end of its journal, along the current branch.
//!
//! Invariant: an item is in one page only, that of its last event; the work is bounded by the requested page.

use super::tree;
use crate::store::{Entry, Error, Store};
use pintle_protocol::event::Event;
use pintle_protocol::history::ItemAt;
use pintle_protocol::ids::{ItemId, SessionId};
use std::collections::BTreeSet;

/// Items of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Items {
    /// The items, in the order of their last events.
    pub items: Vec<ItemAt>,
    /// There are more before the first.
    pub more: bool,
}

/// Reads the last items between two events; a number beyond the end means the end.
///
/// # Errors
/// The session does not exist or cannot be read.
pub fn page(
    store: &Store,
    session: &SessionId,
    after: u64,
    before: u64,
    limit: usize,
) -> Result<Items, Error> {
    let mut page = Items::default();
    let mut listed = BTreeSet::new();
    let last = store.entries_back(session, u64::MAX)?.next().transpose()?;
    let is_newest = last.is_none_or(|last| last.seq < before);
    let mut entries = store.entries_back(session, before)?;
    while let Some(entry) = entries.next().transpose()?.filter(|entry| entry.seq > after) {
        if let Some(to) = tree::rewound_to(&entry).filter(|to| *to < entry.seq) {
            entries.jump(to + 1)?;
            continue;
        }
        let Some((item, has_ended)) = from_entry(entry) else { continue };
        // An item that ended later is in the page that contains its end.
        if !listed.insert(item.item.id.clone()) || !(has_ended || is_newest) {
            continue;
        }
        if page.items.len() == limit {
            page.more = true;
            break;
        }
        page.items.push(item);
    }
    page.items.reverse();
    Ok(page)
}

/// Reads an item in its current state, on any branch; `None` if there is no such item.
///
/// # Errors
/// The session does not exist or cannot be read.
pub fn find(store: &Store, session: &SessionId, id: &ItemId) -> Result<Option<ItemAt>, Error> {
    for entry in store.entries_back(session, u64::MAX)? {
        if let Some((found, _)) = from_entry(entry?).filter(|(found, _)| found.item.id == *id) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns an event's item, and true if the event ends it.
fn from_entry(entry: Entry) -> Option<(ItemAt, bool)> {
    let seq = entry.seq;
    let event = entry.record?.event;
    let has_ended = matches!(event, Event::ItemCompleted { .. });
    let (Event::ItemStarted { item } | Event::ItemUpdated { item } | Event::ItemCompleted { item }) =
        event
    else {
        return None;
    };
    Some((ItemAt { seq, item }, has_ended))
}
