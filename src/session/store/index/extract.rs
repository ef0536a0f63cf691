//! An event's searchable part: pure, from a journal line's JSON.
//!
//! Searchable are user and model messages, and the names, commands and files in calls. Not searchable are reasoning, the engine's messages
//! to the model, and tool output.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "a new form of items and a new kind of input must be given their words in the index"
)]

use crate::presentation::Form;
use pintle_base::text::truncate::border_before;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::item::{Item, ToolCall};
use pintle_protocol::search::{EntryKind, EntryRole};

/// The maximum size of an entry's text in bytes; longer text is cut. Messages are rarely that long, but logs are pasted into them.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// A searchable entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchEntry {
    pub(super) kind: EntryKind,
    pub(super) role: EntryRole,
    pub(super) item_id: String,
    /// The text; title and command of a call.
    pub(super) text: String,
    /// The files that it is about, one per line.
    pub(super) paths: String,
}

/// The types of events that the index reads; lines of other types are not parsed completely.
const TYPES: [&str; 7] = [
    "item.completed",
    "turn.started",
    "turn.completed",
    "session.created",
    "session.closed",
    "session.updated",
    "history.rewound",
];

/// Returns true if a line may matter, from its start.
pub(super) fn may_matter(event_json: &str) -> bool {
    match event_json.strip_prefix("{\"type\":\"").and_then(|rest| rest.split_once('"')) {
        Some((kind, _)) => TYPES.contains(&kind),
        // Another program wrote it in another order.
        None => true,
    }
}

/// Returns the searchable part of an event.
pub(super) fn search_entry(record: &EventRecord) -> Option<SearchEntry> {
    let Event::ItemCompleted { item } = &record.event else { return None };
    let Item { id, body, .. } = item;
    let (kind, role, text, paths) = match Form::from(body) {
        Form::UserMessage(content) => {
            let (text, paths) = input_texts(content);
            (EntryKind::UserMessage, EntryRole::User, text, paths)
        }
        Form::Message(text) => {
            (EntryKind::AgentMessage, EntryRole::Assistant, text.to_owned(), Vec::new())
        }
        Form::Work(_) => {
            // Jobs and sub-agents are found by the calls that start them.
            let (text, paths) = call_texts(body.as_tool_call()?);
            (EntryKind::ToolCall, EntryRole::Tool, text, paths)
        }
        Form::Reasoning(_) | Form::Compaction(_) | Form::Note(_) => return None,
    };
    let mut unique: Vec<String> = Vec::new();
    for path in paths {
        if !path.is_empty() && !unique.contains(&path) {
            unique.push(path);
        }
    }
    let paths = unique.join("\n");
    if text.trim().is_empty() && paths.is_empty() {
        return None;
    }
    Some(SearchEntry { kind, role, item_id: id.to_string(), text: cut(text), paths: cut(paths) })
}

fn input_texts(content: &[Input]) -> (String, Vec<String>) {
    let mut texts: Vec<&str> = Vec::new();
    let mut paths = Vec::new();
    for block in content {
        match block {
            Input::Text { text, .. } => texts.push(text),
            Input::File { path, .. } => paths.push(path.clone()),
            Input::Selection { path, text, .. } => {
                paths.push(path.clone());
                texts.push(text);
            }
            Input::Diagnostics { path, items } => {
                paths.push(path.clone());
                texts.extend(items.iter().map(|item| item.message.as_str()));
            }
            Input::Document { name, .. } => texts.push(name),
            Input::Image { .. } => {}
        }
    }
    (texts.join("\n"), paths)
}

pub(super) fn call_texts(call: &ToolCall) -> (String, Vec<String>) {
    let mut text = call.title.clone();
    // A short command's title contains it already.
    if let Some(command) = call.command()
        && !command.is_empty()
        && !text.contains(&*command)
    {
        text.push('\n');
        text.push_str(&command);
    }
    let mut paths: Vec<String> = call.locations.iter().map(|place| place.path.clone()).collect();
    for change in call.changes() {
        paths.push(change.path.clone());
        paths.extend(change.old_path.clone());
    }
    (text, paths)
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT_BYTES {
        text.truncate(border_before(&text, MAX_TEXT_BYTES));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use serde_json::json;

    fn extract_item(item: &Value) -> Option<(EntryKind, String, String)> {
        let mut item = item.clone();
        item["id"] = json!("i");
        item["status"] = json!("completed");
        item["startedMs"] = json!(1);
        let record = json!({
            "sessionId": "s", "seq": 1, "tsMs": 1, "event": {"type": "item.completed", "item": item},
        });
        let record: EventRecord = serde_json::from_value(record).unwrap();
        search_entry(&record)
            .map(|search_entry| (search_entry.kind, search_entry.text, search_entry.paths))
    }

    #[test]
    fn what_can_be_found_of_each_kind_of_item() {
        use EntryKind::{AgentMessage, ToolCall, UserMessage};
        let long = "x".repeat(MAX_TEXT_BYTES + 9);
        for (name, item, want) in [
            (
                "a prompt with blocks",
                json!({"type": "userMessage", "content": [
                    {"type": "text", "text": "why?"},
                    {"type": "file", "path": "/w/a.rs"},
                    {"type": "selection", "path": "/w/b.rs", "range": {"start": 1, "end": 2}, "text": "fn x"},
                    {"type": "image", "mimeType": "image/png", "data": "AAAA"},
                ]}),
                Some((UserMessage, "why?\nfn x", "/w/a.rs\n/w/b.rs")),
            ),
            (
                "an answer",
                json!({"type": "agentMessage", "text": "So."}),
                Some((AgentMessage, "So.", "")),
            ),
            ("an empty answer", json!({"type": "agentMessage", "text": " "}), None),
            ("thoughts", json!({"type": "reasoning", "text": "hm"}), None),
            ("the engine's words", json!({"type": "engineMessage", "text": "told"}), None),
            (
                "a command that its title cuts",
                json!({"type": "toolCall", "toolName": "bash", "title": "bash: a && …", "kind": "execute",
                    "input": {"command": "a && b"}, "output": {"content": [{"type": "text", "text": "printed"}]}}),
                Some((ToolCall, "bash: a && …\na && b", "")),
            ),
            (
                "a command that its title says",
                json!({"type": "toolCall", "toolName": "bash", "title": "bash: ls", "kind": "execute", "input": {"command": "ls"}}),
                Some((ToolCall, "bash: ls", "")),
            ),
            (
                "a command in words, as a hook changed it",
                json!({"type": "toolCall", "toolName": "shell", "title": "shell", "kind": "execute",
                    "input": {"command": ["rm", "x"]}, "changedInput": {"command": ["ls", "-l"]}}),
                Some((ToolCall, "shell\nls -l", "")),
            ),
            (
                "a change, each path once",
                json!({"type": "toolCall", "toolName": "edit", "title": "edit a.rs", "kind": "edit",
                "locations": [{"path": "/w/a.rs", "line": 3}],
                "output": {"content": [], "details": {"changes": [
                    {"op": "move", "path": "/w/a.rs", "oldPath": "/w/old.rs", "fileType": "text", "diff": "", "added": 0, "removed": 0},
                ]}}}),
                Some((ToolCall, "edit a.rs", "/w/a.rs\n/w/old.rs")),
            ),
            (
                "a paste without end",
                json!({"type": "userMessage", "content": [{"type": "text", "text": long}]}),
                Some((UserMessage, &long[..MAX_TEXT_BYTES], "")),
            ),
        ] {
            let want = want.map(|(kind, text, paths)| (kind, text.to_owned(), paths.to_owned()));
            assert_eq!(extract_item(&item), want, "{name}");
        }
    }

    #[test]
    fn lines_that_do_not_matter_are_known_by_their_beginning() {
        for (json, want) in [
            (r#"{"type":"item.completed","item":{}}"#, true),
            (r#"{"type":"item.updated","item":{}}"#, false),
            (r#"{"type":"session.closed"}"#, true),
            (r#"{"type":"session.created"}"#, true),
            (r#"{"type":"step.completed"}"#, false),
            (r#"{"item":{},"type":"item.completed"}"#, true),
            (r#"{"type":"new.thing"}"#, false),
        ] {
            assert_eq!(may_matter(json), want, "{json}");
        }
    }
}
