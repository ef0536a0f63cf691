//! Encodes a request as the body of `POST /v1/chat/completions`.

use super::{CONTENT, REASONING_CONTENT};
use crate::call_ids::{CallIdMap, IdForm};
use crate::catalog::{self, CallIds, Dialect, EffortField, OutputLimit, ReasoningBack, SystemRole};
use crate::encode::{
    GO_ON, accepted_effort, arguments_text, document_name, is_blank, is_media, raw,
    result_text_with_failure, tool_name, visible,
};
use crate::{Assistant, AssistantBlock, Message, Request, ToolResult};
use crate::{output_schema, parameters};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde_json::{Map, Value, json};

/// `reasoning_content` if there is none and a server requires the field: some treat an empty text as missing.
const NO_REASONING: &str = " ";

/// Encodes a request for a server of this dialect.
pub(crate) fn encode(request: &Request, dialect: Dialect) -> Value {
    let dialect = match dialect.reasoning_back {
        ReasoningBack::AsReceived => Dialect {
            reasoning_back: catalog::reasoning_back(&request.model).unwrap_or_default(),
            ..dialect
        },
        ReasoningBack::Drop
        | ReasoningBack::ReasoningContent
        | ReasoningBack::Always
        | ReasoningBack::Text
        | ReasoningBack::ThinkingPart
        | ReasoningBack::ThinkTags => dialect,
    };
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| body.insert(key.to_owned(), value);
    set("model", json!(request.model));
    set("messages", Value::Array(messages(request, dialect)));
    set("stream", json!(true));
    if dialect.include_usage {
        set("stream_options", json!({ "include_usage": true }));
    }
    if request.functions().next().is_some() {
        let tools = request.functions().map(|tool| {
            json!({ "type": "function", "function": {
                "name": tool.name, "description": tool.description,
                "parameters": parameters::accepted(&tool.parameters)
            } })
        });
        set("tools", tools.collect());
    }
    if let Some(limit) = request.max_output_tokens {
        let key = match dialect.output_limit {
            OutputLimit::MaxTokens => "max_tokens",
            OutputLimit::MaxCompletionTokens => "max_completion_tokens",
        };
        set(key, json!(limit));
    }
    if let Some(effort) = request.effort {
        let effort = accepted_effort(&request.model, effort);
        match dialect.effort {
            EffortField::ReasoningEffort => set("reasoning_effort", json!(effort.name())),
            EffortField::ReasoningObject => set("reasoning", json!({ "effort": effort.name() })),
            EffortField::None => None,
        };
    }
    if let Some(schema) = &request.output_schema {
        let format = json!({
            "name": output_schema::NAME, "schema": **schema, "strict": output_schema::is_strict(schema)
        });
        set("response_format", json!({ "type": "json_schema", "json_schema": format }));
    }
    if dialect.store {
        set("store", json!(false));
    }
    if let Some(key) = request.cache_key.as_ref().filter(|_| dialect.prompt_cache_key) {
        set("prompt_cache_key", json!(**key));
    }
    Value::Object(body)
}

/// Encodes the messages. Consecutive user messages, and the images of tool results, which a `tool` message cannot contain, become one user
/// message: templates of open models require alternating roles.
fn messages(request: &Request, dialect: Dialect) -> Vec<Value> {
    let mut ids = CallIdMap::new(match dialect.call_ids {
        CallIds::UpTo40 => IdForm::UpTo(40),
        CallIds::Nine => IdForm::Nine,
    });
    let mut messages = Vec::new();
    if !is_blank(&request.system) {
        let role = match dialect.system_role {
            SystemRole::System => "system",
            SystemRole::Developer => "developer",
        };
        messages.push(json!({ "role": role, "content": &*request.system }));
    }
    let mut said: Vec<Value> = Vec::new();
    // Stop reason of the immediately preceding reply.
    let mut last_stop = None;
    for message in request.messages.iter() {
        let before = last_stop.take();
        match &**message {
            Message::User(content) => {
                said.extend(visible(content).iter().filter_map(|content| part(content)));
            }
            Message::ToolResult(result) => {
                let mut message = tool_message(result, &ids.result(&result.call_id));
                if let Some(fields) = message.as_object_mut().filter(|_| dialect.result_name) {
                    fields.insert("name".to_owned(), json!(result.tool_name));
                }
                messages.push(message);
                said.extend(
                    result.content.iter().filter(|content| is_media(content)).filter_map(part),
                );
            }
            Message::Assistant(assistant) => {
                last_stop = Some(assistant.stop);
                let is_same_model = assistant.origin == request.origin;
                // An empty reply does not separate the messages around it.
                if let Some(reply) = assistant_message(assistant, is_same_model, dialect, &mut ids)
                {
                    messages.extend(user_message(&std::mem::take(&mut said)));
                    match before {
                        Some(StopReason::Paused) => push_rest(&mut messages, reply),
                        Some(_) | None => messages.push(reply),
                    }
                }
            }
        }
    }
    messages.extend(user_message(&said));
    if messages.last().is_some_and(|last| is_of(last, "assistant")) {
        messages.push(json!({ "role": "user", "content": GO_ON }));
    }
    if dialect.assistant_after_result { bridge(messages) } else { messages }
}

/// Appends what remained of a paused reply. Both become one message unless one of them has parts instead of text.
fn push_rest(messages: &mut Vec<Value>, reply: Value) {
    let is_text =
        |message: &Value| is_of(message, "assistant") && message.get("tool_calls").is_none();
    let text = |message: &Value| message.get("content").and_then(Value::as_str).map(str::to_owned);
    let joined = messages.last_mut().filter(|last| is_text(last)).and_then(|last| {
        let is_silent = reply.get("content").is_some_and(Value::is_null);
        let joined = text(last)? + &text(&reply).or(is_silent.then(String::new))?;
        let mut reply = reply.clone();
        reply.as_object_mut()?.insert("content".to_owned(), Value::String(joined));
        *last = reply;
        Some(())
    });
    if joined.is_none() {
        messages.push(reply);
    }
}

/// Inserts an assistant message between a tool's result and a following user message.
fn bridge(messages: Vec<Value>) -> Vec<Value> {
    let mut bridged: Vec<Value> = Vec::new();
    for message in messages {
        let follows_result = bridged.last().is_some_and(|last| is_of(last, "tool"));
        if follows_result && is_of(&message, "user") {
            bridged.push(json!({ "role": "assistant", "content": "(the results are read)" }));
        }
        bridged.push(message);
    }
    bridged
}

fn is_of(message: &Value, role: &str) -> bool {
    message.get("role").and_then(Value::as_str) == Some(role)
}

fn part(content: &Content) -> Option<Value> {
    match content {
        Content::Text { text } if is_blank(text) => None,
        Content::Text { text } => Some(json!({ "type": "text", "text": text })),
        Content::Image { mime_type, data } => Some(json!({
            "type": "image_url",
            "image_url": { "url": format!("data:{mime_type};base64,{data}") }
        })),
        // Source: developers.openai.com/api/docs/guides/file-inputs, November 2026.
        Content::Document { mime_type, data, name, .. } => Some(json!({
            "type": "file",
            "file": { "filename": document_name(name), "file_data": format!("data:{mime_type};base64,{data}") }
        })),
    }
}

/// Plain text if there is no image: not every server accepts a list.
fn user_message(parts: &[Value]) -> Option<Value> {
    let texts: Option<Vec<&str>> =
        parts.iter().map(|part| part.get("text").and_then(Value::as_str)).collect();
    match texts {
        Some(texts) if texts.is_empty() => None,
        Some(texts) => Some(json!({ "role": "user", "content": texts.join("\n\n") })),
        None => Some(json!({ "role": "user", "content": parts })),
    }
}

fn tool_message(result: &ToolResult, id: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": result_text_with_failure(result) })
}

fn assistant_message(
    assistant: &Assistant,
    is_same_model: bool,
    dialect: Dialect,
    ids: &mut CallIdMap,
) -> Option<Value> {
    ids.begin_turn();
    let mut texts = Vec::new();
    let mut thoughts = String::new();
    let mut field = None;
    let mut details = None;
    let mut calls = Vec::new();
    for block in &assistant.blocks {
        match block {
            AssistantBlock::Text { text, .. } if is_blank(text) => {}
            AssistantBlock::Text { text, .. } => texts.push(text.as_str()),
            AssistantBlock::Reasoning { text, opaque } => {
                thoughts.push_str(text);
                let kept = opaque.as_ref().and_then(raw);
                field =
                    field.or(kept.and_then(|kept| kept.get("field")?.as_str().map(str::to_owned)));
            }
            AssistantBlock::ToolCall { id, name, arguments, opaque: _ } => calls.push(json!({
                "id": ids.call(id),
                "type": "function",
                "function": { "name": tool_name(name), "arguments": arguments_text(arguments) }
            })),
            AssistantBlock::Unknown(opaque) => {
                let kept = raw(opaque).filter(|_| is_same_model);
                details = details.or(kept.and_then(|kept| kept.get("reasoning_details").cloned()));
            }
        }
    }
    if dialect.reasoning_back == ReasoningBack::Text && is_same_model && !is_blank(&thoughts) {
        texts.insert(0, thoughts.as_str());
    }
    let is_tagged =
        dialect.reasoning_back == ReasoningBack::ThinkTags && field.as_deref() == Some(CONTENT);
    let tagged = format!("<think>\n{thoughts}\n</think>");
    if is_tagged && is_same_model {
        texts.insert(0, &tagged);
    }
    if texts.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = Map::new();
    let mut set = |key: &str, value: Value| message.insert(key.to_owned(), value);
    set("role", json!("assistant"));
    let is_part = dialect.reasoning_back == ReasoningBack::ThinkingPart && is_same_model;
    let content = match texts.join("\n\n") {
        said if is_part && !thoughts.is_empty() => {
            let thought = json!([{ "type": "text", "text": thoughts }]);
            let mut parts = vec![json!({ "type": "thinking", "thinking": thought })];
            if !said.is_empty() {
                parts.push(json!({ "type": "text", "text": said }));
            }
            Value::Array(parts)
        }
        said if said.is_empty() => Value::Null,
        said => Value::String(said),
    };
    set("content", content);
    let goes_back = match dialect.reasoning_back {
        ReasoningBack::ReasoningContent | ReasoningBack::Always => true,
        ReasoningBack::AsReceived | ReasoningBack::ThinkTags => {
            field.as_deref() == Some(REASONING_CONTENT)
        }
        ReasoningBack::Drop | ReasoningBack::Text | ReasoningBack::ThinkingPart => false,
    };
    if goes_back && is_same_model && !thoughts.is_empty() {
        set(REASONING_CONTENT, json!(thoughts));
    } else if dialect.reasoning_back == ReasoningBack::Always {
        set(REASONING_CONTENT, json!(NO_REASONING));
    }
    if let Some(details) = details {
        set("reasoning_details", details);
    }
    if !calls.is_empty() {
        set("tool_calls", Value::Array(calls));
    }
    Some(Value::Object(message))
}
