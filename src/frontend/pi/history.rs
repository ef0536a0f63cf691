//! Queries of a session's entries: conversation, tree, statistics. Pure.

use super::Dialect;
use super::mirror::Line;
use pintle_protocol::context::ContextUsage;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Returns the entries, or those after `since`.
pub(super) fn entries(
    lines: &[Line],
    since: Option<&str>,
    leaf: Option<&str>,
) -> Result<Value, String> {
    let from = match since {
        None => 0,
        Some(since) => lines
            .iter()
            .position(|line| line.text_of("id") == Some(since))
            .map(|at| at + 1)
            .ok_or_else(|| format!("Entry not found: {since}"))?,
    };
    let entries: Vec<&Value> = lines.iter().skip(from).map(|line| &line.entry).collect();
    Ok(json!({ "entries": entries, "leafId": leaf }))
}

/// Returns all entries as a tree.
pub(super) fn tree(lines: &[Line], leaf: Option<&str>) -> Value {
    let labels: HashMap<&str, &Value> = lines
        .iter()
        .filter(|line| line.text_of("type") == Some("label"))
        .filter_map(|line| Some((line.text_of("targetId")?, &line.entry)))
        .collect();
    // Children follow their parents, so in reverse order each node's children are complete when the node is built.
    let mut children: HashMap<&str, Vec<Value>> = HashMap::new();
    let mut roots = Vec::new();
    for line in lines.iter().rev() {
        let id = line.text_of("id").unwrap_or_default();
        let mut nodes = children.remove(id).unwrap_or_default();
        nodes.reverse();
        let mut node = Map::new();
        node.insert("entry".to_owned(), line.entry.clone());
        node.insert("children".to_owned(), Value::Array(nodes));
        if let Some(label) = labels.get(id)
            && let Some(text) = label.get("label")
        {
            node.insert("label".to_owned(), text.clone());
            let stamp = label.get("timestamp").cloned().unwrap_or_default();
            node.insert("labelTimestamp".to_owned(), stamp);
        }
        match line.text_of("parentId") {
            Some(parent) => children.entry(parent).or_default().push(Value::Object(node)),
            None => roots.push(Value::Object(node)),
        }
    }
    roots.reverse();
    json!({ "tree": roots, "leafId": leaf })
}

/// Returns the entries on the path to the leaf, in order.
fn path<'a>(lines: &'a [Line], leaf: Option<&str>) -> Vec<&'a Line> {
    let positions: HashMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((line.text_of("id")?, at))).collect();
    let start = leaf.and_then(|leaf| positions.get(leaf)).copied();
    let mut path: Vec<&Line> = std::iter::successors(start, |at| {
        let parent = lines.get(*at)?.text_of("parentId")?;
        positions.get(parent).copied().filter(|parent| parent < at)
    })
    .filter_map(|at| lines.get(at))
    .collect();
    path.reverse();
    path
}

/// Returns the messages that the model reads, in a dialect: after a compaction, the prompt, the summary and the kept messages.
pub(super) fn messages(lines: &[Line], leaf: Option<&str>, dialect: Dialect) -> Vec<Value> {
    let mut messages = read(lines, leaf);
    messages.retain(|message| is_known(message, dialect));
    // A failed reply that was retried stays in the file, but the model does not read it.
    let is_reply = |message: &Value| role(message) == "assistant";
    let is_retried = |pair: &[Value]| match pair {
        [failed, next] => failed.get("stopReason") == Some(&json!("error")) && is_reply(next),
        _ => false,
    };
    let mut retried = messages.windows(2).map(is_retried).collect::<Vec<_>>().into_iter();
    messages.retain(|_| !retried.next().unwrap_or(false));
    messages
}

/// Returns true if a dialect has such a message: the legacy Pi does not send system prompts.
fn is_known(message: &Value, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Current => true,
        Dialect::Legacy => role(message) != "system",
    }
}

fn read(lines: &[Line], leaf: Option<&str>) -> Vec<Value> {
    let path = path(lines, leaf);
    let compaction = path.iter().rposition(|line| line.text_of("type") == Some("compaction"));
    let Some(at) = compaction else {
        return path.iter().filter_map(|line| message(line)).collect();
    };
    let summary = path.get(at);
    let prompt = summary.and_then(|line| line.entry.get("systemMessage")).cloned();
    let summary = summary.and_then(|line| message(line));
    let has_prompt = prompt.is_some();
    let mut messages: Vec<Value> = prompt.into_iter().chain(summary).collect();
    let kept = path.get(at).and_then(|line| line.text_of("firstKeptEntryId"));
    let first = path.iter().position(|line| line.text_of("id") == kept).unwrap_or(at);
    let kept = path.get(first..at).unwrap_or_default();
    let since = path.get(at + 1..).unwrap_or_default();
    let is_replaced = |message: &Value| has_prompt && role(message) == "system";
    let message = |line: &&Line| message(line);
    let kept = kept.iter().filter(|line| line.text_of("type") != Some("compaction"));
    messages.extend(kept.filter_map(message).filter(|message| !is_replaced(message)));
    messages.extend(since.iter().filter_map(message));
    messages
}

/// Converts an entry into a message.
fn message(line: &Line) -> Option<Value> {
    let part = |key: &str| line.entry.get(key).cloned().unwrap_or_default();
    let ms = line.text_of("timestamp").and_then(|stamp| stamp.parse::<jiff::Timestamp>().ok());
    let ms = ms.map_or(0, jiff::Timestamp::as_millisecond);
    Some(match line.text_of("type")? {
        "message" => part("message"),
        "custom_message" => json!({
            "role": "custom",
            "customType": part("customType"),
            "content": part("content"),
            "display": part("display"),
            "timestamp": ms,
        }),
        "compaction" => json!({
            "role": "compactionSummary",
            "summary": part("summary"),
            "tokensBefore": part("tokensBefore"),
            "timestamp": ms,
        }),
        "branch_summary" => json!({
            "role": "branchSummary",
            "summary": part("summary"),
            "fromId": part("fromId"),
            "timestamp": ms,
        }),
        _ => return None,
    })
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text of a message's content.
fn text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter(|block| block.get("type") == Some(&json!("text")));
            texts.filter_map(|block| block.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

/// Returns the users' messages, on any branch, before which a fork can begin.
pub(super) fn fork_messages(lines: &[Line]) -> Value {
    let users = lines.iter().filter_map(|line| {
        let message = message(line).filter(|message| role(message) == "user")?;
        Some(json!({ "entryId": line.text_of("id")?, "text": text(&message) }))
    });
    json!({ "messages": users.collect::<Vec<_>>() })
}

/// Returns the text of an entry's message.
pub(super) fn message_text(line: &Line) -> String {
    message(line).map(|message| text(&message)).unwrap_or_default()
}

/// Returns the model's last message.
pub(super) fn last_text(lines: &[Line], leaf: Option<&str>) -> Value {
    let messages = read(lines, leaf);
    let replies = messages.iter().rev().filter(|message| role(message) == "assistant");
    let last = replies.map(text).map(|text| text.trim().to_owned()).find(|text| !text.is_empty());
    last.map_or_else(|| json!({}), |text| json!({ "text": text }))
}

/// Returns the statistics of a session, over the whole file.
pub(super) fn stats(
    lines: &[Line],
    session: &str,
    path: Option<String>,
    context: &ContextUsage,
    dialect: Dialect,
) -> Value {
    let messages = lines.iter().filter_map(|line| line.entry.get("message"));
    let messages: Vec<&Value> = messages.filter(|message| is_known(message, dialect)).collect();
    let count = |name: &str| messages.iter().filter(|message| role(message) == name).count();
    let calls = messages.iter().filter_map(|message| message.get("content")?.as_array()).flatten();
    let calls = calls.filter(|block| block.get("type") == Some(&json!("toolCall"))).count();
    let usages: Vec<&Value> = messages.iter().filter_map(|message| message.get("usage")).collect();
    let sum = |key: &str| -> u64 {
        usages.iter().filter_map(|usage| usage.get(key).and_then(Value::as_u64)).sum()
    };
    let cost: f64 = usages
        .iter()
        .filter_map(|usage| usage.pointer("/cost/total").and_then(Value::as_f64))
        .sum();
    let [input, output, read, write] = ["input", "output", "cacheRead", "cacheWrite"].map(sum);
    let mut stats = Map::new();
    stats.extend(path.map(|path| ("sessionFile".to_owned(), Value::from(path))));
    let counts = json!({
        "sessionId": session,
        "userMessages": count("user"),
        "assistantMessages": count("assistant"),
        "toolCalls": calls,
        "toolResults": count("toolResult"),
        "totalMessages": messages.len(),
        "tokens": { "input": input, "output": output, "cacheRead": read, "cacheWrite": write, "total": input + output + read + write },
        "cost": cost,
    });
    if let Value::Object(counts) = counts {
        stats.extend(counts);
    }
    if let Some(window) = context.window {
        let is_known = lines.last().is_none_or(|line| line.text_of("type") != Some("compaction"));
        let tokens = is_known.then_some(context.tokens);
        let part = |tokens: u64| {
            let parts = f64::from(u32::try_from(tokens).unwrap_or(u32::MAX));
            100.0 * parts / f64::from(u32::try_from(window.max(1)).unwrap_or(u32::MAX))
        };
        let usage =
            json!({ "tokens": tokens, "contextWindow": window, "percent": tokens.map(part) });
        stats.insert("contextUsage".to_owned(), usage);
    }
    Value::Object(stats)
}
