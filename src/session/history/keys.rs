//! The keys of requests that had an effect: a request that is repeated with its key gets the same response and has no second effect. A fold over
//! events.

use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, Event, EventRecord};
use pintle_protocol::ids::{ItemId, JobId, TurnId};
use pintle_protocol::item::{EngineMessage, ItemBody};
use ring::digest::{SHA256, digest as digest_of};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The effects of earlier requests, by key.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Keys {
    effects: HashMap<String, Effect>,
    /// Items of running commands, with the keys of their requests.
    running: Vec<(ItemId, String)>,
    /// The running turn.
    #[serde(default)]
    turn: Option<TurnId>,
}

/// A request's effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// A message was accepted.
    Accepted {
        /// The item's id.
        item_id: ItemId,
        /// The turn it belongs to.
        turn_id: TurnId,
        /// Its delivery.
        delivery: Delivery,
        /// The content's digest.
        content: u64,
        /// True if it waited for the next prompt, because no turn ran.
        #[serde(default)]
        is_held: bool,
    },
    /// A turn began that reads no message.
    Began(TurnId),
    /// A client's note was added.
    Noted {
        /// The message's digest.
        content: u64,
    },
    /// A user's command started.
    Ran {
        /// The job.
        job_id: JobId,
        /// The command's digest.
        content: u64,
        /// The event number at which it ended; `None` while it runs.
        ended: Option<u64>,
    },
}

impl Keys {
    /// Takes note of an event.
    pub fn record(&mut self, record: &EventRecord) {
        if let Event::TurnStarted { .. } = &record.event {
            self.turn.clone_from(&record.turn_id);
        }
        if let Event::TurnCompleted(_) = &record.event {
            self.turn = None;
        }
        if let Event::ItemCompleted { item } = &record.event
            && matches!(item.body, ItemBody::Job(_))
        {
            self.ended(&item.id, record.seq);
            return;
        }
        let Some(key) = record.cause.as_ref().and_then(|cause| cause.key.as_ref()) else { return };
        let effect = if let Event::InputAccepted(input) = &record.event {
            Effect::Accepted {
                item_id: input.item_id.clone(),
                turn_id: input.turn_id.clone(),
                delivery: input.delivery,
                content: digest(&as_json(&input.content)),
                is_held: input.delivery == Delivery::Steer
                    && self.turn.as_ref() != Some(&input.turn_id),
            }
        } else if let (Event::TurnStarted { .. }, Some(turn_id)) = (&record.event, &record.turn_id)
        {
            Effect::Began(turn_id.clone())
        } else if let Event::ItemStarted { item } = &record.event
            && let ItemBody::Job(job) = &item.body
        {
            self.running.push((item.id.clone(), key.clone()));
            Effect::Ran { job_id: job.job_id.clone(), content: digest(&job.command), ended: None }
        } else if let Event::ItemCompleted { item } = &record.event
            && let ItemBody::EngineMessage(message) = &item.body
        {
            Effect::Noted { content: digest(&message_json(message)) }
        } else {
            return;
        };
        self.effects.entry(key.clone()).or_insert(effect);
    }

    /// Records that a user's command ended.
    fn ended(&mut self, item: &ItemId, seq: u64) {
        let Some(at) = self.running.iter().position(|(running, _)| running == item) else { return };
        let (_, key) = self.running.swap_remove(at);
        if let Some(Effect::Ran { ended, .. }) = self.effects.get_mut(&key) {
            *ended = Some(seq);
        }
    }

    /// Returns the effect that the request with this key had.
    pub fn effect(&self, key: &str) -> Option<&Effect> {
        self.effects.get(key)
    }
}

/// Returns a message's content as JSON, as the journal writes it, except that known keys are not redacted.
pub fn as_json(content: &[Input]) -> String {
    serde_json::to_string(content).unwrap_or_default()
}

/// Returns an engine message as JSON, as the journal writes it, except that known keys are not redacted.
pub fn message_json(message: &EngineMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

/// Returns a number that differs for different contents.
pub fn digest(json: &str) -> u64 {
    let bytes = digest_of(&SHA256, json.as_bytes());
    let first = bytes.as_ref().iter().take(8);
    first.fold(0, |number, byte| number << 8 | u64::from(*byte))
}
