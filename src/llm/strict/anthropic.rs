//! What `POST /v1/messages` refuses.
//!
//! Source of a rule without one: the error texts in `tests/fixtures/provider-errors.json` and npm `@anthropic-ai/sdk` 1.12.0.

use super::{Checked, DOCUMENTS, distinct, ensure, id, image, is_blank, is_name, list, only, text};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Models that think only with a budget.
const BUDGET_ONLY: [&str; 10] = [
    "claude-3",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-2025",
    "claude-opus-4-5",
    "claude-sonnet-4-0",
    "claude-sonnet-4-2025",
    "claude-sonnet-4-5",
    "claude-haiku-4-5",
    "claude-2",
];

/// Models that refuse a budget. Source: docs.aws.amazon.com/bedrock, adaptive thinking, and platform.claude.com, model pages.
const NO_BUDGET: [&str; 7] = [
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-5",
    "claude-fable",
    "claude-mythos",
];

/// Models whose thinking cannot be disabled. Source: docs.aws.amazon.com/bedrock, adaptive thinking.
const ALWAYS_THINKING: [&str; 2] = ["claude-fable", "claude-mythos"];

/// Models that accept an effort within the conversation.
const UPDATES_EFFORT: [&str; 7] = [
    "claude-fable-5-1",
    "claude-fable-5-2",
    "claude-mythos-5-1",
    "claude-mythos-5-2",
    "claude-opus-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
];

const EFFORTS: [&str; 5] = ["low", "medium", "high", "xhigh", "max"];

/// Source: platform.claude.com/docs/en/build-with-claude/vision.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Checks a body.
pub(super) fn check(model: &str, body: &Value) -> Checked {
    // "Extra inputs are not permitted".
    only(
        body,
        &[
            "model",
            "max_tokens",
            "stream",
            "system",
            "messages",
            "tools",
            "tool_choice",
            "thinking",
            "output_config",
        ],
    )?;
    ensure(body["max_tokens"].as_u64().is_some_and(|most| most > 0), "no `max_tokens`", body)?;
    system(body)?;
    tools(body)?;
    thinking(model, body)?;
    marks(body)?;
    let messages = list(body, "messages");
    order(model, body)?;
    calls(messages)?;
    server_calls(body, messages)?;
    for message in messages {
        if message["role"] == "system" {
            effort_update(model, message)?;
            continue;
        }
        ensure(!list(message, "content").is_empty(), "an empty message", message)?;
        let end = list(message, "content").last();
        // "The final block in an assistant message cannot be `thinking`."
        ensure(!end.is_some_and(is_thinking), "a message that ends with thinking", message)?;
        for block in list(message, "content") {
            self::block(model, text(message, "role"), block)?;
        }
    }
    if body["thinking"]["type"] == "enabled" && is_one_of(model, &BUDGET_ONLY) {
        turn_begins_with_thinking(messages)?;
    }
    Ok(())
}

fn is_one_of(model: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| model.starts_with(prefix))
}

fn system(body: &Value) -> Checked {
    for block in list(body, "system") {
        only(block, &["type", "text", "cache_control"])?;
        // "system: text content blocks must contain non-whitespace text".
        ensure(!is_blank(text(block, "text")), "blank text in the system prompt", block)?;
    }
    Ok(())
}

/// A message that changes the effort. Source: platform.claude.com/docs/en/build-with-claude/effort-per-message.
fn effort_update(model: &str, message: &Value) -> Checked {
    ensure(is_one_of(model, &UPDATES_EFFORT), "a system message", message)?;
    only(message, &["role", "content", "output_config"])?;
    ensure(message["content"] == json!([]), "an effort with content", message)?;
    only(&message["output_config"], &["effort"])?;
    let effort = text(&message["output_config"], "effort");
    ensure(EFFORTS.contains(&effort), "an unknown effort", message)
}

fn tools(body: &Value) -> Checked {
    let tools = list(body, "tools");
    distinct(tools.iter().map(|tool| text(tool, "name")))?;
    for tool in tools {
        if tool.get("type").is_some() {
            continue;
        }
        only(tool, &["name", "description", "input_schema", "cache_control"])?;
        ensure(is_name(text(tool, "name"), 128, ""), "a tool's name has the wrong form", tool)?;
        let schema = &tool["input_schema"];
        // "tools.0.custom.input_schema.type: Field required".
        ensure(schema["type"] == "object", "the schema is not an object schema", tool)?;
        // "input_schema does not support oneOf, allOf, or anyOf at the top level": anomalyco/opencode, Kilo-Org/kilocode.
        for key in ["oneOf", "allOf", "anyOf"] {
            ensure(schema.get(key).is_none(), "top-level alternatives", tool)?;
        }
        // "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'": modelcontextprotocol/go-sdk#169.
        for name in schema["properties"].as_object().into_iter().flat_map(|named| named.keys()) {
            ensure(is_name(name, 64, "."), "a property's name has the wrong form", tool)?;
        }
    }
    // "Requests which include tool_use or tool_result blocks must define tools": anthropics/anthropic-sdk-python#494.
    let has_calls = list(body, "messages").iter().flat_map(|message| list(message, "content"));
    let mut has_calls = has_calls.filter(|block| block["type"] == "tool_use");
    ensure(!tools.is_empty() || has_calls.next().is_none(), "calls without tools", &Value::Null)
}

fn thinking(model: &str, body: &Value) -> Checked {
    let thinking = &body["thinking"];
    let is = |prefixes: &[&str]| is_one_of(model, prefixes);
    let effort = text(&body["output_config"], "effort");
    if !effort.is_empty() {
        ensure(EFFORTS.contains(&effort), "an unknown effort", &body["output_config"])?;
        // "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium."
        let is_first = is(&["claude-opus-4-6", "claude-sonnet-4-6"]);
        ensure(!is_first || effort != "xhigh", "an unsupported effort", &body["output_config"])?;
    }
    match text(thinking, "type") {
        "" => ensure(thinking.is_null(), "thinking without a type", thinking),
        "enabled" => {
            ensure(!is(&NO_BUDGET), "a budget for a model without one", thinking)?;
            let budget = thinking["budget_tokens"].as_u64().unwrap_or_default();
            ensure(budget >= 1_024, "a budget below 1024", thinking)?;
            let most = body["max_tokens"].as_u64().unwrap_or_default();
            ensure(budget < most, "a budget that is not below `max_tokens`", thinking)
        }
        "adaptive" => ensure(!is(&BUDGET_ONLY), "adaptive thinking without support", thinking),
        "disabled" => ensure(!is(&ALWAYS_THINKING), "thinking cannot be disabled", thinking),
        "between_tools" => ensure(!is(&BUDGET_ONLY), "thinking of an unknown type", thinking),
        _ => ensure(false, "thinking of an unknown type", thinking),
    }
}

/// "A maximum of 4 blocks with cache_control may be provided."
fn marks(body: &Value) -> Checked {
    let content = list(body, "messages").iter().flat_map(|message| list(message, "content"));
    let all = list(body, "system").iter().chain(list(body, "tools")).chain(content);
    let marked = all.filter(|block| block.get("cache_control").is_some()).count();
    ensure(marked <= 4, "more than four cache markers", &Value::from(marked))
}

/// Roles, the first and the last message.
fn order(model: &str, body: &Value) -> Checked {
    let messages = list(body, "messages");
    // "messages: at least one message is required", "first message must use the user role".
    let first = messages.first().map_or("", |first| text(first, "role"));
    ensure(first == "user", "the first message is not the user's", &Value::Null)?;
    for pair in messages.windows(2) {
        // The server joins them; compatible servers do not.
        ensure(pair[0]["role"] != pair[1]["role"], "two messages of one role", &pair[1])?;
    }
    let mut said = messages.iter().filter(|message| message["role"] != "system");
    let Some(last) = said.next_back().filter(|last| last["role"] == "assistant") else {
        return Ok(());
    };
    let blocks = list(last, "content");
    // "This model does not support assistant message prefill", unless the server continues a paused turn:
    // platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, pause_turn.
    let is_servers =
        |block: &Value| matches!(text(block, "type"), "server_tool_use" | "mcp_tool_use");
    let is_paused = blocks.iter().any(is_servers);
    ensure(is_paused, "the last message is not the user's", last)?;
    if let Some(end) = blocks.last() {
        // "messages: final assistant content cannot end with trailing whitespace".
        let said = text(end, "text");
        ensure(said == said.trim_end(), "trailing whitespace in the last message", end)?;
    }
    // "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`": tailcallhq/forgecode#1853.
    let thinking = &body["thinking"];
    let is_off = thinking["type"] == "disabled" || is_one_of(model, &BUDGET_ONLY);
    let is_off = is_off && thinking["type"] != "enabled";
    ensure(!is_off || !blocks.iter().any(is_thinking), "disabled thinking at the end", last)
}

fn is_thinking(block: &Value) -> bool {
    matches!(text(block, "type"), "thinking" | "redacted_thinking")
}

/// Calls and their results.
fn calls(messages: &[Value]) -> Checked {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let mut results = Vec::new();
        let mut is_past_results = false;
        let mut is_past_calls = false;
        for block in list(message, "content") {
            match text(block, "type") {
                // "`tool_use` ids must be unique", "String should match pattern '^[a-zA-Z0-9_-]+$'".
                "tool_use" => id(text(block, "id"), 64, &mut seen)?,
                "tool_result" => {
                    // "tool_use ids were found without tool_result blocks immediately after", also if something precedes them.
                    ensure(!is_past_results, "a result after other content", message)?;
                    results.push(text(block, "tool_use_id"));
                }
                _ => {}
            }
            is_past_results |= block["type"] != "tool_result";
            // The same error for anything after a call: anomalyco/opencode.
            let is_call = block["type"] == "tool_use";
            ensure(!is_past_calls || is_call, "content after a call", message)?;
            is_past_calls |= is_call;
        }
        open.sort_unstable();
        results.sort_unstable();
        ensure(results == open, "the results do not answer the calls", message)?;
        let calls = list(message, "content").iter().filter(|block| block["type"] == "tool_use");
        open = calls.map(|call| text(call, "id")).collect();
    }
    ensure(open.is_empty(), "a call without result", &Value::Null)
}

/// Calls that the server runs. A pending one ends the conversation, or is followed by nothing but the results of other calls.
///
/// Source: platform.claude.com/docs/en/build-with-claude/handling-stop-reasons ("`web_search` tool use with id … was found without a
/// corresponding `web_search_tool_result` block", "but no `web_search` tool was provided").
fn server_calls(body: &Value, messages: &[Value]) -> Checked {
    let mut pending: BTreeMap<&str, &Value> = BTreeMap::new();
    for message in messages {
        for block in list(message, "content") {
            let kind = text(block, "type");
            if matches!(kind, "server_tool_use" | "mcp_tool_use") {
                pending.insert(text(block, "id"), block);
            } else if kind.ends_with("_tool_result") {
                let call = pending.remove(text(block, "tool_use_id"));
                ensure(call.is_some(), "a server's result without its call", block)?;
            }
        }
        let has_more = list(message, "content").iter().any(|block| block["type"] != "tool_result");
        if let Some(call) = pending.values().next().filter(|_| message["role"] == "user") {
            ensure(!has_more, "a server's call without its result", call)?;
        }
    }
    for call in pending.values().filter(|call| call["type"] == "server_tool_use") {
        let mut names = list(body, "tools").iter().map(|tool| &tool["name"]);
        ensure(names.any(|name| *name == call["name"]), "a pending call without its tool", call)?;
    }
    Ok(())
}

/// One block of a message.
fn block(model: &str, role: &str, block: &Value) -> Checked {
    let kind = text(block, "type");
    let is_users = matches!(kind, "image" | "document" | "tool_result");
    let is_models = kind == "tool_use" || is_thinking(block) || kind == "server_tool_use";
    ensure(!is_users || role == "user", "a user's block in a reply", block)?;
    ensure(!is_models || role == "assistant", "a model's block in a user message", block)?;
    match kind {
        "text" => {
            only(block, &["type", "text", "cache_control", "citations"])?;
            // "messages: text content blocks must be non-empty", "… must contain non-whitespace text".
            ensure(!is_blank(text(block, "text")), "blank text", block)
        }
        "image" => {
            only(block, &["type", "source", "cache_control"])?;
            let source = &block["source"];
            image(text(source, "media_type"), text(source, "data"), &IMAGES, block)
        }
        // Source: platform.claude.com/docs/en/build-with-claude/pdf-support.
        "document" => {
            only(block, &["type", "source", "title", "context", "citations", "cache_control"])?;
            let source = &block["source"];
            image(text(source, "media_type"), text(source, "data"), &DOCUMENTS, block)
        }
        "thinking" => {
            // No marker: "cache_control cannot be set" on thinking.
            only(block, &["type", "thinking", "signature"])?;
            ensure(block["thinking"].is_string(), "thinking without text", block)?;
            // "signature: Field required", "Invalid `signature` in `thinking` block". Other makers' models sign nothing.
            let is_signed = !text(block, "signature").is_empty() || !model.starts_with("claude");
            ensure(is_signed, "thinking without a signature", block)
        }
        "redacted_thinking" => {
            only(block, &["type", "data"])?;
            ensure(!text(block, "data").is_empty(), "redacted thinking without data", block)
        }
        "tool_use" => {
            only(block, &["type", "id", "name", "input", "caller", "cache_control"])?;
            ensure(
                is_name(text(block, "name"), 128, ""),
                "a call's name has the wrong form",
                block,
            )?;
            ensure(block["input"].is_object(), "the input is not an object", block)
        }
        "tool_result" => result(model, block),
        "" => ensure(false, "a block without a type", block),
        _ => Ok(()),
    }
}

fn result(model: &str, block: &Value) -> Checked {
    only(block, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
    let content = list(block, "content");
    // "tool_result: content cannot be empty if `is_error` is true": anthropics/claude-agent-sdk-python#248.
    let is_said = !content.is_empty() || block["is_error"] != true;
    ensure(is_said, "a failure without content", block)?;
    for part in content {
        match text(part, "type") {
            "text" | "image" | "document" => self::block(model, "user", part)?,
            _ => ensure(false, "a block that no result may contain", block)?,
        }
    }
    Ok(())
}

/// A turn whose calls are being answered begins with thinking. User text after results begins another turn.
///
/// Source: anomalyco/opencode#3077, Kilo-Org/kilocode#5219 ("When `thinking` is enabled, a final `assistant` message must start with a
/// thinking block"); adaptive thinking is exempt (platform.claude.com, adaptive-thinking).
fn turn_begins_with_thinking(messages: &[Value]) -> Checked {
    let is_result = |block: &Value| block["type"] == "tool_result";
    let answers = |message: &Value| list(message, "content").iter().any(is_result);
    let asks = |message: &Value| list(message, "content").iter().any(|block| !is_result(block));
    let begins = |at: usize| list(&messages[at], "content").first().is_some_and(is_thinking);
    let mut at = messages.len();
    if messages.last().is_some_and(|last| last["role"] == "assistant") {
        let before = at.checked_sub(2).map(|before| &messages[before]);
        let is_first = before.is_none_or(asks);
        ensure(
            !is_first || begins(at - 1),
            "a turn that does not begin with thinking",
            &messages[at - 1],
        )?;
        at -= 1;
    }
    // From the last message back to the user's question, in steps of a reply and the message before it.
    while at >= 2 && answers(&messages[at - 1]) {
        let before = at.checked_sub(3).map(|before| &messages[before]);
        if before.is_none_or(asks) {
            ensure(begins(at - 2), "a turn that does not begin with thinking", &messages[at - 2])?;
        }
        at -= 2;
    }
    Ok(())
}
