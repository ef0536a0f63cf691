//! Reads events with an item directly: first the type, then the fields that it has.

use pintle_protocol::event::Event;
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus, TextBody};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Parses an event; `None` for a kind that this engine does not know.
pub(super) fn event(text: &str) -> Option<Event> {
    #[derive(Deserialize)]
    struct WithItem<'a> {
        #[serde(borrow)]
        item: &'a RawValue,
    }
    let item = || item(serde_json::from_str::<WithItem<'_>>(text).ok()?.item.get());
    // The engine writes the type first.
    let kind = text.strip_prefix("{\"type\":\"").and_then(|rest| rest.split_once('"'));
    match kind {
        Some(("item.started", _)) => Some(Event::ItemStarted { item: item()? }),
        Some(("item.updated", _)) => Some(Event::ItemUpdated { item: item()? }),
        Some(("item.completed", _)) => Some(Event::ItemCompleted { item: item()? }),
        Some(_) | None => serde_json::from_str(text).ok(),
    }
}

fn item(text: &str) -> Option<Item> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Head<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
        id: ItemId,
        turn_id: Option<TurnId>,
        step: Option<u32>,
        status: ItemStatus,
        started_ms: u64,
        duration_ms: Option<u64>,
        text: Option<String>,
    }
    fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
        serde_json::from_str(text).ok()
    }
    let head: Head<'_> = read(text)?;
    let Head { kind, id, turn_id, step, status, started_ms, duration_ms, text: said } = head;
    let body = match kind.as_ref() {
        "userMessage" => ItemBody::UserMessage(read(text)?),
        "agentMessage" => ItemBody::AgentMessage(TextBody { text: said? }),
        "reasoning" => ItemBody::Reasoning(TextBody { text: said? }),
        "toolCall" => ItemBody::ToolCall(read(text)?),
        _ => return read(text),
    };
    Some(Item { id, turn_id, step, status, started_ms, duration_ms, body })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the exchanges are files of the repository")]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Returns events from the exchanges used to test clients.
    fn events() -> Vec<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocol/conformance/transcripts");
        let mut found = Vec::new();
        for file in std::fs::read_dir(folder).unwrap().flatten() {
            for line in std::fs::read_to_string(file.path()).unwrap().lines() {
                collect(&serde_json::from_str(line).unwrap(), &mut found);
            }
        }
        found
    }

    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(event) = fields.get("event").filter(|event| event["type"].is_string()) {
                    found.push(event.to_string());
                }
                fields.values().for_each(|value| collect(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
            _ => {}
        }
    }

    #[test]
    fn the_quick_way_reads_what_the_other_one_does() {
        let mut items = std::collections::BTreeSet::new();
        for text in events() {
            let value: Value = serde_json::from_str(&text).unwrap();
            // Only events that start with their type are parsed in the quick way.
            if text.starts_with("{\"type\":\"item.") {
                items.extend(value["item"]["type"].as_str().map(str::to_owned));
            }
            assert_eq!(event(&text), serde_json::from_str(&text).ok(), "{text}");
        }
        for kind in ["userMessage", "agentMessage", "reasoning", "toolCall"] {
            assert!(items.contains(kind), "{kind} is in none of the transcripts: {items:?}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_read_as_nothing() {
        for text in [
            "{}",
            "{\"type\":\"item.completed\"}",
            "{\"type\":\"item.completed\",\"item\":{}}",
            "{\"type\":\"item.completed\",\"item\":{\"type\":\"agentMessage\",\"id\":\"i\"}}",
            "{\"type\":\"unheard.of\",\"item\":1}",
        ] {
            assert_eq!(event(text), None, "{text}");
        }
    }
}
