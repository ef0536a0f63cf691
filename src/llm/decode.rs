//! Shared parts of the decoders of all wire APIs.

use super::delta::Delta;
use super::message::Opaque;
use super::sse::SseEvent;
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

/// Turns events into deltas. Pure: no IO, no clock.
pub(super) trait Decode: Send {
    /// Takes the next event.
    fn push(&mut self, event: SseEvent, out: &mut VecDeque<Delta>) -> Result<(), Broken>;

    /// Completes the reply when the body ends, if it is complete.
    fn finish(&mut self, out: &mut VecDeque<Delta>) -> Result<(), Broken>;

    /// True if the reply is complete; later events are ignored.
    fn is_done(&self) -> bool;
}

/// Reason why a reply cannot continue.
#[derive(Debug)]
pub(super) enum Broken {
    /// The server reported an error.
    Reported(Value),
    /// The stream violates the wire format.
    Wire(String),
}

impl Broken {
    /// The body ended too early.
    pub(super) fn cut() -> Self {
        Self::Wire("the reply was cut off before its end".to_owned())
    }
}

/// Reads an event's data.
pub(super) fn json(data: &str) -> Result<Value, Broken> {
    serde_json::from_str(data).map_err(|error| {
        if error.is_eof() {
            return Broken::cut();
        }
        let start: String = data.chars().take(80).collect();
        Broken::Wire(format!("an event is not JSON ({error}): {start}"))
    })
}

/// Returns the text at a key; `None` if it is missing, empty or not text.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Removes and returns the text at a key; `None` if it is missing, empty or not text.
pub(super) fn take_text(value: &mut Value, key: &str) -> Option<String> {
    match value.get_mut(key).map(Value::take) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Returns a block's opaque data, to be sent back to the provider.
pub(super) fn opaque(index: usize, value: &Value) -> Option<Delta> {
    let raw = serde_json::value::to_raw_value(value).ok()?;
    Some(Delta::Opaque { index, raw: Opaque(raw) })
}

/// Ids of one reply's calls, all distinct.
#[derive(Debug, Default)]
pub(super) struct ReplyIds(BTreeSet<String>);

impl ReplyIds {
    /// Returns a call's wire id, or another one if it is taken.
    pub(super) fn give(&mut self, wanted: &str, index: usize) -> String {
        let mut id = wanted.to_owned();
        while !self.0.insert(id.clone()) {
            id = format!("{id}_{index}");
        }
        id
    }
}

/// Returns arguments that a wire accepts: broken JSON, or JSON that is not an object, becomes `{}`.
pub(super) fn arguments_object(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(object)) => Value::Object(object),
        Ok(_) | Err(_) => Value::Object(serde_json::Map::new()),
    }
}
