//! The messages that the model has not read, as texts in Pi's two lists. Pure.
//!
//! Messages may also be held: those sent while nothing ran, or left over from an aborted run. They wait here, not in the journal, for the
//! next prompt; whoever drops this queue reports them.

use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, QueuedInput};
use pintle_protocol::ids::ItemId;
use serde_json::{Value, json};

/// The waiting messages.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// In the engine's queue.
    waiting: Vec<QueuedInput>,
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

    /// Removes a message that left the engine's queue. Returns false if it was not there.
    pub(super) fn take(&mut self, id: &ItemId) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|input| input.item_id != *id);
        before != self.waiting.len()
    }

    /// Replaces the engine's queue.
    pub(super) fn replace(&mut self, waiting: Vec<QueuedInput>) {
        self.waiting = waiting;
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

    /// Takes the held messages, to queue them in the engine.
    pub(super) fn take_held(&mut self) -> Vec<(Delivery, Vec<Input>)> {
        std::mem::take(&mut self.held)
    }

    /// The texts of the held messages that no prompt followed.
    pub(super) fn unsent(&self) -> Vec<String> {
        self.held.iter().map(|(_, input)| text(input)).collect()
    }

    /// Returns true if the engine continues with a queued message.
    pub(super) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns the number of messages that wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.held.len()
    }

    fn texts(&self, is_steer: bool) -> Vec<String> {
        let held = self.held.iter().map(|(delivery, input)| (delivery, input.as_slice()));
        let waiting = self.waiting.iter().map(|input| (&input.delivery, input.content.as_slice()));
        waiting
            .chain(held)
            .filter(|(delivery, _)| (**delivery == Delivery::Steer) == is_steer)
            .map(|(_, input)| text(input))
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

fn text(input: &[Input]) -> String {
    let texts = input.iter().filter_map(|block| match block {
        Input::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
