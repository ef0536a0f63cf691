//! Messages in Pi's form that are not in the session's file: streaming and failed replies. Pure.

use super::Dialect;
use super::line::put;
use pintle_protocol::content::Content;
use pintle_protocol::item::{ToolCall, ToolResult};
use serde_json::{Value, json};

/// The model that replies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Voice {
    pub(super) api: String,
    pub(super) provider: String,
    pub(super) model: String,
}

/// Returns a usage of no tokens, in Pi's form.
pub(super) fn no_usage() -> Value {
    json!({
        "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0,
        "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 },
    })
}

/// Returns a reply that is not in the file.
pub(super) fn reply(voice: &Voice, content: &[Value], usage: &Value, stop: &str, ms: u64) -> Value {
    json!({
        "role": "assistant",
        "content": content,
        "api": voice.api,
        "provider": voice.provider,
        "model": voice.model,
        "usage": usage,
        "stopReason": stop,
        "timestamp": ms,
    })
}

/// Returns a streaming reply's stop reason.
pub(super) fn pending(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Current => "pending",
        Dialect::Legacy => "stop",
    }
}

/// Sets a cut reply's stop reason and error.
pub(super) fn cut(message: &mut Value, stop: &str, error: &str) {
    put(message, "stopReason", stop);
    put(message, "errorMessage", error);
}

/// Converts a tool result's content into Pi's blocks.
pub(super) fn content(content: &[Content]) -> Value {
    let block = |content: &Content| match content {
        Content::Text { text } | Content::Document { text, .. } => {
            json!({ "type": "text", "text": text })
        }
        Content::Image { mime_type, data } => {
            json!({ "type": "image", "data": data, "mimeType": mime_type })
        }
    };
    content.iter().map(block).collect()
}

/// Returns a call's arguments, always an object.
pub(super) fn arguments(call: &ToolCall) -> Value {
    call.input.clone().filter(Value::is_object).unwrap_or_else(|| json!({}))
}

/// Returns a tool's result, for its end event.
pub(super) fn result(call: &ToolCall) -> Value {
    let Some(ToolResult { content: blocks, details, .. }) = &call.output else {
        return json!({ "content": [] });
    };
    let mut result = json!({ "content": content(blocks) });
    let mut facts = json!({});
    if let [change, ..] = details.changes.as_slice() {
        put(&mut facts, "diff", change.diff.as_str());
        if let Some(line) = change.first_changed_line {
            put(&mut facts, "firstChangedLine", line);
        }
    }
    if let Some(code) = details.exit_code {
        put(&mut facts, "exitCode", code);
    }
    if let Some(truncation) = &details.truncation {
        put(&mut facts, "truncation", serde_json::to_value(truncation).unwrap_or_default());
    }
    if let Some(path) = &details.full_output_path {
        put(&mut facts, "fullOutputPath", path.as_str());
    }
    if facts.as_object().is_some_and(|facts| !facts.is_empty()) {
        put(&mut result, "details", facts);
    }
    result
}
