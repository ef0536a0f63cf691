//! What `POST /v1/chat/completions` refuses, at OpenAI and at the servers that implement its API.
//!
//! Source of a rule without one: the error texts in `tests/fixtures/provider-errors.json` and npm `openai` 7.57.0.

use super::{
    Checked, DOCUMENTS, data_url, distinct, ensure, id, is_blank, is_name, list, object_text, only,
    parameters, text,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Source: developers.openai.com/api/docs/guides/images-vision.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];

/// Checks a body.
pub(super) fn check(body: &Value) -> Checked {
    // "Unrecognized request argument supplied".
    only(
        body,
        &[
            "model",
            "messages",
            "stream",
            "stream_options",
            "tools",
            "max_tokens",
            "max_completion_tokens",
            "reasoning_effort",
            "reasoning",
            "response_format",
            "store",
            "prompt_cache_key",
        ],
    )?;
    let has_both = body.get("max_tokens").is_some() && body.get("max_completion_tokens").is_some();
    ensure(!has_both, "two limits of the output", body)?;
    // "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64".
    ensure(text(body, "prompt_cache_key").len() <= 64, "a long cache key", body)?;
    // "Unsupported value: 'none'": github.com/BerriAI/litellm/discussions/52347.
    let is_low = matches!(text(body, "reasoning_effort"), "none" | "minimal");
    let is_limited = text(body, "model").starts_with("gpt-6.2-");
    ensure(!is_low || !is_limited, "an unsupported effort", &body["reasoning_effort"])?;
    tools(body)?;
    let messages = list(body, "messages");
    ensure(!messages.is_empty(), "no messages", body)?;
    order(messages)?;
    calls(messages)?;
    messages.iter().try_for_each(content)
}

/// Checks the rules that only Mistral has.
pub(super) fn check_mistral(body: &Value) -> Checked {
    let messages = list(body, "messages");
    for pair in messages.windows(2) {
        // "Unexpected role 'user' after role 'tool'": zed-industries/zed#37021, mistralai/mistral-vibe#578.
        let is_refused = pair[0]["role"] == "tool" && pair[1]["role"] == "user";
        ensure(!is_refused, "a user message after a result", &pair[1])?;
    }
    for call in messages.iter().flat_map(|message| list(message, "tool_calls")) {
        // "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9."
        let id = text(call, "id");
        let is_nine = id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        ensure(is_nine, "an id without exactly nine letters or digits", call)?;
    }
    Ok(())
}

fn tools(body: &Value) -> Checked {
    let tools = list(body, "tools");
    // "[] is too short - 'tools'": QwenLM/qwen-code#643.
    ensure(body.get("tools").is_none() || !tools.is_empty(), "an empty tool list", body)?;
    distinct(tools.iter().map(|tool| text(&tool["function"], "name")))?;
    for tool in tools {
        only(tool, &["type", "function"])?;
        ensure(tool["type"] == "function", "a tool of an unknown type", tool)?;
        let function = &tool["function"];
        only(function, &["name", "description", "parameters", "strict"])?;
        ensure(is_name(text(function, "name"), 64, ""), "a tool's name has the wrong form", tool)?;
        parameters(&function["parameters"])?;
    }
    Ok(())
}

/// Roles, in the order that the templates of open models require.
fn order(messages: &[Value]) -> Checked {
    for (number, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        ensure(ROLES.contains(&role), "an unknown role", message)?;
        let is_system = matches!(role, "system" | "developer");
        ensure(!is_system || number == 0, "a late system message", message)?;
    }
    for pair in messages.windows(2) {
        // "Conversation roles must alternate user/assistant/user/assistant/…": templates of open models. Mistral, whose content is a list,
        // accepts a reply after a reply (PyPI `mistral-common`).
        let role = text(&pair[1], "role");
        let is_list = pair.iter().any(|message| message["content"].is_array());
        let must_alternate = role == "user" || (role == "assistant" && !is_list);
        let is_repeated = pair[0]["role"] == pair[1]["role"];
        ensure(!must_alternate || !is_repeated, "two messages of one role", &pair[1])?;
    }
    let last = messages.last().map_or("", |last| text(last, "role"));
    // "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant": 0xPlaygrounds/rig#1130.
    ensure(matches!(last, "user" | "tool"), "the last message is a reply", &Value::Null)
}

/// Calls and their results.
fn calls(messages: &[Value]) -> Checked {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if message["role"] == "tool" {
            // "messages with role 'tool' must be a response to a preceding message with 'tool_calls'".
            let id = text(message, "tool_call_id");
            let Some(at) = open.iter().position(|waiting| *waiting == id) else {
                return ensure(false, "a result without its call", message);
            };
            open.remove(at);
            continue;
        }
        // "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
        ensure(open.is_empty(), "a call without result", message)?;
        let calls = list(message, "tool_calls");
        // "[] is too short - 'messages.1.tool_calls'".
        let is_listed = message.get("tool_calls").is_none() || !calls.is_empty();
        ensure(is_listed, "an empty call list", message)?;
        for call in calls {
            only(call, &["id", "type", "function"])?;
            ensure(message["role"] == "assistant", "a call of the user", message)?;
            // "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40".
            id(text(call, "id"), 40, &mut seen)?;
            ensure(call["type"] == "function", "a call of an unknown type", call)?;
            let function = &call["function"];
            only(function, &["name", "arguments"])?;
            ensure(
                is_name(text(function, "name"), 64, ""),
                "a call's name has the wrong form",
                call,
            )?;
            object_text(text(function, "arguments"), call)?;
            open.push(text(call, "id"));
        }
    }
    ensure(open.is_empty(), "a call without result", &Value::Null)
}

fn content(message: &Value) -> Checked {
    let known: &[&str] = match text(message, "role") {
        "tool" => &["role", "content", "tool_call_id", "name"],
        "assistant" => &["role", "content", "tool_calls", "reasoning_content", "reasoning_details"],
        _ => &["role", "content"],
    };
    only(message, known)?;
    match &message["content"] {
        // "the message at position N with role 'assistant' must not be empty" (Moonshot), "Assistant message must have either content or
        // tool_calls, but not none" (Mistral).
        Value::Null => {
            ensure(message.get("tool_calls").is_some(), "a message without content", message)
        }
        // Behind a gateway: "text content blocks must contain non-whitespace text".
        Value::String(said) => ensure(!is_blank(said), "blank text", message),
        Value::Array(parts) => {
            ensure(!parts.is_empty(), "an empty content list", message)?;
            parts.iter().try_for_each(|part| self::part(text(message, "role"), part))
        }
        _ => ensure(false, "content of an unknown kind", message),
    }
}

fn part(role: &str, part: &Value) -> Checked {
    match text(part, "type") {
        "text" => {
            only(part, &["type", "text"])?;
            ensure(!is_blank(text(part, "text")), "blank text", part)
        }
        // "Content blocks are expected to be either text or image_url type", of which a result takes only text.
        "image_url" => {
            only(part, &["type", "image_url"])?;
            ensure(role == "user", "an image outside of a user message", part)?;
            data_url(text(&part["image_url"], "url"), &IMAGES, part)
        }
        // Source: developers.openai.com/api/docs/guides/file-inputs.
        "file" => {
            only(part, &["type", "file"])?;
            ensure(role == "user", "a document outside of a user message", part)?;
            ensure(!text(&part["file"], "filename").is_empty(), "a document without a name", part)?;
            data_url(text(&part["file"], "file_data"), &DOCUMENTS, part)
        }
        // Mistral's.
        "thinking" => {
            ensure(role == "assistant", "thinking outside of a reply", part)?;
            ensure(!list(part, "thinking").is_empty(), "thinking without text", part)
        }
        _ => ensure(false, "a part of an unknown type", part),
    }
}
