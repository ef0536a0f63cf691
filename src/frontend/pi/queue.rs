//! The messages that the model has not read, as texts in Pi's two lists. Pure.
//!
//! Messages may also be held: said while nothing ran, or left over from a run that was aborted. They wait for the next prompt, here and
//! not in the journal; whoever drops this names them.

use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, QueuedInput};
use pintle_protocol::ids::ItemId;
use serde_json::{Value, json};

/// Messages that wait.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// In the engine's queue.
    waiting: Vec<QueuedInput>,
    /// Not in the engine's queue; they go there with the next prompt.
    held: Vec<(Delivery, Vec<Input>)>,
}

impl Queue {
    /// A message is in the engine's queue. `false` if that was known.
    pub(super) fn add(&mut self, input: QueuedInput) -> bool {
        if self.waiting.iter().any(|known| known.item_id == input.item_id) {
            return false;
        }
        self.waiting.push(input);
        true
    }

    /// A message left the engine's queue. `false` if it was not known there.
    pub(super) fn take(&mut self, id: &ItemId) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|input| input.item_id != *id);
        before != self.waiting.len()
    }

    /// This is the engine's queue now.
    pub(super) fn replace(&mut self, waiting: Vec<QueuedInput>) {
        self.waiting = waiting;
    }

    /// A message waits for the next prompt.
    pub(super) fn hold(&mut self, delivery: Delivery, input: Vec<Input>) {
        self.held.push((delivery, input));
    }

    /// What was handed back by the engine waits for the next prompt.
    pub(super) fn hold_all(&mut self, returned: Vec<QueuedInput>) {
        for input in returned {
            self.take(&input.item_id);
            self.hold(input.delivery, input.content);
        }
    }

    /// Takes what was held, to be put into the engine's queue.
    pub(super) fn take_held(&mut self) -> Vec<(Delivery, Vec<Input>)> {
        std::mem::take(&mut self.held)
    }

    /// What was held and no prompt came for, as texts.
    pub(super) fn unsent(&self) -> Vec<String> {
        self.held.iter().map(|(_, input)| text(input)).collect()
    }

    /// True when the engine goes on with something by itself.
    pub(super) fn goes_on(&self) -> bool {
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

    /// Both lists.
    pub(super) fn lists(&self) -> Value {
        json!({ "steering": self.texts(true), "followUp": self.texts(false) })
    }

    /// The event that tells of them.
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
