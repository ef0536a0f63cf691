//! Encodes a request as the body of `POST /v1/messages`.

use super::families::{self, Off, Thinking};
use super::search;
use crate::call_ids::{CallIdMap, IdForm};
use crate::catalog;
use crate::decode::arguments_object;
use crate::encode::{raw, set, tool_name};
use crate::output_schema;
use crate::{Assistant, AssistantBlock, Effort, Message, Opaque, Request};
use pintle_protocol::content::Content;
use serde_json::{Map, Value, json};

/// The number of trailing user turns with a cache marker: the last one is written, the previous one read. With system prompt and tools this
/// makes four, the API's maximum.
const MARKED_TURNS: usize = 2;

/// `max_tokens` for unknown models; the API requires it.
const MAX_TOKENS: u32 = 16_384;

/// Encodes a request.
pub(crate) fn encode(request: &Request) -> Value {
    let family = families::find(&request.model);
    let provider = request.origin.split('/').next().unwrap_or_default();
    let known = || u32::try_from(catalog::max_output(provider, &request.model)?).ok();
    let max_tokens = request.max_output_tokens.or_else(known).unwrap_or(MAX_TOKENS);
    let mut body = json!({ "model": request.model, "max_tokens": max_tokens, "stream": true });
    if let Some(effort) = request.effort {
        think(&mut body, family.thinking, effort, max_tokens);
    }
    if let Some(schema) = &request.output_schema {
        let format = json!({ "type": "json_schema", "schema": output_schema::closed(schema) });
        match body.get_mut("output_config") {
            Some(config) => set(config, "format", format),
            None => set(&mut body, "output_config", json!({ "format": format })),
        }
    }
    if !request.system.is_empty() {
        let mut block = json!({ "type": "text", "text": &*request.system });
        mark(&mut block);
        set(&mut body, "system", Value::Array(vec![block]));
    }
    if !request.tools.is_empty() {
        let functions = request.functions().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
        });
        let searches = request.searches_web().then(search::tool);
        let mut tools: Vec<Value> = searches.into_iter().chain(functions).collect();
        tools.last_mut().map(mark);
        set(&mut body, "tools", Value::Array(tools));
    }
    set(&mut body, "messages", Value::Array(messages(request)));
    body
}

fn mark(block: &mut Value) {
    set(block, "cache_control", json!({ "type": "ephemeral" }));
}

fn think(body: &mut Value, thinking: Thinking, effort: Effort, max_tokens: u32) {
    let value = match (thinking, effort) {
        (Thinking::Never, _) => return,
        (Thinking::Budget | Thinking::Adaptive { off: Off::Disabled, .. }, Effort::None) => {
            json!({ "type": "disabled" })
        }
        (Thinking::Adaptive { off: Off::BetweenTools, .. }, Effort::None) => {
            json!({ "type": "between_tools" })
        }
        (Thinking::Budget, effort) => {
            let room = max_tokens.saturating_sub(MIN_BUDGET);
            if room < MIN_BUDGET {
                return;
            }
            json!({ "type": "enabled", "budget_tokens": budget(effort).min(room) })
        }
        (Thinking::Adaptive { levels, .. }, effort) => {
            set(body, "output_config", json!({ "effort": level(levels, effort) }));
            // Newer models omit the reasoning text unless asked. It delays the first word of the answer by about a
            // second (public measurements, 2026-11), which is acceptable to a user who sets an effort.
            json!({ "type": "adaptive", "display": "summarized" })
        }
    };
    set(body, "thinking", value);
}

/// The minimum budget of the API, and the minimum left for the answer itself.
const MIN_BUDGET: u32 = 1_024;

fn budget(effort: Effort) -> u32 {
    match effort {
        Effort::None | Effort::Minimal => MIN_BUDGET,
        Effort::Low => 4_096,
        Effort::Medium => 10_240,
        Effort::High => 20_480,
        Effort::Xhigh => 32_768,
        Effort::Max => 49_152,
    }
}

/// Returns the effort's name if the model supports it, else the nearest below, else its lowest.
fn level(levels: &[&'static str], effort: Effort) -> &'static str {
    let known = |name: &&&str| name.parse::<Effort>().is_ok_and(|level| level <= effort);
    levels.iter().rfind(known).or(levels.first()).copied().unwrap_or("medium")
}

/// Encodes the messages, joining neighbours of one role: all results of a turn form one message, before the user's next text.
fn messages(request: &Request) -> Vec<Value> {
    let mut ids = CallIdMap::new(IdForm::UpTo(64));
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in request.messages.iter() {
        let (role, blocks) = match &**message {
            Message::User(content) => ("user", content.iter().filter_map(block).collect()),
            Message::ToolResult(result) => {
                let mut block =
                    json!({ "type": "tool_result", "tool_use_id": ids.result(&result.call_id) });
                let content: Vec<Value> = result.content.iter().filter_map(self::block).collect();
                if !content.is_empty() {
                    set(&mut block, "content", Value::Array(content));
                }
                if result.is_error {
                    set(&mut block, "is_error", Value::Bool(true));
                }
                ("user", vec![block])
            }
            Message::Assistant(assistant) => {
                ("assistant", reply(assistant, assistant.origin == request.origin, &mut ids))
            }
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, joined)) if *last == role => joined.extend(blocks),
            Some(_) | None => turns.push((role, blocks)),
        }
    }
    let marked = turns.iter_mut().rev().filter(|(role, _)| *role == "user").take(MARKED_TURNS);
    for block in marked.filter_map(|(_, blocks)| blocks.last_mut()) {
        mark(block);
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn block(content: &Content) -> Option<Value> {
    match content {
        Content::Text { text } if is_blank(text) => None,
        Content::Text { text } => Some(json!({ "type": "text", "text": text })),
        Content::Image { mime_type, data } => Some(json!({
            "type": "image",
            "source": { "type": "base64", "media_type": mime_type, "data": data }
        })),
        Content::Document { mime_type, data, name, .. } => Some(json!({
            "type": "document",
            "source": { "type": "base64", "media_type": mime_type, "data": data },
            "title": name
        })),
    }
}

/// Text without a visible character is refused like empty text.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Encodes a reply's blocks. Only calls may follow a call, so calls move to the end. A message must not end with thinking: trailing
/// thinking is left out, and a reply with nothing else has no blocks.
fn reply(assistant: &Assistant, is_same_model: bool, ids: &mut CallIdMap) -> Vec<Value> {
    ids.begin_turn();
    let mut blocks = Vec::new();
    let mut calls = Vec::new();
    for block in &assistant.blocks {
        match block {
            AssistantBlock::Text { text, .. } if is_blank(text) => {}
            AssistantBlock::Text { text, opaque } => {
                let kept = opaque.as_ref().filter(|_| is_same_model).and_then(raw);
                blocks.extend(texts(text, kept.as_ref()));
            }
            AssistantBlock::Reasoning { text, opaque } if is_same_model => {
                blocks.extend(opaque.as_ref().and_then(|opaque| thought(text, opaque)));
            }
            AssistantBlock::Unknown(opaque) if is_same_model => blocks.extend(raw(opaque)),
            AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => {}
            AssistantBlock::ToolCall { id, name, arguments, opaque } => {
                let mut call = json!({
                    "type": "tool_use",
                    "id": ids.call(id),
                    "name": tool_name(name),
                    "input": arguments_object(arguments)
                });
                let kept = opaque.as_ref().filter(|_| is_same_model).and_then(raw);
                if let Some(caller) = kept.as_ref().and_then(|kept| kept.get("caller")) {
                    set(&mut call, "caller", caller.clone());
                }
                calls.push(call);
            }
        }
    }
    if calls.is_empty() {
        let said = blocks.iter().rposition(|block| !is_thinking(block));
        blocks.truncate(said.map_or(0, |last| last + 1));
    }
    blocks.append(&mut calls);
    blocks
}

fn is_thinking(block: &Value) -> bool {
    matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"))
}

/// Encodes a text as the blocks that it came in, each with its citations.
fn texts(text: &str, kept: Option<&Value>) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut done = 0;
    let parts = kept.and_then(|kept| kept.get("parts")).and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        let to = part.get("to").and_then(Value::as_u64).and_then(|to| usize::try_from(to).ok());
        // Text that differs from the received text is sent whole.
        let Some(piece) = to.and_then(|to| text.get(done..to)) else {
            return vec![json!({ "type": "text", "text": text })];
        };
        done += piece.len();
        if is_blank(piece) {
            continue;
        }
        let mut block = json!({ "type": "text", "text": piece });
        if let Some(cited) = part.get("citations").filter(|cited| **cited != json!([])) {
            set(&mut block, "citations", cited.clone());
        }
        blocks.push(block);
    }
    let rest = text.get(done..).filter(|rest| !is_blank(rest));
    blocks.extend(rest.map(|rest| json!({ "type": "text", "text": rest })));
    blocks
}

/// Encodes a thinking block verbatim: a whole redacted block, or the text with its signature.
fn thought(text: &str, opaque: &Opaque) -> Option<Value> {
    let mut value = raw(opaque)?;
    if value.get("type").is_some() {
        return Some(value);
    }
    let signature = value.get_mut("signature").map(Value::take)?;
    let mut block = Map::new();
    block.insert("type".to_owned(), Value::from("thinking"));
    block.insert("thinking".to_owned(), Value::from(text));
    block.insert("signature".to_owned(), signature);
    Some(Value::Object(block))
}
