//! Compares a request with the recorded one: path, model, and the sequence of roles.
//!
//! Texts, tools and settings may differ, so a cassette outlives a change of the system prompt. The first difference
//! is reported with the words of both sides.

use super::exchange::RecordedRequest;
use serde_json::Value;

/// The maximum length of a message's text in a reported difference.
const SHOWN_CHARS: usize = 60;

pub(super) fn compare(expected: &RecordedRequest, path: &str, body: &Value) -> Result<(), String> {
    if expected.path != path {
        return Err(format!("expected path {}, got {path}", expected.path));
    }
    let Some(wanted) = &expected.body else { return Ok(()) };
    if let Some(model) = wanted.get("model") {
        let got = body.get("model").unwrap_or(&Value::Null);
        if model != got {
            return Err(format!("expected model {model}, got {got}"));
        }
    }
    let Some(wanted) = wanted.get("messages").and_then(Value::as_array) else { return Ok(()) };
    let none = Vec::new();
    let got = body.get("messages").and_then(Value::as_array).unwrap_or(&none);
    for at in 0..wanted.len().max(got.len()) {
        let (wanted, got) = (wanted.get(at), got.get(at));
        if wanted.map(key) != got.map(key) {
            let shown = |message: Option<&Value>| message.map_or("no message".to_owned(), show);
            return Err(format!("message {at}: expected {}, got {}", shown(wanted), shown(got)));
        }
    }
    Ok(())
}

/// Returns the compared key: the role, and the answered calls.
fn key(message: &Value) -> (&str, Vec<&str>) {
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let results = blocks.filter_map(|block| block.get("tool_use_id"));
    let results = message.get("tool_call_id").into_iter().chain(results);
    (role, results.filter_map(Value::as_str).collect())
}

fn show(message: &Value) -> String {
    let (role, results) = key(message);
    let mut shown = role.to_owned();
    if !results.is_empty() {
        shown.push_str(" with the results of ");
        shown.push_str(&results.join(", "));
    }
    let text = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(content) => content.to_string(),
        None => return shown,
    };
    let mut short: String = text.chars().take(SHOWN_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{shown} `{short}`")
}
