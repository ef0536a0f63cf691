//! Encodes a request as the body of `POST /v1/messages`.

use super::families::{self, Family, Off, Thinking};
use super::{search, turns};
use crate::call_ids::{CallIdMap, IdForm};
use crate::catalog::{self, Dialect};
use crate::decode::arguments_object;
use crate::effort_updates::{self, EffortUpdates};
use crate::encode::{document_name, is_blank, raw, set, tool_name, visible};
use crate::{Assistant, AssistantBlock, Effort, Message, Opaque, Request, ToolResult};
use crate::{output_schema, parameters};
use pintle_protocol::content::Content;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `max_tokens` for unknown models; the API requires it.
const MAX_TOKENS: u32 = 16_384;

/// Description for a tool that was called and is no longer offered.
const GONE: &str = "No longer available.";

/// Content of a failed call without output; the API refuses failures without content.
const NO_OUTPUT: &str = "(no output)";

/// Encodes a request.
pub(crate) fn encode(request: &Request, dialect: Dialect) -> Value {
    let family = families::find(&request.model);
    let provider = request.origin.split('/').next().unwrap_or_default();
    let known = || u32::try_from(catalog::max_output(provider, &request.model)?).ok();
    let max_tokens = request.max_output_tokens.or_else(known).unwrap_or(MAX_TOKENS);
    let mut body = json!({ "model": request.model, "max_tokens": max_tokens, "stream": true });
    let updates = effort_updates(request, family, dialect);
    let base = updates.base.and_then(|level| level.parse().ok());
    if let Some(effort) = request.effort.or(base) {
        think(&mut body, family.thinking, effort, max_tokens);
    }
    let mut turns = turns::settled(turns(request, family, &updates), request.searches_web());
    if let Some(level) = turns::take_first_update(&mut turns).or(updates.base.map(Value::from)) {
        set(&mut body, "output_config", json!({ "effort": level }));
    }
    let thinks_if_asked = family.is_claude() && family.thinking == Thinking::Budget;
    if thinks_if_asked && is_thinking(&body, "enabled") && !turns::begins_with_thinking(&turns) {
        set(&mut body, "thinking", json!({ "type": "disabled" }));
    }
    if is_thinking(&body, "disabled") || (thinks_if_asked && !is_thinking(&body, "enabled")) {
        turns::end_without_thinking(&mut turns);
    }
    turns::end_for_the_model(&mut turns);
    turns::mark_last(&mut turns);
    if let Some(schema) = &request.output_schema {
        let format = json!({ "type": "json_schema", "schema": output_schema::closed(schema) });
        match body.get_mut("output_config") {
            Some(config) => set(config, "format", format),
            None => set(&mut body, "output_config", json!({ "format": format })),
        }
    }
    if !is_blank(&request.system) {
        let mut block = json!({ "type": "text", "text": &*request.system });
        mark(&mut block);
        set(&mut body, "system", Value::Array(vec![block]));
    }
    let called = turns::called(&turns);
    if request.tools.is_empty() && !called.is_empty() {
        // The API refuses calls without tools.
        let gone = called.into_iter().map(|name| {
            let schema = json!({ "type": "object", "properties": {} });
            json!({ "name": name, "description": GONE, "input_schema": schema })
        });
        set(&mut body, "tools", gone.collect());
        set(&mut body, "tool_choice", json!({ "type": "none" }));
    }
    if !request.tools.is_empty() {
        let functions = request.functions().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "input_schema": parameters::accepted(&tool.parameters) })
        });
        let searches = request.searches_web().then(search::tool);
        let mut tools: Vec<Value> = searches.into_iter().chain(functions).collect();
        tools.last_mut().map(mark);
        set(&mut body, "tools", Value::Array(tools));
    }
    set(&mut body, "messages", turns.into_iter().map(turns::message).collect());
    body
}

fn is_thinking(body: &Value, kind: &str) -> bool {
    body.pointer("/thinking/type").is_some_and(|given| given == kind)
}

pub(super) fn mark(block: &mut Value) {
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

/// Returns the conversation's efforts, if the model accepts changes within it.
fn effort_updates(
    request: &Request,
    family: Family,
    dialect: Dialect,
) -> EffortUpdates<&'static str> {
    let default = families::default_level(&request.model).filter(|_| dialect.effort_updates);
    let (Some(default), Thinking::Adaptive { levels, off }) = (default, family.thinking) else {
        return EffortUpdates::default();
    };
    effort_updates::collect(request, |effort| match effort {
        None => Some(default),
        // A parameter switches thinking off.
        Some(Effort::None) if off != Off::LowestEffort => None,
        Some(effort) => Some(level(levels, effort)),
    })
}

/// Encodes the messages.
fn turns(
    request: &Request,
    family: Family,
    updates: &EffortUpdates<&'static str>,
) -> Vec<(&'static str, Vec<Value>)> {
    let mut ids = CallIdMap::new(IdForm::UpTo(64));
    let mut turn = |message: &Arc<Message>| match &**message {
        Message::User(content) => {
            ("user", visible(content).iter().filter_map(|content| block(content)).collect())
        }
        Message::ToolResult(result) => ("user", vec![tool_result(result, &mut ids)]),
        Message::Assistant(assistant) => {
            let is_same_model = assistant.origin == request.origin;
            ("assistant", reply(assistant, is_same_model, family, &mut ids))
        }
    };
    let mut turns = Vec::new();
    let mut changes = updates.changes.iter().peekable();
    for (index, message) in request.messages.iter().enumerate() {
        turns.push(turn(message));
        let change = changes.next_if(|change| change.asked.end == index + 1);
        turns.extend(change.map(|change| (turns::UPDATE, vec![Value::from(change.level)])));
    }
    turns
}

fn tool_result(result: &ToolResult, ids: &mut CallIdMap) -> Value {
    let mut block = json!({ "type": "tool_result", "tool_use_id": ids.result(&result.call_id) });
    let mut content: Vec<Value> = result.content.iter().filter_map(self::block).collect();
    if content.is_empty() && result.is_error {
        content.push(json!({ "type": "text", "text": NO_OUTPUT }));
    }
    if !content.is_empty() {
        set(&mut block, "content", Value::Array(content));
    }
    if result.is_error {
        set(&mut block, "is_error", Value::Bool(true));
    }
    block
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
            "title": document_name(name)
        })),
    }
}

/// Encodes a reply's blocks. Only calls may follow a call, so calls move to the end.
fn reply(
    assistant: &Assistant,
    is_same_model: bool,
    family: Family,
    ids: &mut CallIdMap,
) -> Vec<Value> {
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
                blocks.extend(opaque.as_ref().and_then(|opaque| thought(text, opaque, family)));
            }
            AssistantBlock::Unknown(opaque) if is_same_model => {
                blocks.extend(raw(opaque).filter(|block| block.get("type").is_some()));
            }
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
    blocks.append(&mut calls);
    blocks
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

/// Encodes a thinking block verbatim: a whole redacted block, or the text with its signature. Thinking that was cut before its signature is
/// left out, except for other makers' models, some of which sign nothing.
fn thought(text: &str, opaque: &Opaque, family: Family) -> Option<Value> {
    let mut value = raw(opaque)?;
    if value.get("type").is_some() {
        return Some(value);
    }
    let signature = value.get_mut("signature").map(Value::take)?;
    if family.is_claude() && signature == "" {
        return None;
    }
    let mut block = Map::new();
    block.insert("type".to_owned(), Value::from("thinking"));
    block.insert("thinking".to_owned(), Value::from(text));
    block.insert("signature".to_owned(), signature);
    Some(Value::Object(block))
}
