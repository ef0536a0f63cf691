//! Values as lines of a transcript.

use pintle_llm::{AssistantBlock, Message};
use pintle_protocol::content::{Content, Input};

/// The texts in a value, by JSON Pointer.
pub(crate) fn strings(value: &serde_json::Value, path: &str, texts: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::String(text) => texts.push((path.to_owned(), text.clone())),
        serde_json::Value::Array(all) => {
            for (at, one) in all.iter().enumerate() {
                strings(one, &format!("{path}/{at}"), texts);
            }
        }
        serde_json::Value::Object(all) => {
            for (key, one) in all {
                strings(one, &format!("{path}/{key}"), texts);
            }
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

pub(crate) fn text_of(input: &[Input]) -> String {
    let block = |input: &Input| match input {
        Input::Text { text, .. } => format!("{text:?}"),
        Input::File { path, .. } => format!("<file {path}>"),
        Input::Selection { path, .. } => format!("<selection {path}>"),
        Input::Diagnostics { path, .. } => format!("<diagnostics {path}>"),
        Input::Image { .. } => "<image>".to_owned(),
        Input::Document { name, .. } => format!("<document {name}>"),
    };
    let texts: Vec<_> = input.iter().map(block).collect();
    texts.join(" ")
}

pub(crate) fn content(blocks: &[Content]) -> String {
    let texts = blocks.iter().map(|block| match block {
        Content::Text { text } if text.len() > 2000 => "(a long text)",
        Content::Text { text } => text.as_str(),
        Content::Document { .. } => "<document>",
        Content::Image { .. } => "<image>",
    });
    texts.collect::<Vec<_>>().join(" ")
}

pub(crate) fn message(message: &Message) -> String {
    match message {
        Message::User(blocks) => format!("user {:?}", content(blocks)),
        Message::ToolResult(result) => {
            let mark = if result.is_error { " error" } else { "" };
            format!("result of {}{mark} {:?}", result.tool_name, content(&result.content))
        }
        Message::Assistant(assistant) => {
            let blocks = assistant.blocks.iter().map(|block| match block {
                AssistantBlock::Text { text, .. } => format!("{text:?}"),
                AssistantBlock::Reasoning { text, .. } => format!("(thinks {text:?})"),
                AssistantBlock::ToolCall { name, arguments, .. } => format!("{name} {arguments}"),
                AssistantBlock::Unknown(_) => "unknown".to_owned(),
            });
            format!("assistant {}", blocks.collect::<Vec<_>>().join(" "))
        }
    }
}

/// The layers of a prompt that stand between marks, and what is said of git.
pub(crate) fn prompt_parts(system: &str) -> String {
    let marks = [
        "git",
        "project_documents",
        "rules",
        "skills",
        "agents",
        "instructions",
        "user_instructions",
    ];
    let is_wanted = |part: &&str| {
        part.split_once('>').is_some_and(|(mark, _)| marks.contains(&mark.trim_start_matches('<')))
    };
    let environment = system.lines().filter(|line| line.starts_with("git repository:"));
    let parts = system.split("\n\n<").map(str::trim_end).filter(is_wanted);
    let parts = parts.map(|part| {
        let part = part.trim_start_matches('<');
        let name = part.split('>').next().unwrap_or_default();
        let end = format!("\n</{name}>");
        let inner = part.split(end.as_str()).next().unwrap_or_default();
        format!("<{inner}{end}")
    });
    environment.map(str::to_owned).chain(parts).collect::<Vec<_>>().join("\n")
}
