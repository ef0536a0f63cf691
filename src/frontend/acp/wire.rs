//! The JSON of this protocol's responses, updates and errors. Other modules decide their content.
//!
//! Invariant: no message is longer than a few MiB, since clients reject longer ones; a shortened text is marked as shortened.

use agent_client_protocol_schema::v1 as acp;
use pintle_base::text::truncate::border_before;
use serde::Serialize;
use serde_json::{Value, json};

/// The maximum size of a message in bytes, without its envelope. acpx gives up at 64 MiB, editors long before.
pub(super) const MAX_UPDATE_BYTES: usize = 3 * 1024 * 1024;

/// The maximum size of a text in one message, in bytes. Its JSON may be twice as long.
pub(super) const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Writes an update; `seq` numbers the durable event behind it, if any.
pub(super) fn update(
    session: &acp::SessionId,
    update: acp::SessionUpdate,
    seq: Option<u64>,
) -> Vec<u8> {
    let params = acp::SessionNotification::new(session.clone(), update);
    let message = notification("session/update", &with_seq(params, seq));
    if message.len() <= MAX_UPDATE_BYTES {
        return message;
    }
    let params: acp::SessionNotification = match shortened(message) {
        Some(update) => acp::SessionNotification::new(session.clone(), update),
        None => return Vec::new(),
    };
    notification("session/update", &with_seq(params, seq))
}

fn with_seq(params: acp::SessionNotification, seq: Option<u64>) -> acp::SessionNotification {
    match seq {
        Some(seq) => params.meta(meta("pintle", json!({"seq": seq}))),
        None => params,
    }
}

/// Returns an update that was too long without its longest parts.
fn shortened(message: Vec<u8>) -> Option<acp::SessionUpdate> {
    let mut whole: Value = serde_json::from_slice(&message).ok()?;
    let bytes = message.len();
    drop(message);
    let update = whole.get_mut("params")?.get_mut("update")?;
    let notice = format!("[{bytes} bytes, too large to show here]");
    let map = update.as_object_mut()?;
    for field in ["rawInput", "rawOutput", "_meta"] {
        map.remove(field);
    }
    let block = json!({"type": "text", "text": notice});
    match map.get("content") {
        Some(Value::Array(_)) => {
            map.insert("content".to_owned(), json!([{"type": "content", "content": block}]));
        }
        Some(_) => {
            map.insert("content".to_owned(), block);
        }
        None => {}
    }
    serde_json::from_value(update.take()).ok()
}

/// Writes a notification.
pub(super) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    pintle_base::transport::envelope::notification(method, params)
}

/// Returns a `_meta` object with one field.
pub(super) fn meta(name: &str, value: Value) -> acp::Meta {
    let mut meta = acp::Meta::new();
    meta.insert(name.to_owned(), value);
    meta
}

/// Returns a text of at most [`MAX_TEXT_BYTES`]: its beginning, and a note about the rest.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let end = border_before(text, MAX_TEXT_BYTES);
    let head = text.get(..end).unwrap_or_default();
    format!("{head}\n[{} more bytes not shown]", text.len() - end)
}

/// Shortens every text in a value.
pub(super) fn cut_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(text)),
        Value::Array(items) => Value::Array(items.iter().map(cut_value).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), cut_value(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Returns a time in ISO 8601.
pub(super) fn time(ms: u64) -> Option<String> {
    let stamp = jiff::Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
    Some(stamp.to_string())
}
