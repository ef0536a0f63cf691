//! Blocks of messages, converted in both directions: texts, images, thinking, and the data that providers signed.

use pintle_llm::{Assistant, AssistantBlock, Opaque, REASONING_CONTENT};
use pintle_protocol::content::{Content, Input, Usage};
use pintle_protocol::event::StopReason;
use pintle_protocol::item::ToolKind;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// Returns a message's content, which may be a text or blocks; unsupported blocks are named.
pub(super) fn content(value: Option<&Value>) -> Vec<Content> {
    match value {
        Some(Value::String(text)) => vec![Content::text(text.clone())],
        Some(Value::Array(blocks)) => blocks.iter().map(block).collect(),
        _ => Vec::new(),
    }
}

fn block(block: &Value) -> Content {
    let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    match (text("type"), text("mimeType")) {
        ("image", mime @ ("image/png" | "image/jpeg" | "image/gif" | "image/webp")) => {
            Content::Image { mime_type: mime.to_owned(), data: text("data").to_owned() }
        }
        ("image", mime) => Content::text(format!("[an image of type {mime}]")),
        _ => Content::text(text("text")),
    }
}

/// Converts a user's message into the engine's input.
pub(super) fn inputs(content: Vec<Content>) -> Vec<Input> {
    let input = |content| match content {
        Content::Text { text } | Content::Document { text, .. } => Input::text(text),
        Content::Image { mime_type, data } => Input::Image { mime_type, data },
    };
    content.into_iter().map(input).collect()
}

/// Converts content into Pi's blocks.
pub(super) fn to_pi(content: &[Content]) -> Value {
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

/// Returns the data that a block's provider requires back, in the format of its API; `None` if the API has none.
pub(super) fn opaque(api: &str, block: &Map<String, Value>) -> Option<Opaque> {
    let text = |key: &str| block.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = text("type")?;
    let is_google = api.starts_with("google");
    let value = match kind {
        "thinking" => {
            let signature = text("thinkingSignature")?;
            let is_redacted = block.get("redacted").and_then(Value::as_bool).unwrap_or(false);
            if api.starts_with("anthropic") || api.starts_with("bedrock") {
                if is_redacted {
                    json!({ "type": "redacted_thinking", "data": signature })
                } else {
                    json!({ "signature": signature })
                }
            } else if api.ends_with("responses") {
                serde_json::from_str::<Value>(signature).ok().filter(Value::is_object)?
            } else if is_google {
                signed(text("thinking")?, signature)
            } else if api == "openai-completions" && signature == REASONING_CONTENT {
                // Pi stores the reply's field name there.
                json!({ "field": signature })
            } else {
                return None;
            }
        }
        "text" if is_google => signed(text("text")?, text("textSignature")?),
        "toolCall" if is_google => json!({ "thoughtSignature": text("thoughtSignature")? }),
        _ => return None,
    };
    to_raw_value(&value).ok().map(Opaque)
}

fn signed(text: &str, signature: &str) -> Value {
    json!({ "signed": [{ "from": 0, "to": text.len(), "thoughtSignature": signature }] })
}

/// Converts a reply into Pi's blocks.
pub(super) fn reply(assistant: &Assistant) -> Vec<Value> {
    assistant.blocks.iter().filter_map(reply_block).collect()
}

fn reply_block(block: &AssistantBlock) -> Option<Value> {
    let raw = |opaque: &Option<Opaque>| -> Value {
        opaque.as_ref().and_then(|o| serde_json::from_str(o.0.get()).ok()).unwrap_or_default()
    };
    let signed = |stored: &Value| stored.pointer("/signed/0/thoughtSignature").cloned();
    Some(match block {
        AssistantBlock::Text { text, opaque } => {
            let mut block = json!({ "type": "text", "text": text });
            put(&mut block, "textSignature", signed(&raw(opaque)));
            block
        }
        AssistantBlock::Reasoning { text, opaque } => {
            let stored = raw(opaque);
            let mut block = json!({ "type": "thinking", "thinking": text });
            let is_redacted = stored.get("type") == Some(&json!("redacted_thinking"));
            let signature = if is_redacted {
                put(&mut block, "redacted", Some(Value::Bool(true)));
                stored.get("data").cloned()
            } else if stored.get("type") == Some(&json!("reasoning")) {
                Some(Value::from(stored.to_string()))
            } else {
                let field = stored.get("field").filter(|field| *field == REASONING_CONTENT);
                stored.get("signature").or(field).cloned().or_else(|| signed(&stored))
            };
            put(&mut block, "thinkingSignature", signature);
            block
        }
        AssistantBlock::ToolCall { id, name, arguments, opaque } => {
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            let arguments = if arguments.is_object() { arguments } else { json!({}) };
            let mut block =
                json!({ "type": "toolCall", "id": id, "name": name, "arguments": arguments });
            put(&mut block, "thoughtSignature", raw(opaque).get("thoughtSignature").cloned());
            block
        }
        // Only its provider can interpret it; Pi has no such block.
        AssistantBlock::Unknown(_) => return None,
    })
}

fn put(block: &mut Value, key: &str, value: Option<Value>) {
    if let (Value::Object(fields), Some(value)) = (block, value) {
        fields.insert(key.to_owned(), value);
    }
}

/// Converts Pi's usage, with its cost in billionths of a US dollar.
pub(super) fn usage(value: Option<&Value>) -> (Usage, Option<u64>) {
    let count = |key: &str| value.and_then(|v| v.get(key)).and_then(Value::as_u64).unwrap_or(0);
    let usage = Usage {
        input_tokens: count("input"),
        output_tokens: count("output"),
        cache_read_tokens: count("cacheRead"),
        cache_write_tokens: count("cacheWrite"),
        reasoning_tokens: count("reasoning"),
        web_searches: 0,
    };
    let cost = value.and_then(|v| v.pointer("/cost/total")).and_then(Value::as_f64);
    let nano = cost.filter(|cost| *cost > 0.0).map(|cost| format!("{:.0}", cost * 1e9));
    (usage, nano.and_then(|nano| nano.parse().ok()))
}

/// Converts usage into Pi's form.
pub fn usage_to_pi(usage: &Usage, cost_nano_usd: Option<u64>) -> Value {
    let Usage {
        input_tokens,
        output_tokens,
        cache_read_tokens,
        cache_write_tokens,
        reasoning_tokens,
        web_searches: _,
    } = *usage;
    let total = input_tokens + output_tokens + cache_read_tokens + cache_write_tokens;
    // Written as digits, so that no fraction of a cent is rounded away.
    let nano = cost_nano_usd.unwrap_or(0);
    let cost = format!("{}.{:09}", nano / 1_000_000_000, nano % 1_000_000_000);
    let cost = RawValue::from_string(cost).ok().and_then(|raw| raw.get().parse::<f64>().ok());
    json!({
        "input": input_tokens,
        "output": output_tokens,
        "cacheRead": cache_read_tokens,
        "cacheWrite": cache_write_tokens,
        "reasoning": reasoning_tokens,
        "totalTokens": total,
        "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": cost },
    })
}

/// Returns the reason why a reply ended; `None` if it was cut.
pub(super) fn stop(reason: &str) -> Option<StopReason> {
    match reason {
        "aborted" | "error" | "pending" => None,
        "toolUse" => Some(StopReason::ToolUse),
        "length" => Some(StopReason::MaxTokens),
        "stop" => Some(StopReason::EndTurn),
        _ => Some(StopReason::Other),
    }
}

/// Returns Pi's stop reason.
pub(super) fn stop_to_pi(stop: Option<StopReason>) -> &'static str {
    match stop {
        None => "aborted",
        Some(StopReason::ToolUse) => "toolUse",
        Some(StopReason::MaxTokens) => "length",
        Some(
            StopReason::EndTurn
            | StopReason::Refusal
            | StopReason::Paused
            | StopReason::Limit
            | StopReason::Other,
        ) => "stop",
    }
}

/// Returns a Pi tool's kind.
pub(super) fn kind(tool: &str) -> ToolKind {
    match tool {
        "read" | "ls" => ToolKind::Read,
        "edit" | "write" => ToolKind::Edit,
        "grep" | "find" => ToolKind::Search,
        "bash" => ToolKind::Execute,
        _ => ToolKind::Other,
    }
}

/// Returns a call's title.
pub(super) fn title(tool: &str, arguments: &Value) -> String {
    const MAX_CHARS: usize = 100;
    let subject = ["command", "path", "file_path", "pattern", "query", "url"]
        .iter()
        .find_map(|key| arguments.get(*key).and_then(Value::as_str));
    match subject.and_then(|subject| subject.lines().next()) {
        Some(subject) => format!("{tool}: {}", subject.chars().take(MAX_CHARS).collect::<String>()),
        None => tool.to_owned(),
    }
}
