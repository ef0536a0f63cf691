//! Encodes a request as the body of `POST /v1/responses`.
//!
//! The server keeps nothing (`store: false`), so reasoning arrives encrypted and is sent back with the items that it led to.

use super::search;
use crate::call_ids::{CallIdMap, IdForm};
use crate::catalog::Dialect;
use crate::decode::text;
use crate::effort_updates::{self, EffortUpdates};
use crate::encode::{
    accepted_effort, arguments_text, document_name, is_blank, is_media, raw,
    result_text_with_failure, set, tool_name, visible,
};
use crate::{Assistant, AssistantBlock, Effort, Message, Request, ToolResult, ToolSpec};
use crate::{output_schema, parameters};
use pintle_protocol::content::Content;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Name prefixes of models without reasoning, for which none is requested: they answer 400, "Encrypted content is not supported with this
/// model". Source: issues 2865 and 3326 of pydantic/pydantic-ai and 399 of miquido/draive; the oldest from general knowledge.
const NEVER_REASON: [&str; 4] = ["gpt-3.5", "gpt-4", "gpt-5-chat", "chatgpt-4"];

/// Encodes a request.
pub(crate) fn encode(request: &Request, dialect: Dialect) -> Value {
    let mut body = json!({ "model": request.model, "stream": true, "store": false });
    let name = request.model.rsplit('/').next().unwrap_or(&request.model);
    let reasons = !NEVER_REASON.iter().any(|known| name.starts_with(known));
    let updates = effort_updates(request, dialect);
    let effort = request.effort.map(|effort| accepted_effort(&request.model, effort));
    let effort = updates.base.or(effort);
    // With the least effort the server refuses it.
    let mut efforts = updates.changes.iter().map(|change| change.level).chain(effort);
    let searches = request.searches_web() && efforts.all(|effort| effort != Effort::Minimal);
    let reasoning = reasons.then_some("reasoning.encrypted_content");
    let included: Vec<&str> =
        reasoning.into_iter().chain(searches.then_some(search::SOURCES)).collect();
    if !included.is_empty() {
        set(&mut body, "include", json!(included));
    }
    if !is_blank(&request.system) {
        set(&mut body, "instructions", json!(&*request.system));
    }
    let freeform = Freeform::for_request(request, dialect);
    let functions = request.functions().map(|tool| freeform.tool(tool));
    let tools: Vec<Value> = searches.then(search::tool).into_iter().chain(functions).collect();
    if !tools.is_empty() {
        set(&mut body, "tools", Value::Array(tools));
    }
    if let Some(limit) = request.max_output_tokens {
        set(&mut body, "max_output_tokens", json!(limit));
    }
    if let Some(effort) = effort.filter(|_| reasons) {
        set(&mut body, "reasoning", json!({ "effort": effort.name(), "summary": "auto" }));
    }
    if let Some(key) = request.cache_key.as_ref().filter(|_| dialect.prompt_cache_key) {
        set(&mut body, "prompt_cache_key", json!(**key));
    }
    if let Some(schema) = &request.output_schema {
        let strict = output_schema::is_strict(schema);
        let format = json!({
            "type": "json_schema", "name": output_schema::NAME, "schema": **schema, "strict": strict
        });
        set(&mut body, "text", json!({ "format": format }));
    }
    if let Some(verbosity) = dialect.verbosity.name().filter(|_| is_since_gpt_5(&request.model)) {
        let mut text = body.get("text").cloned().unwrap_or_else(|| json!({}));
        set(&mut text, "verbosity", json!(verbosity));
        set(&mut body, "text", text);
    }
    set(&mut body, "input", Value::Array(input(request, &freeform, &updates)));
    body
}

/// Names of the tools whose calls are texts in a grammar instead of JSON.
struct Freeform<'a>(Vec<&'a str>);

impl<'a> Freeform<'a> {
    /// Models before GPT-5 support only functions. Source: developers.openai.com/api/docs/guides/function-calling, custom tools, and
    /// `@openai/codex` 0.169.0, which requests patches this way; checked 2026-11.
    fn for_request(request: &'a Request, dialect: Dialect) -> Self {
        let is_known = dialect.custom_tools && is_since_gpt_5(&request.model);
        let has_grammar = |tool: &&ToolSpec| is_known && tool.grammar.is_some();
        let tools = request.tools.iter().filter(has_grammar);
        Self(tools.map(|tool| tool.name.as_str()).collect())
    }

    fn has(&self, tool: &str) -> bool {
        self.0.contains(&tool)
    }

    fn tool(&self, tool: &ToolSpec) -> Value {
        let ToolSpec { name, description, grammar, .. } = tool;
        let parameters = parameters::accepted(&tool.parameters);
        match grammar.filter(|_| self.has(name)) {
            Some(grammar) => json!({
                "type": "custom", "name": name, "description": description,
                "format": { "type": "grammar", "syntax": "lark", "definition": grammar }
            }),
            None => json!({
                "type": "function", "name": name, "description": description,
                "parameters": parameters, "strict": false
            }),
        }
    }
}

/// Returns true for GPT-5 and later models.
pub(crate) fn is_since_gpt_5(model: &str) -> bool {
    generation(model).is_some_and(|generation| generation >= 5)
}

/// Returns a reasoning GPT model's generation.
fn generation(model: &str) -> Option<u32> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let version = name.strip_prefix("gpt-").and_then(|rest| rest.split(['.', '-']).next());
    let version = version.filter(|_| !NEVER_REASON.iter().any(|known| name.starts_with(known)));
    version.and_then(|version| version.parse().ok())
}

/// Returns the conversation's efforts, if the model accepts changes within it.
fn effort_updates(request: &Request, dialect: Dialect) -> EffortUpdates<Effort> {
    // The default is not documented as a level, so only the parameters can restore it.
    if !dialect.effort_updates || !updates_effort(&request.model) || request.effort.is_none() {
        return EffortUpdates::default();
    }
    effort_updates::collect(request, |effort| {
        effort.map(|effort| accepted_effort(&request.model, effort))
    })
}

/// Returns true for models whose effort can change within a conversation: GPT-6 and later, except `pro`. Source: issue 44751 of openai/codex
/// and openrouter.ai/docs, GPT-6 migration guide; read 2026-11.
fn updates_effort(model: &str) -> bool {
    generation(model).is_some_and(|generation| generation >= 6) && !model.contains("-pro")
}

fn input(
    request: &Request,
    freeform: &Freeform<'_>,
    updates: &EffortUpdates<Effort>,
) -> Vec<Value> {
    let mut ids = CallIdMap::new(IdForm::UpTo(64));
    let mut items = Vec::new();
    let mut changes = updates.changes.iter().peekable();
    for (index, message) in request.messages.iter().enumerate() {
        if let Some(change) = changes.next_if(|change| change.asked.start == index) {
            let reasoning = json!({ "effort": change.level.name() });
            items.push(json!({ "type": "configuration_update", "reasoning": reasoning }));
        }
        match &**message {
            Message::User(content) => {
                let parts: Vec<Value> =
                    visible(content).iter().filter_map(|content| part(content)).collect();
                items.push(json!({ "type": "message", "role": "user", "content": parts }));
            }
            Message::ToolResult(result) => items.push(json!({
                "type": if freeform.has(&result.tool_name) {
                    "custom_tool_call_output"
                } else {
                    "function_call_output"
                },
                "call_id": ids.result(&result.call_id),
                "output": output(result)
            })),
            Message::Assistant(assistant) => {
                let is_same_model = assistant.origin == request.origin;
                reply(assistant, is_same_model, freeform, &mut ids, &mut items);
            }
        }
    }
    without_repeated(items)
}

/// Removes items whose id was sent before, which the server refuses.
fn without_repeated(mut items: Vec<Value>) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    items.retain(|item| text(item, "id").is_none_or(|id| seen.insert(id.to_owned())));
    items
}

fn part(content: &Content) -> Option<Value> {
    match content {
        Content::Text { text } if is_blank(text) => None,
        Content::Text { text } => Some(json!({ "type": "input_text", "text": text })),
        Content::Image { mime_type, data } => Some(json!({
            "type": "input_image",
            "detail": "auto",
            "image_url": format!("data:{mime_type};base64,{data}")
        })),
        // Source: developers.openai.com/api/docs/guides/file-inputs, November 2026.
        Content::Document { mime_type, data, name, .. } => Some(json!({
            "type": "input_file",
            "filename": document_name(name),
            "file_data": format!("data:{mime_type};base64,{data}")
        })),
    }
}

fn output(result: &ToolResult) -> Value {
    let said = result_text_with_failure(result);
    if !result.content.iter().any(is_media) {
        return Value::from(said);
    }
    let images = result.content.iter().filter(|content| is_media(content)).filter_map(part);
    let text = json!({ "type": "input_text", "text": said });
    std::iter::once(text).chain(images).collect()
}

/// Returns a reply's items. Reasoning waits for the item that it led to: the server refuses it alone.
fn reply(
    assistant: &Assistant,
    is_same_model: bool,
    freeform: &Freeform<'_>,
    ids: &mut CallIdMap,
    items: &mut Vec<Value>,
) {
    ids.begin_turn();
    let mut thoughts = Vec::new();
    for block in &assistant.blocks {
        let item = match block {
            AssistantBlock::Text { text, .. } if is_blank(text) => continue,
            AssistantBlock::Text { text, opaque } => {
                let mut item = json!({
                    "type": "message", "role": "assistant",
                    "content": [{ "type": "output_text", "text": text }]
                });
                let kept = opaque.as_ref().filter(|_| is_same_model).and_then(raw);
                if let Some(phase) = kept.as_ref().and_then(|kept| kept.get("phase")) {
                    set(&mut item, "phase", phase.clone());
                }
                item
            }
            AssistantBlock::Reasoning { opaque, .. } => {
                let kept = opaque.as_ref().filter(|_| is_same_model).and_then(raw);
                thoughts.extend(kept.and_then(thought));
                continue;
            }
            AssistantBlock::ToolCall { id, name, arguments, .. } if freeform.has(name) => json!({
                "type": "custom_tool_call", "call_id": ids.call(id), "name": name,
                "input": free_text(arguments)
            }),
            AssistantBlock::ToolCall { id, name, arguments, opaque } => {
                let mut item = json!({
                    "type": "function_call", "call_id": ids.call(id), "name": tool_name(name),
                    "arguments": arguments_text(arguments)
                });
                let kept = opaque.as_ref().filter(|_| is_same_model).and_then(raw);
                for key in ["namespace", "caller"] {
                    if let Some(value) = kept.as_ref().and_then(|kept| kept.get(key)) {
                        set(&mut item, key, value.clone());
                    }
                }
                item
            }
            AssistantBlock::Unknown(opaque) => {
                // A model that was reached over another API has left other data.
                let item = raw(opaque).filter(|item| is_same_model && text(item, "type").is_some());
                match item {
                    Some(item) => search::sent_back(item),
                    None => continue,
                }
            }
        };
        items.append(&mut thoughts);
        items.push(item);
    }
}

/// Returns a grammar call's text, which is its only argument.
fn free_text(arguments: &str) -> String {
    let given: Option<Map<String, Value>> = serde_json::from_str(arguments).ok();
    let text = given.and_then(|given| {
        given.into_iter().find_map(|(_, value)| match value {
            Value::String(text) => Some(text),
            _ => None,
        })
    });
    text.unwrap_or_else(|| arguments.to_owned())
}

/// Returns a reasoning item, if the server can use it: without storage its id alone is meaningless.
fn thought(mut item: Value) -> Option<Value> {
    let has_content =
        item.get("content").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    if text(&item, "encrypted_content").is_none() && !has_content {
        return None;
    }
    if let Value::Object(fields) = &mut item {
        fields.shift_remove("status");
        // Some servers leave it out, although the API requires it.
        fields.entry("summary").or_insert_with(|| json!([]));
    }
    Some(item)
}
