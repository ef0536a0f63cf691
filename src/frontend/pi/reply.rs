//! A reply of the model while it streams: its blocks, and the updates that tell of them. Pure.
//!
//! Invariant: the pieces of a text or of thinking, put together, are the whole, also where deltas were dropped: what is missing comes
//! with the end of the block. In the legacy dialect each update repeats the whole message, so it waits until the message has grown by a
//! [`GROWTH`]th: all updates of a message together are then at most a constant times its size.

use super::Dialect;
use super::line::put;
use super::message::{self, Voice};
use pintle_protocol::event::{DeltaField, ItemDelta};
use pintle_protocol::ids::ItemId;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// In the legacy dialect, the part of a message that is new in an update.
const GROWTH: usize = 16;

/// In the legacy dialect, a message this short is told with every delta.
const SHORT_BYTES: usize = 256;

/// A reply that streams.
#[derive(Debug)]
pub(super) struct Reply {
    dialect: Dialect,
    voice: Voice,
    ms: u64,
    /// What its provider has told of it so far.
    usage: Value,
    raw_usage: Option<Box<RawValue>>,
    blocks: Vec<Block>,
    /// The block that has text which was not told.
    untold: Option<usize>,
    /// The size of the message when it was last told whole.
    told_bytes: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Block {
    item: ItemId,
    kind: Kind,
    /// The streamed part: the text, or the arguments as JSON.
    text: String,
    /// The length of the part that was sent.
    told: usize,
    /// The number of the next piece.
    next: u64,
    has_gap: bool,
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
    assistant_message_event: Told<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
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
            untold: None,
            told_bytes: 0,
            bytes: 0,
        }
    }

    /// Its provider has told what it has taken so far.
    pub(super) fn took(&mut self, usage: Value) {
        self.raw_usage = to_raw_value(&usage).ok();
        self.usage = usage;
    }

    /// The message as far as it has come.
    pub(super) fn message(&self, stop: &str) -> Value {
        let content: Vec<Value> = self.blocks.iter().map(Block::content).collect();
        message::reply(&self.voice, &content, &self.usage, stop, self.ms)
    }

    /// The calls, in order.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&ItemId, &str, &Value)> {
        self.blocks.iter().filter_map(|block| match &block.kind {
            Kind::Call { name } => Some((&block.item, name.as_str(), &block.arguments)),
            Kind::Text | Kind::Thinking => None,
        })
    }

    /// A block begins.
    pub(super) fn begin(&mut self, item: &ItemId, kind: Kind, out: &mut Vec<Vec<u8>>) {
        self.flush(true, out);
        let index = self.blocks.len();
        let mut told = json!({ "type": started(&kind), "contentIndex": index });
        if let (Kind::Call { name }, Dialect::Current) = (&kind, self.dialect) {
            put(&mut told, "id", item.as_str());
            put(&mut told, "toolName", name.as_str());
        }
        self.blocks.push(Block {
            item: item.clone(),
            kind,
            text: String::new(),
            told: 0,
            next: 0,
            has_gap: false,
            is_over: false,
            arguments: json!({}),
        });
        self.tell(told, out);
    }

    /// A piece of a block has come.
    pub(super) fn delta(&mut self, delta: &ItemDelta, out: &mut Vec<Vec<u8>>) {
        let Some(at) = self.blocks.iter().rposition(|block| block.item == delta.item_id) else {
            return;
        };
        if self.untold.is_some_and(|untold| untold != at) {
            self.flush(true, out);
        }
        let Some(block) = self.blocks.get_mut(at) else { return };
        let is_its = match block.kind {
            Kind::Text | Kind::Thinking => delta.field == DeltaField::Text,
            Kind::Call { .. } => delta.field == DeltaField::Args,
        };
        if !is_its || block.is_over {
            return;
        }
        block.has_gap |= delta.n != block.next;
        block.next = delta.to.unwrap_or(delta.n) + 1;
        if !block.has_gap {
            block.text.push_str(&delta.text);
            self.bytes += delta.text.len();
            self.untold = Some(at);
        }
    }

    /// Tells what was not told. Unless it must be, a legacy message waits until that is worth it.
    pub(super) fn flush(&mut self, must: bool, out: &mut Vec<Vec<u8>>) {
        let Some(at) = self.untold else { return };
        let is_worth_it = self.bytes <= SHORT_BYTES
            || self.bytes - self.told_bytes.min(self.bytes) >= self.told_bytes / GROWTH;
        if self.dialect == Dialect::Legacy && !must && !is_worth_it {
            return;
        }
        self.untold = None;
        let Some(block) = self.blocks.get_mut(at) else { return };
        let from = std::mem::replace(&mut block.told, block.text.len());
        let Some(block) = self.blocks.get(at) else { return };
        let Some(piece) = block.text.get(from..).filter(|piece| !piece.is_empty()) else { return };
        let kind = match block.kind {
            Kind::Text => "text_delta",
            Kind::Thinking => "thinking_delta",
            Kind::Call { .. } => "toolcall_delta",
        };
        let told = Told { r#type: kind, content_index: at, delta: Some(piece) };
        if self.dialect == Dialect::Current {
            let usage = self.raw_usage.as_deref();
            let update = Update { r#type: "message_update", usage, assistant_message_event: told };
            out.extend(serde_json::to_vec(&update));
        } else {
            let told = serde_json::to_value(told).unwrap_or_default();
            self.tell(told, out);
        }
    }

    /// A text or thinking is whole.
    pub(super) fn end_text(&mut self, item: &ItemId, text: &str, out: &mut Vec<Vec<u8>>) {
        let Some(at) = self.open_block(item) else { return };
        if self.untold.is_some_and(|untold| untold != at) {
            self.flush(true, out);
        }
        let Some(block) = self.blocks.get_mut(at) else { return };
        self.bytes += text.len() - block.text.len().min(text.len());
        text.clone_into(&mut block.text);
        block.is_over = true;
        let kind = if block.kind == Kind::Text { "text_end" } else { "thinking_end" };
        self.untold = Some(at);
        self.flush(true, out);
        self.tell(json!({ "type": kind, "contentIndex": at, "content": text }), out);
    }

    /// A call's arguments are whole.
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
        self.tell(json!({ "type": "toolcall_end", "contentIndex": at, "toolCall": call }), out);
    }

    /// Ends the blocks that have no end.
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

    fn tell(&mut self, told: Value, out: &mut Vec<Vec<u8>>) {
        let mut update = json!({ "type": "message_update" });
        match self.dialect {
            Dialect::Current => {
                put(&mut update, "usage", self.usage.clone());
                put(&mut update, "assistantMessageEvent", told);
            }
            Dialect::Legacy => {
                self.told_bytes = self.bytes;
                let message = self.message(message::pending(self.dialect));
                let mut told = told;
                put(&mut told, "partial", message.clone());
                put(&mut update, "assistantMessageEvent", told);
                put(&mut update, "message", message);
            }
        }
        out.push(update.to_string().into_bytes());
    }
}

fn started(kind: &Kind) -> &'static str {
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
