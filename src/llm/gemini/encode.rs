//! Encodes a request as the body of `streamGenerateContent`.

use super::{models, schema, search};
use crate::decode::arguments_object;
use crate::encode::{GO_ON, is_blank, raw, result_text, set, tool_name, visible};
use crate::parameters;
use crate::{Assistant, AssistantBlock, Message, Opaque, Request, ToolResult};
use pintle_protocol::content::Content;
use serde_json::{Value, json};

/// Placeholder for the signature of another model's call. Source: gemini-cli, read 2026-11.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Encodes a request.
pub(crate) fn encode(request: &Request) -> Value {
    let mut body = json!({ "contents": contents(request) });
    if !is_blank(&request.system) {
        set(&mut body, "systemInstruction", json!({ "parts": [{ "text": &*request.system }] }));
    }
    if !request.tools.is_empty() {
        let declarations = request.functions().map(|tool| {
            let mut declaration = json!({ "name": tool.name, "description": tool.description });
            if let Some(parameters) = schema::convert(&parameters::accepted(&tool.parameters)) {
                set(&mut declaration, "parameters", parameters);
            }
            declaration
        });
        let declarations: Vec<Value> = declarations.collect();
        let searches = request.searches_web().then(search::tool);
        let functions =
            (!declarations.is_empty()).then(|| json!({ "functionDeclarations": declarations }));
        if searches.is_some() {
            // Only then may the server's tools be offered together with functions.
            set(&mut body, "toolConfig", json!({ "includeServerSideToolInvocations": true }));
        }
        set(&mut body, "tools", searches.into_iter().chain(functions).collect());
    }
    let mut config = json!({});
    if let Some(limit) = request.max_output_tokens {
        set(&mut config, "maxOutputTokens", json!(limit));
    }
    if let Some(thinking) =
        request.effort.and_then(|effort| models::thinking(&request.model, effort))
    {
        set(&mut config, "thinkingConfig", thinking);
    }
    // Models before the third generation refuse it together with tools.
    let takes_schema = request.tools.is_empty() || models::is_third(&request.model);
    if let Some(wanted) = request.output_schema.as_ref().filter(|_| takes_schema) {
        set(&mut config, "responseMimeType", json!("application/json"));
        if let Some(converted) = schema::convert(wanted) {
            set(&mut config, "responseSchema", converted);
        }
    }
    if config.as_object().is_some_and(|fields| !fields.is_empty()) {
        set(&mut body, "generationConfig", config);
    }
    body
}

/// An unanswered call.
struct PendingCall {
    id: String,
    name: String,
    wire_id: Option<Value>,
}

/// Encodes the turns, joining neighbours of one role. Results come first in their turn, then images that results cannot contain, then the
/// user's message.
fn contents(request: &Request) -> Vec<Value> {
    let is_third = models::is_third(&request.model);
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut open: Vec<PendingCall> = Vec::new();
    let mut images: Vec<Value> = Vec::new();
    for message in request.messages.iter() {
        let (role, mut parts) = match &**message {
            Message::User(content) => {
                ("user", visible(content).iter().filter_map(|content| part(content)).collect())
            }
            Message::ToolResult(result) => {
                let at = open.iter().position(|call| call.id == result.call_id);
                let call = at.map(|at| open.remove(at));
                let mut response = response(result, call);
                let shown: Vec<Value> = result.content.iter().filter_map(media).collect();
                match (is_third, shown.is_empty()) {
                    (_, true) => {}
                    (true, false) => set(&mut response, "parts", Value::Array(shown)),
                    (false, false) => images.extend(shown),
                }
                ("user", vec![json!({ "functionResponse": response })])
            }
            Message::Assistant(assistant) => {
                open.clear();
                let is_same_model = assistant.origin == request.origin;
                ("model", reply(assistant, is_same_model, is_third, &mut open))
            }
        };
        if !matches!(&**message, Message::ToolResult(_)) && !images.is_empty() {
            join(&mut turns, "user", &mut images);
        }
        join(&mut turns, role, &mut parts);
    }
    join(&mut turns, "user", &mut images);
    if turns.last().is_some_and(|(role, _)| *role == "model") {
        turns.push(("user", vec![json!({ "text": GO_ON })]));
    }
    turns.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

fn join(turns: &mut Vec<(&'static str, Vec<Value>)>, role: &'static str, parts: &mut Vec<Value>) {
    match turns.last_mut() {
        _ if parts.is_empty() => {}
        Some((last, joined)) if *last == role => joined.append(parts),
        Some(_) | None => turns.push((role, std::mem::take(parts))),
    }
}

fn part(content: &Content) -> Option<Value> {
    match content {
        Content::Text { text } if is_blank(text) => None,
        Content::Text { text } => Some(json!({ "text": text })),
        Content::Image { .. } | Content::Document { .. } => media(content),
    }
}

/// Encodes content that is not text.
fn media(content: &Content) -> Option<Value> {
    match content {
        Content::Text { .. } => None,
        Content::Image { mime_type, data } | Content::Document { mime_type, data, .. } => {
            Some(json!({ "inlineData": { "mimeType": mime_type, "data": data } }))
        }
    }
}

fn response(result: &ToolResult, call: Option<PendingCall>) -> Value {
    let key = if result.is_error { "error" } else { "output" };
    let said = json!({ key: result_text(result) });
    let (name, id) = match call {
        Some(call) => (call.name, call.wire_id),
        None => (tool_name(&result.tool_name), None),
    };
    let mut response = json!({ "name": name, "response": said });
    if let Some(id) = id {
        set(&mut response, "id", id);
    }
    response
}

/// Encodes a reply's parts. New models require a signature on each reply's first call.
fn reply(
    assistant: &Assistant,
    is_same_model: bool,
    is_third: bool,
    open: &mut Vec<PendingCall>,
) -> Vec<Value> {
    let mut parts = Vec::new();
    for block in &assistant.blocks {
        match block {
            AssistantBlock::Text { text, opaque } => {
                let opaque = opaque.as_ref().filter(|_| is_same_model);
                parts.extend(signed(text, opaque).into_iter().map(|(text, signature)| {
                    let mut part = json!({ "text": text });
                    if let Some(signature) = signature {
                        set(&mut part, "thoughtSignature", signature);
                    }
                    part
                }));
            }
            AssistantBlock::Reasoning { text, opaque } => {
                // Without a signature, reasoning is meaningless to the model.
                let opaque = opaque.as_ref().filter(|_| is_same_model);
                let signed = signed(text, opaque).into_iter();
                parts.extend(signed.filter_map(|(text, signature)| {
                    Some(json!({ "text": text, "thought": true, "thoughtSignature": signature? }))
                }));
            }
            AssistantBlock::ToolCall { id, name, arguments, opaque } => {
                let kept = opaque.as_ref().filter(|_| is_same_model).and_then(raw);
                let field = |key: &str| kept.as_ref().and_then(|kept| kept.get(key)).cloned();
                let (name, wire_id) = (tool_name(name), field("id"));
                let mut call = json!({ "name": name, "args": arguments_object(arguments) });
                if let Some(id) = &wire_id {
                    set(&mut call, "id", id.clone());
                }
                let mut part = json!({ "functionCall": call });
                let dummy = || (is_third && open.is_empty()).then(|| Value::from(NO_SIGNATURE));
                if let Some(signature) = field("thoughtSignature").or_else(dummy) {
                    set(&mut part, "thoughtSignature", signature);
                }
                open.push(PendingCall { id: id.clone(), name, wire_id });
                parts.push(part);
            }
            AssistantBlock::Unknown(opaque) => {
                parts.extend(raw(opaque).filter(|_| is_same_model));
            }
        }
    }
    parts
}

/// Splits a text into its original parts: signed parts separately, the text between them joined.
fn signed<'a>(text: &'a str, opaque: Option<&Opaque>) -> Vec<(&'a str, Option<Value>)> {
    let kept = opaque.and_then(raw);
    let ranges = kept.as_ref().and_then(|kept| kept.get("signed")).and_then(Value::as_array);
    let mut parts = Vec::new();
    let mut done = 0;
    for range in ranges.into_iter().flatten() {
        let at = |key: &str| {
            let at = range.get(key).and_then(Value::as_u64);
            at.and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX)
        };
        let (from, to) = (at("from"), at("to"));
        // A text that differs from the signed one is sent unsigned.
        let (Some(before), Some(part)) = (text.get(done..from), text.get(from..to)) else {
            return plain(text);
        };
        parts.extend(plain(before));
        parts.push((part, range.get("thoughtSignature").cloned()));
        done = to;
    }
    parts.extend(plain(text.get(done..).unwrap_or_default()));
    parts
}

fn plain(text: &str) -> Vec<(&str, Option<Value>)> {
    if is_blank(text) { Vec::new() } else { vec![(text, None)] }
}
