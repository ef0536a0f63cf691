//! Places that the history goes back to: what holds there is kept until it does.

use super::super::thread::End;
use super::prompt::Told;
use super::{Waiting, Writer};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::Item;
use std::collections::HashMap;

/// What holds after an event.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    last_id: Option<String>,
    messages: End,
    items: HashMap<ItemId, Item>,
    calls: Vec<Waiting>,
    model: Option<(String, String)>,
    effort: Option<String>,
    told: Told,
}

impl Writer {
    /// Keeps what holds after the events before this one, where it is wanted again.
    pub(super) fn keep_stops(&mut self, seq: u64) {
        while self.ways.stops.first().is_some_and(|stop| *stop < seq) {
            let Some(at) = self.ways.stops.pop_first() else { return };
            let stop = Stop {
                last_id: self.last_id.clone(),
                messages: self.messages.end(),
                items: self.items.clone(),
                calls: self.calls.clone(),
                model: self.model.clone(),
                effort: self.effort.clone(),
                told: self.told.clone(),
            };
            self.stops.insert(at, stop);
        }
        while self.ways.named.first().is_some_and(|named| *named < seq) {
            let Some(at) = self.ways.named.pop_first() else { return };
            self.named.extend(self.last_id.clone().map(|id| (at, id)));
        }
    }

    pub(super) fn go_on_from(&mut self, seq: u64) {
        let Some(stop) = self.stops.get(&seq).cloned() else { return };
        let Stop { last_id, messages, items, calls, model, effort, told } = stop;
        self.messages.go_to(messages);
        (self.last_id, self.items, self.calls) = (last_id, items, calls);
        (self.model, self.effort, self.told) = (model, effort, told);
        self.is_behind = true;
    }
}
