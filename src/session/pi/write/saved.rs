//! The writer's states after the events to which the history returns.

use super::super::thread::End;
use super::prompt::PromptState;
use super::{PendingCall, Writer, WrittenModel};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::Item;
use std::collections::HashMap;

/// The writer's state after an event.
#[derive(Debug, Clone)]
pub(super) struct SavedState {
    last_id: Option<String>,
    messages: End,
    items: HashMap<ItemId, Item>,
    calls: Vec<PendingCall>,
    model: WrittenModel,
    prompt: PromptState,
}

impl Writer {
    /// Saves the state after the events before this one, if the history returns there.
    pub(super) fn save_states(&mut self, seq: u64) {
        while self.branch_points.returns.first().is_some_and(|event| *event < seq) {
            let Some(at) = self.branch_points.returns.pop_first() else { return };
            let state = SavedState {
                last_id: self.last_id.clone(),
                messages: self.messages.end(),
                items: self.items.clone(),
                calls: self.calls.clone(),
                model: self.model.clone(),
                prompt: self.prompt.clone(),
            };
            self.saved.insert(at, state);
        }
        while self.branch_points.labelled.first().is_some_and(|event| *event < seq) {
            let Some(at) = self.branch_points.labelled.pop_first() else { return };
            self.labelled.extend(self.last_id.clone().map(|id| (at, id)));
        }
    }

    pub(super) fn resume_from(&mut self, seq: u64) {
        let Some(state) = self.saved.get(&seq).cloned() else { return };
        let SavedState { last_id, messages, items, calls, model, prompt } = state;
        self.messages.go_to(messages);
        (self.last_id, self.items, self.calls) = (last_id, items, calls);
        (self.model, self.prompt) = (model, prompt);
        self.is_behind = true;
    }
}
