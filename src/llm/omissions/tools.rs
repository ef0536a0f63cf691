//! Finds the tool whose schema a server rejects. Pure.
//!
//! Sources: error bodies of OpenAI ("Invalid schema for function 'x'"), Anthropic (`tools.3.custom.input_schema`), Gemini
//! (`tools[0].function_declarations[3]`), Azure, DeepSeek, Groq, Mistral and vLLM, quoted in public issues up to 2026-11.

use serde_json::Value;
use std::collections::BTreeSet;

/// Words without which an error is not about a schema.
const ABOUT_SCHEMAS: &[&str] =
    &["schema", "parameters", "property", "properties", "declaration", "tools"];

/// Names of tool lists, the inner one first.
const LISTS: &[&str] = &["function_declarations", "functiondeclarations", "tools"];

/// Returns a request's tools by name, in order; `None` for a tool without a name.
pub(super) fn names(body: &Value) -> Vec<Option<String>> {
    let Some(tools) = body.get("tools").and_then(Value::as_array) else { return Vec::new() };
    let declared = tools.iter().flat_map(|tool| {
        let inner = tool.get("functionDeclarations").and_then(Value::as_array);
        inner.map_or_else(|| vec![tool], |inner| inner.iter().collect())
    });
    declared.map(|tool| name(tool).map(str::to_owned)).collect()
}

/// Removes tools from a request.
pub(super) fn remove(body: &mut Value, refused: &BTreeSet<String>) {
    let Some(fields) = body.as_object_mut().filter(|_| !refused.is_empty()) else { return };
    let Some(tools) = fields.get_mut("tools").and_then(Value::as_array_mut) else { return };
    let stays = |tool: &Value| name(tool).is_none_or(|name| !refused.contains(name));
    tools.retain_mut(|tool| match tool.get_mut("functionDeclarations") {
        Some(Value::Array(inner)) => {
            inner.retain(stays);
            !inner.is_empty()
        }
        _ => stays(tool),
    });
    if tools.is_empty() {
        // An empty list is refused, too.
        for field in ["tools", "tool_choice", "toolConfig", "parallel_tool_calls"] {
            fields.shift_remove(field);
        }
    }
}

/// Returns the tool whose schema an error rejects.
pub(super) fn refused<'a>(text: &str, sent: &'a [Option<String>]) -> Option<&'a str> {
    let lower = text.to_ascii_lowercase();
    if !ABOUT_SCHEMAS.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let by_index = || LISTS.iter().find_map(|list| sent.get(index_in(&lower, list)?)?.as_deref());
    let quoted = |name: &&str| {
        ['\'', '"', '`'].iter().any(|mark| text.contains(&format!("{mark}{name}{mark}")))
    };
    let by_name = || sent.iter().flatten().map(String::as_str).find(quoted);
    by_index().or_else(|| by_name().filter(|_| is_rejection(&lower)))
}

/// Returns true if a text rejects a schema.
fn is_rejection(lower: &str) -> bool {
    let is_about = ["schema", "parameters", "declaration"].iter().any(|word| lower.contains(word));
    let is_wrong = [
        "invalid",
        "not valid",
        "unable",
        "unsupported",
        "not supported",
        "failed",
        "must",
        "didn't",
        "cannot",
        "error",
    ];
    is_about && is_wrong.iter().any(|word| lower.contains(word))
}

/// Returns the number that follows a list's name: `tools[3]`, `tools.3`, `'tools', 3` or `tools -> 3`.
fn index_in(text: &str, list: &str) -> Option<usize> {
    text.match_indices(list).find_map(|(at, _)| {
        let rest = text.get(at + list.len()..)?;
        let rest = rest.trim_start_matches([' ', '\'', '"', ',', '.', '[', '-', '>', '/']);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        // Text between the name and the number belongs to something else.
        rest.get(..digits)?.parse().ok()
    })
}

fn name(tool: &Value) -> Option<&str> {
    let named = tool.get("name").or_else(|| tool.get("function")?.get("name"));
    named.and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_tool_that_an_error_is_about_is_found() {
        let sent = ["read", "mcp_db_query", "mcp_db_put"].map(|name| Some(name.to_owned()));
        for (text, want) in [
            (
                "Invalid schema for function 'mcp_db_query': In context=('properties', 'a'), array schema missing items.",
                Some("mcp_db_query"),
            ),
            (
                "tools.2.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
                Some("mcp_db_put"),
            ),
            (
                "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[a].enum: only allowed for STRING type",
                Some("mcp_db_query"),
            ),
            (
                "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[2].parameters.properties[0].value': Cannot find field.",
                Some("mcp_db_put"),
            ),
            (
                "Unable to submit request because `mcp_db_put` functionDeclaration `parameters.a` schema didn't specify the schema type field.",
                Some("mcp_db_put"),
            ),
            (
                "[{'type': 'missing', 'loc': ('body', 'tools', 1, 'function', 'parameters'), 'msg': 'Field required'}]",
                Some("mcp_db_query"),
            ),
            ("body -> tools -> 1 -> function: value is not a valid dict", Some("mcp_db_query")),
            ("Invalid 'tools[1].function.name': string too long", Some("mcp_db_query")),
            // Not about one of them.
            ("Invalid schema for function 'other': no", None),
            ("m does not support tools", None),
            ("tools[7] is invalid", None),
            ("tools: at most 2 tools may be sent", None),
            ("the file 'read' is missing", None),
            ("messages.3: the schema of the call 'reads' is unknown", None),
        ] {
            assert_eq!(refused(text, &sent), want, "{text}");
        }
    }

    #[test]
    fn refused_tools_are_removed_on_every_wire() {
        let refused = BTreeSet::from(["b".to_owned()]);
        for (body, names_before, want) in [
            (
                json!({"tools": [{"type": "function", "function": {"name": "a"}}, {"type": "function", "function": {"name": "b"}}]}),
                "a b",
                json!({"tools": [{"type": "function", "function": {"name": "a"}}]}),
            ),
            (
                json!({"tools": [{"name": "b", "input_schema": {}}, {"type": "web_search", "x": 1}]}),
                "b -",
                json!({"tools": [{"type": "web_search", "x": 1}]}),
            ),
            (
                json!({"tools": [{"functionDeclarations": [{"name": "b"}, {"name": "c"}]}]}),
                "b c",
                json!({"tools": [{"functionDeclarations": [{"name": "c"}]}]}),
            ),
            (
                json!({"tools": [{"functionDeclarations": [{"name": "b"}]}], "toolConfig": {}, "m": 1}),
                "b",
                json!({"m": 1}),
            ),
            (json!({"tools": [{"name": "b"}], "tool_choice": "auto"}), "b", json!({})),
            (json!({"m": 1}), "", json!({"m": 1})),
        ] {
            let mut after = body.clone();
            let named = names(&after).into_iter().map(|name| name.unwrap_or("-".to_owned()));
            assert_eq!(named.collect::<Vec<_>>().join(" "), names_before, "{body}");
            remove(&mut after, &refused);
            assert_eq!(after, want, "{body}");
        }
    }
}
