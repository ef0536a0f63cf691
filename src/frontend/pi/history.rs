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
            .position(|line| line.head.id == since)
            .map(|at| at + 1)
            .ok_or_else(|| format!("Entry not found: {since}"))?,
    };
    let entries: Vec<Value> = lines.iter().skip(from).map(Line::entry).collect();
    Ok(json!({ "entries": entries, "leafId": leaf }))
}

/// Returns all entries as a tree.
pub(super) fn tree(lines: &[Line], leaf: Option<&str>) -> Value {
    let labels: HashMap<&str, Value> = lines
        .iter()
        .filter(|line| line.head.kind == "label")
        .filter_map(|line| Some((line.head.target_id.as_deref()?, line.entry())))
        .collect();
    // Children follow their parents, so in reverse order each node's children are complete when the node is built.
    let mut children: HashMap<&str, Vec<Value>> = HashMap::new();
    let mut roots = Vec::new();
    for line in lines.iter().rev() {
        let id = line.head.id.as_str();
        let mut nodes = children.remove(id).unwrap_or_default();
        nodes.reverse();
        let mut node = Map::new();
        node.insert("entry".to_owned(), line.entry());
        node.insert("children".to_owned(), Value::Array(nodes));
        if let Some(label) = labels.get(id)
            && let Some(text) = label.get("label")
        {
            node.insert("label".to_owned(), text.clone());
            let stamp = label.get("timestamp").cloned().unwrap_or_default();
            node.insert("labelTimestamp".to_owned(), stamp);
        }
        match line.head.parent_id.as_deref() {
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
        lines.iter().enumerate().map(|(at, line)| (line.head.id.as_str(), at)).collect();
    let start = leaf.and_then(|leaf| positions.get(leaf)).copied();
    let mut path: Vec<&Line> = std::iter::successors(start, |at| {
        let parent = lines.get(*at)?.head.parent_id.as_deref()?;
        positions.get(parent).copied().filter(|parent| parent < at)
    })
    .filter_map(|at| lines.get(at))
    .collect();
    path.reverse();
    path
}

/// A message that the model reads, as the entry that it is in.
#[derive(Clone, Copy)]
struct Message<'a> {
    line: &'a Line,
    /// True if it is the prompt that goes with a compaction, not the summary.
    is_prompt: bool,
}

impl<'a> Message<'a> {
    /// Returns an entry's message, if it has one.
    fn from_line(line: &'a Line) -> Option<Self> {
        let is_message = match line.head.kind.as_str() {
            "message" => line.head.message.is_some(),
            "custom_message" | "compaction" | "branch_summary" => true,
            _ => false,
        };
        is_message.then_some(Self { line, is_prompt: false })
    }

    fn role(&self) -> &str {
        match self.line.head.kind.as_str() {
            _ if self.is_prompt => "system",
            "custom_message" => "custom",
            "compaction" => "compactionSummary",
            "branch_summary" => "branchSummary",
            _ => self.line.head.message.as_ref().map_or("", |message| message.role.as_str()),
        }
    }

    fn has_failed(&self) -> bool {
        let message = self.line.head.message.as_ref();
        message.is_some_and(|message| message.stop_reason.as_deref() == Some("error"))
    }

    fn value(&self) -> Value {
        let entry = self.line.entry();
        let part = |key: &str| entry.get(key).cloned().unwrap_or_default();
        let stamp = entry.get("timestamp").and_then(Value::as_str);
        let ms = stamp.and_then(|stamp| stamp.parse::<jiff::Timestamp>().ok());
        let ms = ms.map_or(0, jiff::Timestamp::as_millisecond);
        match self.line.head.kind.as_str() {
            _ if self.is_prompt => part("systemMessage"),
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
            _ => part("message"),
        }
    }
}

/// Returns the messages that the model reads, in a dialect: after a compaction, the prompt, the summary and the kept messages.
pub(super) fn messages(lines: &[Line], leaf: Option<&str>, dialect: Dialect) -> Vec<Value> {
    shown(lines, leaf, dialect).iter().map(Message::value).collect()
}

/// Returns the number of messages that the model reads, in a dialect.
pub(super) fn count(lines: &[Line], leaf: Option<&str>, dialect: Dialect) -> usize {
    shown(lines, leaf, dialect).len()
}

fn shown<'a>(lines: &'a [Line], leaf: Option<&str>, dialect: Dialect) -> Vec<Message<'a>> {
    let mut messages = read(lines, leaf);
    messages.retain(|message| is_known(message.role(), dialect));
    // A failed reply that was retried stays in the file, but the model does not read it.
    let is_retried = |pair: &[Message<'_>]| match pair {
        [failed, next] => failed.has_failed() && next.role() == "assistant",
        _ => false,
    };
    let mut retried = messages.windows(2).map(is_retried).collect::<Vec<_>>().into_iter();
    messages.retain(|_| !retried.next().unwrap_or(false));
    messages
}

/// Returns true if a dialect has messages of a role: the legacy Pi does not send system prompts.
fn is_known(role: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Current => true,
        Dialect::Legacy => role != "system",
    }
}

fn read<'a>(lines: &'a [Line], leaf: Option<&str>) -> Vec<Message<'a>> {
    let path = path(lines, leaf);
    let is_compaction = |line: &&Line| line.head.kind == "compaction";
    let compaction = path.iter().rposition(is_compaction);
    let Some((at, summary)) = compaction.and_then(|at| Some((at, *path.get(at)?))) else {
        return path.iter().filter_map(|line| Message::from_line(line)).collect();
    };
    let has_prompt = summary.head.system_message.is_some();
    let prompt = has_prompt.then_some(Message { line: summary, is_prompt: true });
    let mut messages: Vec<Message<'_>> =
        prompt.into_iter().chain([Message { line: summary, is_prompt: false }]).collect();
    let kept = summary.head.first_kept_entry_id.as_deref();
    let first = path.iter().position(|line| Some(line.head.id.as_str()) == kept).unwrap_or(at);
    let kept = path.get(first..at).unwrap_or_default();
    let since = path.get(at + 1..).unwrap_or_default();
    let is_replaced = |message: &Message<'_>| has_prompt && message.role() == "system";
    let kept = kept.iter().filter(|line| !is_compaction(line));
    messages.extend(
        kept.filter_map(|line| Message::from_line(line)).filter(|message| !is_replaced(message)),
    );
    messages.extend(since.iter().filter_map(|line| Message::from_line(line)));
    messages
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// Returns a message content's text.
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
        let message = Message::from_line(line).filter(|message| message.role() == "user")?;
        Some(json!({ "entryId": line.head.id, "text": text(&message.value()) }))
    });
    json!({ "messages": users.collect::<Vec<_>>() })
}

/// Returns an entry's message text.
pub(super) fn message_text(line: &Line) -> String {
    Message::from_line(line).map(|message| text(&message.value())).unwrap_or_default()
}

/// Returns the model's last message.
pub(super) fn last_text(lines: &[Line], leaf: Option<&str>) -> Value {
    let messages = read(lines, leaf);
    let replies = messages.iter().rev().filter(|message| message.role() == "assistant");
    let last = replies
        .map(|message| text(&message.value()))
        .map(|text| text.trim().to_owned())
        .find(|text| !text.is_empty());
    last.map_or_else(|| json!({}), |text| json!({ "text": text }))
}

/// Returns a session's statistics, over the whole file.
pub(super) fn stats(
    lines: &[Line],
    session: &str,
    path: Option<String>,
    context: &ContextUsage,
    dialect: Dialect,
) -> Value {
    let messages = lines.iter().filter_map(|line| line.entry().get_mut("message").map(Value::take));
    let messages: Vec<Value> =
        messages.filter(|message| is_known(role(message), dialect)).collect();
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
        let is_known = lines.last().is_none_or(|line| line.head.kind != "compaction");
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
