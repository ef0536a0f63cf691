//! Shared parts of the encoders of several wire APIs.

use super::decode::arguments_object;
use super::message::{Opaque, ToolResult};
use super::request::Effort;
use pintle_protocol::content::Content;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Maximum tool name length, in characters. Source: OpenAI's limit, the lowest of the four APIs.
const MAX_NAME: usize = 64;

/// The user message after a reply that ends the conversation: models without prefill refuse to continue a reply.
pub(super) const GO_ON: &str = "Continue.";

/// Placeholder for a user message without visible characters, which still separates two replies.
const BLANK: &str = "(blank message)";

/// Returns true for text without a visible character. Several APIs refuse it like empty text.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns a document's name, which APIs require.
pub(super) fn document_name(name: &str) -> &str {
    if is_blank(name) { "document.pdf" } else { name }
}

/// Returns a user message's content without blank texts, and never nothing.
pub(super) fn visible(content: &[Content]) -> Vec<Cow<'_, Content>> {
    let is_visible = |content: &&Content| content.as_text().is_none_or(|text| !is_blank(text));
    let mut visible: Vec<_> = content.iter().filter(is_visible).map(Cow::Borrowed).collect();
    if visible.is_empty() {
        visible.push(Cow::Owned(Content::text(BLANK)));
    }
    visible
}

/// Models of OpenAI whose lowest effort is `low`. Source: docs.laozhang.ai, GPT-6.1 Sol, and github.com/BerriAI/litellm/discussions/52347, read
/// 2026-11.
const LOW_AT_LEAST: [&str; 2] = ["gpt-6.1-sol", "gpt-6.2-"];

/// Returns the effort, or the lowest that the model accepts.
pub(super) fn accepted_effort(model: &str, effort: Effort) -> Effort {
    let name = model.rsplit('/').next().unwrap_or(model);
    let is_least = LOW_AT_LEAST.iter().any(|prefix| name.starts_with(prefix));
    if is_least { effort.max(Effort::Low) } else { effort }
}

/// Returns a tool name that every API accepts. A model can write any name, and one bad name would make all later requests fail.
pub(super) fn tool_name(name: &str) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let mut wire: String = name.chars().map(clean).take(MAX_NAME).collect();
    if wire.is_empty() {
        wire.push_str("unnamed");
    } else if wire.starts_with(|c: char| !c.is_ascii_alphabetic() && c != '_') {
        wire.insert(0, '_');
        wire.truncate(MAX_NAME);
    }
    wire
}

/// Returns valid arguments as the model wrote them, which preserves the server's cache, and others as `{}`.
pub(super) fn arguments_text(arguments: &str) -> String {
    let is_empty = arguments_object(arguments).as_object().is_none_or(Map::is_empty);
    if is_empty { "{}".to_owned() } else { arguments.to_owned() }
}

/// Returns a result's text, never blank, since some servers refuse blank text.
pub(super) fn result_text(result: &ToolResult) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|content| match content {
            Content::Text { text } => Some(text.as_str()).filter(|text| !is_blank(text)),
            Content::Image { .. } | Content::Document { .. } => None,
        })
        .collect();
    match texts.join("\n") {
        text if !text.is_empty() => text,
        _ if result.content.iter().any(is_media) => "(see the image below)".to_owned(),
        _ => "(no output)".to_owned(),
    }
}

/// Returns a result's text for a wire without an error flag, with the failure stated in the text.
pub(super) fn result_text_with_failure(result: &ToolResult) -> String {
    let text = result_text(result);
    let says_so = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    // Command output keeps its lines: `Error: 0` is not a count.
    let separator = if text.contains('\n') { '\n' } else { ' ' };
    if result.is_error && !says_so { format!("Error:{separator}{text}") } else { text }
}

/// Returns true for content that is not text.
pub(super) fn is_media(content: &Content) -> bool {
    matches!(content, Content::Image { .. } | Content::Document { .. })
}

/// Returns a block's opaque data as JSON.
pub(super) fn raw(opaque: &Opaque) -> Option<Value> {
    serde_json::from_str(opaque.0.get()).ok()
}

/// Sets an object field.
pub(super) fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(fields) = object {
        fields.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_so_and_leaves_the_lines_of_its_output_alone() {
        for (text, want) in [
            ("no such file", "Error: no such file"),
            ("0\n\nCommand exited with code 1", "Error:\n0\n\nCommand exited with code 1"),
            ("error: no such file", "error: no such file"),
        ] {
            let content = vec![Content::Text { text: text.to_owned() }];
            let result = ToolResult {
                call_id: "1".into(),
                tool_name: "t".to_owned(),
                content,
                is_error: true,
            };
            assert_eq!(result_text_with_failure(&result), want);
        }
    }

    #[test]
    fn the_lowest_effort_depends_on_the_model() {
        for (model, effort, want) in [
            ("gpt-6.2-sol", Effort::None, Effort::Low),
            ("openai/gpt-6.1-sol", Effort::Minimal, Effort::Low),
            ("gpt-6.2-astra", Effort::High, Effort::High),
            ("gpt-6-sol", Effort::None, Effort::None),
        ] {
            assert_eq!(accepted_effort(model, effort), want, "{model}");
        }
    }

    #[test]
    fn any_name_becomes_one_that_every_api_takes() {
        for (name, want) in [
            ("read", "read"),
            ("mcp__a-b", "mcp__a-b"),
            ("", "unnamed"),
            ("a.b:c d", "a_b_c_d"),
            ("1up", "_1up"),
            ("-x", "_-x"),
            ("ü", "_"),
        ] {
            assert_eq!(tool_name(name), want);
        }
        assert_eq!(tool_name(&"1".repeat(99)).len(), MAX_NAME);
    }
}
