//! The messages that the model has not read, as texts in Pi's two lists. Pure.
//!
//! Messages may also be held: those sent while nothing ran, or left over from an aborted run. They wait here, not in the journal, for the
//! next prompt; the code that drops this queue reports them.

use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, QueuedInput};
use pintle_protocol::ids::ItemId;
use serde_json::{Value, json};

/// The waiting messages.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// In the engine's queue.
    waiting: Vec<QueuedInput>,
    /// Messages also in the engine's queue, which keeps them for the next prompt.
    left: Vec<QueuedInput>,
    /// Messages outside the engine's queue; the next prompt sends them there.
    held: Vec<(Delivery, Vec<Input>)>,
}

impl Queue {
    /// Adds a message of the engine's queue. Returns false if it was there already.
    pub(super) fn add(&mut self, input: QueuedInput) -> bool {
        if self.waiting.iter().any(|waiting| waiting.item_id == input.item_id) {
            return false;
        }
        self.waiting.push(input);
        true
    }

    /// Adds messages that an engine accepted and did not live to have read.
    pub(super) fn add_left(&mut self, left: Vec<QueuedInput>) {
        self.left = left;
    }

    /// Returns true if the engine keeps messages for the next prompt.
    pub(super) fn has_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// Removes a message that left the engine's queue. Returns false if it was not there.
    pub(super) fn take(&mut self, id: &ItemId) -> bool {
        let before = self.len();
        for list in [&mut self.waiting, &mut self.left] {
            list.retain(|input| input.item_id != *id);
        }
        before != self.len()
    }

    /// Replaces the engine's queue.
    pub(super) fn replace(&mut self, queue: Vec<QueuedInput>) {
        let is_left =
            |input: &QueuedInput| self.left.iter().any(|left| left.item_id == input.item_id);
        (self.left, self.waiting) = queue.into_iter().partition(is_left);
    }

    /// Holds a message for the next prompt.
    pub(super) fn hold(&mut self, delivery: Delivery, input: Vec<Input>) {
        self.held.push((delivery, input));
    }

    /// Holds messages that the engine has handed back for the next prompt.
    pub(super) fn hold_all(&mut self, returned: Vec<QueuedInput>) {
        for input in returned {
            self.take(&input.item_id);
            self.hold(input.delivery, input.content);
        }
    }

    /// Removes messages that left the engine's queue.
    pub(super) fn take_all(&mut self, gone: &[QueuedInput]) {
        for input in gone {
            self.take(&input.item_id);
        }
    }

    /// Takes the held messages, to queue them in the engine.
    pub(super) fn take_held(&mut self) -> Vec<(Delivery, Vec<Input>)> {
        std::mem::take(&mut self.held)
    }

    /// Returns the held messages that no prompt followed.
    pub(super) fn unsent(&self) -> Vec<String> {
        self.held.iter().map(|(_, input)| Input::texts(input)).collect()
    }

    /// Returns true if the engine continues with a queued message.
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns the number of messages that wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.left.len() + self.held.len()
    }

    fn texts(&self, is_steer: bool) -> Vec<String> {
        let held = self.held.iter().map(|(delivery, input)| (delivery, input.as_slice()));
        let waiting = self.left.iter().chain(&self.waiting);
        waiting
            .map(|input| (&input.delivery, input.content.as_slice()))
            .chain(held)
            .filter(|(delivery, _)| (**delivery == Delivery::Steer) == is_steer)
            .map(|(_, input)| Input::texts(input))
            .collect()
    }

    /// Returns both lists.
    pub(super) fn lists(&self) -> Value {
        json!({ "steering": self.texts(true), "followUp": self.texts(false) })
    }

    /// Returns the event with both lists.
    pub(super) fn update(&self) -> Value {
        json!({ "type": "queue_update", "steering": self.texts(true), "followUp": self.texts(false) })
    }
}
