//! Pi lines created by a writer: their names, and the parts that journals keep. Pure functions of the writer.

use super::fields::Fields;
use super::{KEY, blocks};
use pintle_llm::{Assistant, AssistantBlock};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::ToolCall;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An event's origin, from its entry's private part.
pub(super) enum Origin {
    /// Created by the engine.
    Engine,
    /// Created for something that was not in the file.
    Synthetic,
    /// The line it came from.
    Line(Fields),
}

/// Renames the messages of extensions from version 2.
pub(super) fn hook_message(fields: &mut Fields) {
    let message = fields.get("message").map(RawValue::get).unwrap_or_default();
    if !message.contains("hookMessage") {
        return;
    }
    if let Ok(mut message) = serde_json::from_str::<Fields>(message)
        && message.text("role").as_deref() == Some("hookMessage")
    {
        message.insert("role", "custom");
        let mut text = String::new();
        message.push_line(&mut text);
        if let Ok(raw) = RawValue::from_string(text.trim_end().to_owned()) {
            fields.insert("message", raw);
        }
    }
}

pub(super) fn origin(private: Option<&RawValue>) -> Origin {
    let private = private.and_then(|raw| serde_json::from_str::<Fields>(raw.get()).ok());
    match private.as_ref().and_then(|fields| fields.get(KEY)) {
        None => Origin::Engine,
        Some(line) => match serde_json::from_str(line.get()) {
            Ok(line) => Origin::Line(line),
            Err(_) => Origin::Synthetic,
        },
    }
}

pub(super) fn result(call: &ToolCall, call_id: &str, name: &str, ms: u64) -> Fields {
    let output = call.output.as_ref();
    Fields::parse(&json!({
        "type": "message",
        "message": {
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": name,
            "content": blocks::to_pi(output.map(|output| output.content.as_slice()).unwrap_or_default()),
            "isError": output.is_some_and(|output| output.is_error),
            "timestamp": ms,
        },
    }))
}

/// Identifies calls by their items.
pub(super) fn name_by_items(assistant: &mut Assistant, calls: &mut [(ItemId, String, String)]) {
    let ids = assistant.blocks.iter_mut().filter_map(|block| match block {
        AssistantBlock::ToolCall { id, .. } => Some(id),
        AssistantBlock::Text { .. }
        | AssistantBlock::Reasoning { .. }
        | AssistantBlock::Unknown(_) => None,
    });
    for (id, (item, call_id, _)) in ids.zip(calls) {
        item.as_str().clone_into(id);
        item.as_str().clone_into(call_id);
    }
}

/// Pi's API names by provider.
#[derive(Debug, Clone, Default)]
pub struct Apis(Arc<BTreeMap<String, &'static str>>);

impl Apis {
    /// Returns the names for providers whose APIs are known, given by the engine's names.
    pub fn new<'a>(providers: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let providers = providers.filter_map(|(provider, wire)| {
            let api = match wire {
                "chat" => "openai-completions",
                "messages" => "anthropic-messages",
                "responses" => "openai-responses",
                "gemini" => "google-generative-ai",
                _ => return None,
            };
            Some((provider.to_owned(), api))
        });
        Self(Arc::new(providers.collect()))
    }

    /// Returns a provider's API; unknown providers get the most common one.
    pub fn for_provider(&self, provider: &str) -> &'static str {
        self.0.get(provider).copied().unwrap_or(match provider {
            "anthropic" => "anthropic-messages",
            "openai" => "openai-responses",
            "google" => "google-generative-ai",
            _ => "openai-completions",
        })
    }
}

/// Returns an event's name, which is the same in every copy of it: its line id is derived from the name.
pub(super) fn name(record: &EventRecord) -> String {
    let turn = record.turn_id.as_ref().map(TurnId::as_str).unwrap_or_default();
    match &record.event {
        Event::SessionCreated(created) => created.model.clone(),
        Event::ItemCompleted { item } => item.id.to_string(),
        Event::PromptMade(_) => format!("{turn} prompt"),
        Event::StepCompleted(step) => format!("{turn} {}", step.step),
        Event::RetryScheduled(retry) => format!("{turn} {} {}", retry.attempt, record.ts_ms),
        Event::TurnCompleted(_) => format!("{turn} end"),
        _ => record.seq.to_string(),
    }
}

/// Returns eight hexadecimal digits that no other line has; they depend on the name alone, unless another line has them.
pub(super) fn new_id(name: &str, is_used: impl Fn(&String) -> bool) -> String {
    // FNV-1a: a name may be as short as a number.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let seed = hash ^ (hash >> 32);
    let mut ids = (0..=u64::MAX).map(|step| {
        let number = seed.wrapping_add(step) & 0xffff_ffff;
        format!("{number:08x}")
    });
    ids.find(|id| !is_used(id)).unwrap_or_default()
}

pub(super) fn iso(ms: u64) -> String {
    let stamp = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    stamp.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
