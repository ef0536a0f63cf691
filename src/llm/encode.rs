//! Shared parts of the encoders of several wire APIs.

use super::decode::arguments_object;
use super::message::{Opaque, ToolResult};
use pintle_protocol::content::Content;
use serde_json::{Map, Value};

/// Maximum tool name length, in characters. Source: OpenAI's limit, the lowest of the four APIs.
const MAX_NAME: usize = 64;

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

/// Returns a result's text, never empty, since some servers refuse empty text.
pub(super) fn result_text(result: &ToolResult) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|content| match content {
            Content::Text { text } => Some(text.as_str()).filter(|text| !text.is_empty()),
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
