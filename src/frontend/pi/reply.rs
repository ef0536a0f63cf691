//! A streaming reply of the model: its blocks, and the updates about them. Pure.
//!
//! Invariant: the deltas of a block, joined, are the whole text or thinking, even if deltas were dropped: the missing part is sent when the
//! block ends. In the legacy dialect each update repeats the whole message, so an update waits until the message has grown by a
//! [`GROWTH`]th: the updates of a message together stay within a constant factor of its size.

use super::Dialect;
use super::line::put;
use super::message::{self, Voice};
use pintle_protocol::event::{DeltaField, ItemDelta};
use pintle_protocol::ids::ItemId;
use pintle_session::history::Streamed;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// In the legacy dialect, a message is sent again once this share of it is new.
const GROWTH: usize = 16;

/// In the legacy dialect, a message up to this size is sent with every delta.
const SHORT_BYTES: usize = 256;

/// A streaming reply.
#[derive(Debug)]
pub(super) struct Reply {
    dialect: Dialect,
    voice: Voice,
    ms: u64,
    /// The usage that the provider has reported so far.
    usage: Value,
    raw_usage: Option<Box<RawValue>>,
    blocks: Vec<Block>,
    /// The block that has text which was not sent.
    unsent: Option<usize>,
    /// The message size when it was last sent whole.
    sent_bytes: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Block {
    item: ItemId,
    kind: Kind,
    /// The streamed content: the text, or the arguments as JSON.
    text: String,
    /// How much of `text` was sent.
    sent_bytes: usize,
    streamed: Streamed,
    is_over: bool,
    arguments: Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thinking,
    Call { name: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<&'a RawValue>,
    assistant_message_event: MessageEvent<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageEvent<'a> {
    r#type: &'static str,
    content_index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<&'a str>,
}

impl Reply {
    pub(super) fn new(dialect: Dialect, voice: Voice, ms: u64) -> Self {
        let usage = message::no_usage();
        Self {
            dialect,
            voice,
            ms,
            raw_usage: to_raw_value(&usage).ok(),
            usage,
            blocks: Vec::new(),
            unsent: None,
            sent_bytes: 0,
            bytes: 0,
        }
    }

    /// Sets the usage that the provider has reported so far.
    pub(super) fn set_usage(&mut self, usage: Value) {
        self.raw_usage = to_raw_value(&usage).ok();
        self.usage = usage;
    }

    /// Returns the message with the content received so far.
    pub(super) fn message(&self, stop: &str) -> Value {
        let content: Vec<Value> = self.blocks.iter().map(Block::content).collect();
        message::reply(&self.voice, &content, &self.usage, stop, self.ms)
    }

    /// Returns the calls, in order.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&ItemId, &str, &Value)> {
        self.blocks.iter().filter_map(|block| match &block.kind {
            Kind::Call { name } => Some((&block.item, name.as_str(), &block.arguments)),
            Kind::Text | Kind::Thinking => None,
        })
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, item: &ItemId, kind: Kind, out: &mut Vec<Vec<u8>>) {
        self.flush(true, out);
        let index = self.blocks.len();
        let mut event = json!({ "type": start_event(&kind), "contentIndex": index });
        if let (Kind::Call { name }, Dialect::Current) = (&kind, self.dialect) {
            put(&mut event, "id", item.as_str());
            put(&mut event, "toolName", name.as_str());
        }
        self.blocks.push(Block {
            item: item.clone(),
            kind,
            text: String::new(),
            sent_bytes: 0,
            streamed: Streamed::default(),
            is_over: false,
            arguments: json!({}),
        });
        self.push(event, out);
    }

    /// Adds a delta to its block.
    pub(super) fn delta(&mut self, delta: &ItemDelta, out: &mut Vec<Vec<u8>>) {
        let Some(at) = self.blocks.iter().rposition(|block| block.item == delta.item_id) else {
            return;
        };
        if self.unsent.is_some_and(|unsent| unsent != at) {
            self.flush(true, out);
        }
        let Some(block) = self.blocks.get_mut(at) else { return };
        let is_expected = match block.kind {
            Kind::Text | Kind::Thinking => delta.field == DeltaField::Text,
            Kind::Call { .. } => delta.field == DeltaField::Args,
        };
        if !is_expected || block.is_over {
            return;
        }
        if let Some(text) = block.streamed.take_next(delta) {
            block.text.push_str(text);
            self.bytes += text.len();
            self.unsent = Some(at);
        }
    }

    /// Sends the unsent text. In the legacy dialect it waits until the message has grown enough, unless `must` is set.
    pub(super) fn flush(&mut self, must: bool, out: &mut Vec<Vec<u8>>) {
        let Some(at) = self.unsent else { return };
        let is_worth_it = self.bytes <= SHORT_BYTES
            || self.bytes - self.sent_bytes.min(self.bytes) >= self.sent_bytes / GROWTH;
        if self.dialect == Dialect::Legacy && !must && !is_worth_it {
            return;
        }
        self.unsent = None;
        let Some(block) = self.blocks.get_mut(at) else { return };
        let from = std::mem::replace(&mut block.sent_bytes, block.text.len());
        let Some(block) = self.blocks.get(at) else { return };
        let Some(piece) = block.text.get(from..).filter(|piece| !piece.is_empty()) else { return };
        let kind = match block.kind {
            Kind::Text => "text_delta",
            Kind::Thinking => "thinking_delta",
            Kind::Call { .. } => "toolcall_delta",
        };
        let event = MessageEvent { r#type: kind, content_index: at, delta: Some(piece) };
        if self.dialect == Dialect::Current {
            let usage = self.raw_usage.as_deref();
            let update = Update { r#type: "message_update", usage, assistant_message_event: event };
            out.extend(serde_json::to_vec(&update));
        } else {
            let event = serde_json::to_value(event).unwrap_or_default();
            self.push(event, out);
        }
    }

    /// Ends a block of text or thinking with its complete text.
    pub(super) fn end_text(&mut self, item: &ItemId, text: &str, out: &mut Vec<Vec<u8>>) {
        let Some(at) = self.open_block(item) else { return };
        if self.unsent.is_some_and(|unsent| unsent != at) {
            self.flush(true, out);
        }
        let Some(block) = self.blocks.get_mut(at) else { return };
        self.bytes += text.len() - block.text.len().min(text.len());
        text.clone_into(&mut block.text);
        block.is_over = true;
        let kind = if block.kind == Kind::Text { "text_end" } else { "thinking_end" };
        self.unsent = Some(at);
        self.flush(true, out);
        self.push(json!({ "type": kind, "contentIndex": at, "content": text }), out);
    }

    /// Ends a call with its complete arguments.
    pub(super) fn end_call(
        &mut self,
        item: &ItemId,
        arguments: Option<&Value>,
        out: &mut Vec<Vec<u8>>,
    ) {
        let Some(at) = self.open_block(item) else { return };
        self.flush(true, out);
        let Some(block) = self.blocks.get_mut(at) else { return };
        block.is_over = true;
        if let Some(arguments) = arguments.filter(|arguments| arguments.is_object()) {
            block.arguments = arguments.clone();
        }
        let call = block.content();
        self.push(json!({ "type": "toolcall_end", "contentIndex": at, "toolCall": call }), out);
    }

    /// Ends the blocks that are still open.
    pub(super) fn end(&mut self, out: &mut Vec<Vec<u8>>) {
        let open: Vec<(ItemId, bool, String)> = self
            .blocks
            .iter()
            .filter(|block| !block.is_over)
            .map(|block| {
                let is_call = matches!(block.kind, Kind::Call { .. });
                (block.item.clone(), is_call, block.text.clone())
            })
            .collect();
        for (item, is_call, text) in open {
            if is_call {
                self.end_call(&item, None, out);
            } else {
                self.end_text(&item, &text, out);
            }
        }
    }

    fn open_block(&self, item: &ItemId) -> Option<usize> {
        self.blocks.iter().rposition(|block| block.item == *item && !block.is_over)
    }

    fn push(&mut self, event: Value, out: &mut Vec<Vec<u8>>) {
        let mut update = json!({ "type": "message_update" });
        match self.dialect {
            Dialect::Current => {
                put(&mut update, "usage", self.usage.clone());
                put(&mut update, "assistantMessageEvent", event);
            }
            Dialect::Legacy => {
                self.sent_bytes = self.bytes;
                let message = self.message(message::pending(self.dialect));
                let mut event = event;
                put(&mut event, "partial", message.clone());
                put(&mut update, "assistantMessageEvent", event);
                put(&mut update, "message", message);
            }
        }
        out.push(update.to_string().into_bytes());
    }
}

fn start_event(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text => "text_start",
        Kind::Thinking => "thinking_start",
        Kind::Call { .. } => "toolcall_start",
    }
}

impl Block {
    fn content(&self) -> Value {
        match &self.kind {
            Kind::Text => json!({ "type": "text", "text": self.text }),
            Kind::Thinking => json!({ "type": "thinking", "thinking": self.text }),
            Kind::Call { name } => json!({
                "type": "toolCall", "id": self.item, "name": name, "arguments": self.arguments,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(item: &str, n: u64, text: &str) -> ItemDelta {
        ItemDelta {
            item_id: ItemId::new(item),
            field: DeltaField::Text,
            path: None,
            n,
            to: None,
            text: text.to_owned(),
        }
    }

    fn deltas(out: &[Vec<u8>]) -> String {
        let values = out.iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
        values
            .filter_map(|value| {
                Some(value.pointer("/assistantMessageEvent/delta")?.as_str()?.to_owned())
            })
            .collect()
    }

    #[test]
    fn the_pieces_are_the_whole_whatever_was_dropped() {
        for (name, numbers) in [
            ("all", vec![0, 1, 2, 3]),
            ("none", vec![]),
            ("without the first", vec![1, 2, 3]),
            ("without one in the middle", vec![0, 2, 3]),
            ("without the last", vec![0, 1, 2]),
        ] {
            for dialect in [Dialect::Current, Dialect::Legacy] {
                let item = ItemId::new("i");
                let mut reply = Reply::new(dialect, Voice::default(), 0);
                let mut out = Vec::new();
                reply.begin(&item, Kind::Text, &mut out);
                for n in &numbers {
                    let text = ["one ", "two ", "three ", "four"][usize::try_from(*n).unwrap()];
                    reply.delta(&piece("i", *n, text), &mut out);
                    reply.flush(false, &mut out);
                }
                reply.end_text(&item, "one two three four", &mut out);
                assert_eq!(deltas(&out), "one two three four", "{name}, {dialect:?}");
            }
        }
    }

    #[test]
    fn a_legacy_message_of_any_length_costs_so_much_a_byte() {
        for words in [100_u64, 1_000, 10_000] {
            let item = ItemId::new("i");
            let mut reply = Reply::new(Dialect::Legacy, Voice::default(), 0);
            let mut out = Vec::new();
            reply.begin(&item, Kind::Text, &mut out);
            for n in 0..words {
                reply.delta(&piece("i", n, "four"), &mut out);
                reply.flush(false, &mut out);
            }
            reply.end_text(&item, &"four".repeat(usize::try_from(words).unwrap()), &mut out);
            let bytes: usize = out.iter().map(Vec::len).sum();
            let most = 60_000 + 50 * 4 * usize::try_from(words).unwrap();
            assert!(bytes < most, "{words} words took {bytes} bytes, more than {most}");
            assert!(out.len() > 60, "{} updates of {words} words", out.len());
        }
    }
}
