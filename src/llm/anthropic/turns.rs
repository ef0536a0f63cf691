//! The order of turns and blocks that the API requires. Pure.
//!
//! Source: error texts quoted in public issues, and platform.claude.com/docs/en/build-with-claude/handling-stop-reasons for calls that the
//! server runs, read 2026-11.

use super::encode::mark;
use crate::decode::text;
use crate::encode::GO_ON;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A role and its blocks.
type Turn = (&'static str, Vec<Value>);

/// Role for messages that change the effort. The only block is the level.
pub(super) const UPDATE: &str = "system";

/// The beta that accepts such messages.
const UPDATE_BETA: &str = "mid-conversation-output-config-2026-07-01";

/// The number of trailing user turns with a cache marker: the last one is written, the previous one read. With system prompt and tools this
/// makes four, the API's maximum.
const MARKED_TURNS: usize = 2;

/// Joins neighbours of one role, so that all results of a turn form one message before the user's next text, and leaves out what the API
/// refuses: unpaired server calls, messages that end with thinking, and empty messages.
pub(super) fn settled(turns: Vec<Turn>, can_search: bool) -> Vec<Turn> {
    let mut turns = joined(turns);
    without_unpaired(&mut turns, can_search);
    for (_, blocks) in &mut turns {
        let said = blocks.iter().rposition(|block| !is_thinking(block));
        blocks.truncate(said.map_or(0, |last| last + 1));
    }
    joined(turns)
}

fn joined(turns: Vec<Turn>) -> Vec<Turn> {
    let mut all: Vec<Turn> = Vec::new();
    for (role, blocks) in turns {
        match all.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, joined)) if *last == role => joined.extend(blocks),
            Some(_) | None => all.push((role, blocks)),
        }
    }
    all
}

fn is_thinking(block: &Value) -> bool {
    matches!(text(block, "type"), Some("thinking" | "redacted_thinking"))
}

fn is_result(block: &Value) -> bool {
    text(block, "type") == Some("tool_result")
}

/// Returns the id if a block is a call that the server runs.
fn server_call(block: &Value) -> Option<&str> {
    let is_call = matches!(text(block, "type"), Some("server_tool_use" | "mcp_tool_use"));
    text(block, "id").filter(|_| is_call)
}

/// Returns the call id of a server's result.
fn server_result(block: &Value) -> Option<&str> {
    let is_result = text(block, "type")?.ends_with("_tool_result");
    text(block, "tool_use_id").filter(|_| is_result)
}

/// Removes results of server calls without a call, and calls without a result. A call may wait for its result only while the server can
/// still run it: at the end, or if only the results of other calls follow.
fn without_unpaired(turns: &mut [Turn], can_search: bool) {
    let mut waiting: BTreeSet<String> = BTreeSet::new();
    let mut paired: BTreeSet<String> = BTreeSet::new();
    for (role, blocks) in &mut *turns {
        if *role == UPDATE {
            continue;
        }
        if *role == "user" {
            if !blocks.iter().all(is_result) {
                waiting.clear();
            }
            continue;
        }
        // The server answers before anything else.
        let mut earlier = std::mem::take(&mut waiting);
        for block in blocks {
            if let Some(id) = server_call(block) {
                waiting.insert(id.to_owned());
            } else if let Some(id) = server_result(block)
                && (waiting.remove(id) || earlier.remove(id))
            {
                paired.insert(id.to_owned());
            }
        }
    }
    if can_search {
        paired.append(&mut waiting);
    }
    for (_, blocks) in turns.iter_mut().filter(|(role, _)| *role == "assistant") {
        blocks.retain(|block| {
            server_call(block).or_else(|| server_result(block)).is_none_or(|id| paired.contains(id))
        });
    }
}

/// Returns the called tools, by name.
pub(super) fn called(turns: &[Turn]) -> BTreeSet<String> {
    let blocks = turns.iter().flat_map(|(_, blocks)| blocks);
    let calls = blocks.filter(|block| text(block, "type") == Some("tool_use"));
    calls.filter_map(|call| text(call, "name")).map(str::to_owned).collect()
}

/// Returns true if the current turn begins with thinking. Models that think with a budget require this while calls are being answered; a
/// reply from another model has no thinking.
pub(super) fn begins_with_thinking(turns: &[Turn]) -> bool {
    let mut later = turns;
    if let Some(((role, blocks), before)) = turns.split_last()
        && *role == "assistant"
    {
        let follows_results = before.last().is_some_and(|(_, blocks)| blocks.iter().all(is_result));
        if !follows_results && !blocks.first().is_some_and(is_thinking) {
            return false;
        }
        later = before;
    }
    while let [rest @ .., (_, reply), (_, results)] = later {
        if !results.iter().any(is_result) {
            break;
        }
        let is_first = rest.last().is_none_or(|(_, asked)| !asked.iter().all(is_result));
        if is_first && !reply.first().is_some_and(is_thinking) {
            return false;
        }
        later = rest;
    }
    true
}

/// Removes thinking from a reply at the end, which the API refuses while thinking is off.
pub(super) fn end_without_thinking(turns: &mut Vec<Turn>) {
    if let Some((_, blocks)) = turns.last_mut().filter(|(role, _)| *role == "assistant") {
        blocks.retain(|block| !is_thinking(block));
    }
    turns.retain(|(_, blocks)| !blocks.is_empty());
}

/// Ends with a message to the model, unless the server continues a paused reply; such a reply must not end in whitespace.
pub(super) fn end_for_the_model(turns: &mut Vec<Turn>) {
    let update = turns.pop_if(|(role, _)| *role == UPDATE);
    end_with_message(turns);
    turns.extend(update);
}

fn end_with_message(turns: &mut Vec<Turn>) {
    let Some((_, blocks)) = turns.last_mut().filter(|(role, _)| *role == "assistant") else {
        return;
    };
    if !blocks.iter().any(|block| server_call(block).is_some()) {
        turns.push(("user", vec![json!({ "type": "text", "text": GO_ON })]));
    } else if let Some(Value::String(said)) =
        blocks.last_mut().and_then(|last| last.get_mut("text"))
    {
        said.truncate(said.trim_end().len());
    }
}

/// Marks the last user turns for the cache.
pub(super) fn mark_last(turns: &mut [Turn]) {
    let marked = turns.iter_mut().rev().filter(|(role, _)| *role == "user").take(MARKED_TURNS);
    for block in marked.filter_map(|(_, blocks)| blocks.last_mut()) {
        mark(block);
    }
}

/// Removes a change of the effort before all other messages, which the API refuses, and returns its level.
pub(super) fn take_first_update(turns: &mut Vec<Turn>) -> Option<Value> {
    let is_first = turns.first().is_some_and(|(role, _)| *role == UPDATE);
    is_first.then(|| turns.remove(0).1.pop()).flatten()
}

/// Encodes a turn as a message.
pub(super) fn message((role, mut content): Turn) -> Value {
    if role != UPDATE {
        return json!({ "role": role, "content": content });
    }
    // Of changes that became neighbours, the last one counts.
    json!({ "role": role, "content": [], "output_config": { "effort": content.pop() } })
}

/// Returns the beta that a body requires.
pub(crate) fn beta(body: &Value) -> Option<&'static str> {
    let messages = body.get("messages").and_then(Value::as_array)?;
    let has_update = messages.iter().any(|message| text(message, "role") == Some(UPDATE));
    has_update.then_some(UPDATE_BETA)
}
