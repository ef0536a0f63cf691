//! What `POST /v1/responses` refuses.
//!
//! Source of a rule without one: the error texts in `tests/fixtures/provider-errors.json` and npm `openai` 7.57.0.

use super::{
    Checked, DOCUMENTS, data_url, distinct, ensure, id, is_name, list, object_text, only,
    parameters, text,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Source: developers.openai.com/api/docs/guides/images-vision.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Prefixes of item ids at OpenAI. Source: "Expected an ID that begins with 'fc'" and the like: earendil-works/pi#10257.
const PREFIXES: [(&str, &str); 5] = [
    ("reasoning", "rs_"),
    ("message", "msg_"),
    ("function_call", "fc_"),
    ("custom_tool_call", "ctc_"),
    ("web_search_call", "ws_"),
];

/// Models without reasoning. Source: pydantic/pydantic-ai#2865 ("Encrypted content is not supported with this model").
const NO_REASONING: [&str; 3] = ["gpt-3.5", "gpt-4", "gpt-5-chat"];

/// Checks a body.
pub(super) fn check(model: &str, body: &Value) -> Checked {
    // "Unknown parameter".
    only(
        body,
        &[
            "model",
            "stream",
            "store",
            "include",
            "instructions",
            "tools",
            "max_output_tokens",
            "reasoning",
            "prompt_cache_key",
            "text",
            "input",
        ],
    )?;
    // "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64".
    ensure(text(body, "prompt_cache_key").len() <= 64, "a long cache key", body)?;
    let reasons = !NO_REASONING.iter().any(|prefix| model.starts_with(prefix));
    let encrypts = list(body, "include").iter().any(|one| one == "reasoning.encrypted_content");
    ensure(reasons || !encrypts, "reasoning of a model without it", &body["include"])?;
    ensure(reasons || body.get("reasoning").is_none(), "reasoning of a model without it", body)?;
    // "Unsupported value: 'none'": github.com/BerriAI/litellm/discussions/52347.
    let is_low = matches!(text(&body["reasoning"], "effort"), "none" | "minimal");
    ensure(!is_low || !model.starts_with("gpt-6.2-"), "an unsupported effort", &body["reasoning"])?;
    // "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16".
    let most = body["max_output_tokens"].as_u64();
    ensure(most.is_none_or(|most| most >= 16), "fewer than 16 output tokens", body)?;
    tools(body)?;
    let items = list(body, "input");
    // "One of 'input' or 'previous_response_id' … must be provided".
    ensure(!items.is_empty(), "no input", body)?;
    calls(items)?;
    effort_updates(model, items)?;
    let mut ids = BTreeSet::new();
    for (number, item) in items.iter().enumerate() {
        self::item(item)?;
        item_id(model, item, &mut ids)?;
        if item["type"] == "reasoning" {
            let next = items[number + 1..].iter().find(|next| next["type"] != "reasoning");
            let is_followed = next.is_some_and(is_models);
            // "Item 'rs_…' of type 'reasoning' was provided without its required following item."
            ensure(is_followed, "reasoning without its following item", item)?;
        }
    }
    Ok(())
}

/// Changes of the effort. Source: "The 'configuration_update' item type is not supported with this model.": openai/codex#44751; two
/// neighbours are refused: langchain-ai/langchainjs#11560.
fn effort_updates(model: &str, items: &[Value]) -> Checked {
    let is_update = |item: &Value| item["type"] == "configuration_update";
    for item in items.iter().filter(|item| is_update(item)) {
        let is_able = model.starts_with("gpt-6") && !model.contains("-pro");
        ensure(is_able, "an effort within the conversation", item)?;
        only(item, &["type", "reasoning"])?;
        only(&item["reasoning"], &["effort"])?;
        let effort = text(&item["reasoning"], "effort");
        let is_low = matches!(effort, "none" | "minimal") && model.starts_with("gpt-6.2-");
        ensure(!effort.is_empty() && !is_low, "an unsupported effort", item)?;
    }
    let has_pair = items.windows(2).any(|pair| pair.iter().all(is_update));
    ensure(!has_pair, "two efforts in a row", &Value::Null)
}

fn tools(body: &Value) -> Checked {
    let tools = list(body, "tools");
    ensure(body.get("tools").is_none() || !tools.is_empty(), "an empty tool list", body)?;
    distinct(
        tools.iter().filter(|tool| tool.get("name").is_some()).map(|tool| text(tool, "name")),
    )?;
    for tool in tools {
        match text(tool, "type") {
            "function" => {
                only(tool, &["type", "name", "description", "parameters", "strict"])?;
                parameters(&tool["parameters"])?;
            }
            "custom" => only(tool, &["type", "name", "description", "format"])?,
            "web_search" => {
                // "The following tools cannot be used with reasoning.effort 'minimal': web_search."
                let is_least = body["reasoning"]["effort"] == "minimal";
                ensure(!is_least, "a search with the least effort", tool)?;
                continue;
            }
            _ => ensure(false, "a tool of an unknown type", tool)?,
        }
        // "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        ensure(is_name(text(tool, "name"), 64, ""), "a tool's name has the wrong form", tool)?;
    }
    Ok(())
}

/// Returns true for an item that a model wrote.
fn is_models(item: &Value) -> bool {
    match text(item, "type") {
        "message" => item["role"] == "assistant",
        kind => !kind.ends_with("_output"),
    }
}

/// Calls and their outputs.
fn calls(items: &[Value]) -> Checked {
    let mut seen = BTreeSet::new();
    let mut open: Vec<(&str, String)> = Vec::new();
    for item in items {
        match text(item, "type") {
            kind @ ("function_call" | "custom_tool_call") => {
                // "Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64".
                id(text(item, "call_id"), 64, &mut seen)?;
                open.push((text(item, "call_id"), format!("{kind}_output")));
            }
            kind if kind.ends_with("_call_output") => {
                let is_its = |(id, kind_of_output): &(&str, String)| {
                    *id == text(item, "call_id") && kind_of_output == kind
                };
                // "No tool call found for function call output with call_id".
                let Some(at) = open.iter().position(is_its) else {
                    return ensure(false, "an output without its call", item);
                };
                open.remove(at);
            }
            // DeepSeek requires outputs right after their calls: "No tool output found for tool call".
            "message" if item["role"] == "user" => {
                ensure(open.is_empty(), "a call without output", item)?;
            }
            _ => {}
        }
    }
    // "No tool output found for function call".
    ensure(open.is_empty(), "a call without output", &Value::Null)
}

fn item_id(model: &str, item: &Value, seen: &mut BTreeSet<String>) -> Checked {
    let Some(own) = item.get("id") else { return Ok(()) };
    let own = own.as_str().unwrap_or_default();
    if model.starts_with("gpt-") {
        let kind = text(item, "type");
        let prefix = PREFIXES.iter().find(|(of, _)| *of == kind).map_or("", |(_, prefix)| *prefix);
        // "Invalid 'input[0].id': string too long. Expected a string with maximum length 64".
        let is_formed = own.starts_with(prefix) && (1..=64).contains(&own.len());
        ensure(is_formed, "an item's id has the wrong form", item)?;
    }
    // "Duplicate item found with id rs_…. Remove duplicate items from your input and try again.": vercel/ai#7883.
    ensure(seen.insert(own.to_owned()), "an item's id is used twice", item)
}

fn item(item: &Value) -> Checked {
    match text(item, "type") {
        "message" => {
            only(item, &["type", "role", "content", "phase", "id"])?;
            let parts = list(item, "content");
            ensure(!parts.is_empty(), "an empty message", item)?;
            let is_reply = item["role"] == "assistant";
            ensure(is_reply || item["role"] == "user", "an unknown role", item)?;
            parts.iter().try_for_each(|part| {
                // "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."
                let is_output = part["type"] == "output_text";
                ensure(is_output == is_reply, "a part of the wrong kind", part)?;
                self::part(part)
            })
        }
        "function_call" => {
            only(item, &["type", "call_id", "name", "arguments", "id", "namespace", "caller"])?;
            ensure(is_name(text(item, "name"), 64, ""), "a call's name has the wrong form", item)?;
            object_text(text(item, "arguments"), item)
        }
        "custom_tool_call" => {
            only(item, &["type", "call_id", "name", "input", "id"])?;
            ensure(is_name(text(item, "name"), 64, ""), "a call's name has the wrong form", item)?;
            ensure(item["input"].is_string(), "the input is not a text", item)
        }
        "function_call_output" | "custom_tool_call_output" => {
            only(item, &["type", "call_id", "output", "id"])?;
            match &item["output"] {
                Value::String(said) => ensure(!said.is_empty(), "an empty output", item),
                Value::Array(parts) => {
                    ensure(!parts.is_empty(), "an empty output", item)?;
                    parts.iter().try_for_each(|part| {
                        ensure(part["type"] != "output_text", "a part of the wrong kind", part)?;
                        self::part(part)
                    })
                }
                _ => ensure(false, "an output of an unknown kind", item),
            }
        }
        "reasoning" => {
            // "Unknown parameter: 'input[1].status'": openai/openai-python#2525 and clients that remove it.
            only(item, &["type", "id", "summary", "encrypted_content", "content"])?;
            // "Missing required parameter: 'input[1].summary'."
            ensure(item["summary"].is_array(), "reasoning without a summary", item)?;
            let is_whole =
                !text(item, "encrypted_content").is_empty() || !list(item, "content").is_empty();
            // "Item with id 'rs_…' not found. Items are not persisted when `store` is set to false."
            ensure(is_whole, "reasoning that the server did not keep", item)
        }
        // "Item with id 'ws_…' not found": the same.
        "web_search_call" => ensure(item.get("id").is_none(), "an id that was not kept", item),
        "" => ensure(false, "an item without a type", item),
        _ => Ok(()),
    }
}

fn part(part: &Value) -> Checked {
    match text(part, "type") {
        "input_text" | "output_text" => {
            only(part, &["type", "text"])?;
            ensure(!text(part, "text").is_empty(), "empty text", part)
        }
        "input_image" => {
            only(part, &["type", "detail", "image_url"])?;
            data_url(text(part, "image_url"), &IMAGES, part)
        }
        // Source: developers.openai.com/api/docs/guides/file-inputs.
        "input_file" => {
            only(part, &["type", "filename", "file_data"])?;
            ensure(!text(part, "filename").is_empty(), "a document without a name", part)?;
            data_url(text(part, "file_data"), &DOCUMENTS, part)
        }
        _ => ensure(false, "a part of an unknown type", part),
    }
}
