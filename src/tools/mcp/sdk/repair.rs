//! Repairs a server's messages before the SDK reads them: one odd entry costs no more than itself. Pure.
//!
//! The SDK's types are strict: a tool without a schema, or a content block of an unknown type, would cost the whole list or result.

use super::super::convert;
use serde_json::{Map, Value, json};

/// A repaired message.
#[derive(Debug, PartialEq)]
pub(super) struct Repaired {
    /// The message.
    pub(super) message: Value,
    /// What was left out or changed, for users; empty if no information was lost.
    pub(super) left_out: Vec<String>,
}

/// Repairs a message; `None` if it is not a response with a result, or is right.
pub(super) fn repair(text: &[u8]) -> Option<Repaired> {
    let mut message: Value = serde_json::from_slice(text).ok()?;
    let fields = message.as_object_mut()?;
    let mut left_out = Vec::new();
    let mut is_changed = false;
    match (fields.get("result"), fields.get("error")) {
        (Some(result), Some(Value::Null)) if !result.is_null() => {
            fields.remove("error");
            is_changed = true;
        }
        (Some(Value::Null), Some(error)) if !error.is_null() => {
            fields.remove("result");
            is_changed = true;
        }
        _ => {}
    }
    if let Some(Value::Object(result)) = fields.get_mut("result") {
        is_changed |= repair_result(result, &mut left_out);
    }
    is_changed.then_some(Repaired { message, left_out })
}

fn repair_result(result: &mut Map<String, Value>, left_out: &mut Vec<String>) -> bool {
    let mut is_changed = false;
    for (list, repair) in [
        ("tools", repair_tool as fn(&mut Value, &mut Vec<String>) -> Entry),
        ("resources", |entry, left_out| named("resource", &["uri", "name"], entry, left_out)),
        ("resourceTemplates", |entry, left_out| {
            named("resource template", &["uriTemplate", "name"], entry, left_out)
        }),
        ("prompts", |entry, left_out| named("prompt", &["name"], entry, left_out)),
    ] {
        let Some(Value::Array(entries)) = result.get_mut(list) else { continue };
        entries.retain_mut(|entry| {
            let repaired = repair(entry, left_out);
            is_changed |= repaired != Entry::Right;
            repaired != Entry::Useless
        });
    }
    if result.contains_key("structuredContent") && !result.contains_key("content") {
        result.insert("content".to_owned(), json!([]));
        is_changed = true;
    }
    if let Some(Value::Array(blocks)) = result.get_mut("content") {
        for block in blocks {
            is_changed |= repair_block(block);
        }
    }
    is_changed | keep_if(result, "isError", Value::is_boolean)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Right,
    Repaired,
    Useless,
}

fn repair_tool(tool: &mut Value, left_out: &mut Vec<String>) -> Entry {
    if named("tool", &["name"], tool, left_out) == Entry::Useless {
        return Entry::Useless;
    }
    let Some(fields) = tool.as_object_mut() else { return Entry::Useless };
    let name = convert::line(fields.get("name").and_then(Value::as_str).unwrap_or_default());
    let mut is_changed = false;
    if !fields.get("inputSchema").is_some_and(Value::is_object) {
        fields.insert("inputSchema".to_owned(), json!({"type": "object"}));
        left_out.push(format!(
            "the tool `{name}` has no `inputSchema`: it is offered without arguments"
        ));
        is_changed = true;
    }
    let mut wrong = Vec::new();
    if let Some(Value::Object(hints)) = fields.get_mut("annotations") {
        for (hint, value) in std::mem::take(hints) {
            let is_right = if hint == "title" {
                value.is_string()
            } else {
                value.is_boolean() || !hint.ends_with("Hint")
            };
            if is_right {
                hints.insert(hint, value);
            } else {
                wrong.push(format!("annotations.{hint}"));
            }
        }
    }
    for (field, is_right) in [
        ("annotations", Value::is_object as fn(&Value) -> bool),
        ("description", Value::is_string),
        ("title", Value::is_string),
        ("outputSchema", Value::is_object),
        ("icons", Value::is_array),
        ("execution", Value::is_object),
        ("_meta", Value::is_object),
    ] {
        if keep_if(fields, field, is_right) {
            wrong.push(field.to_owned());
        }
    }
    for field in &wrong {
        left_out.push(format!("ignored `{field}` of the tool `{name}`, which has a wrong type"));
    }
    if is_changed || !wrong.is_empty() { Entry::Repaired } else { Entry::Right }
}

/// Checks that an entry has these texts.
fn named(kind: &str, texts: &[&str], entry: &mut Value, left_out: &mut Vec<String>) -> Entry {
    let missing = texts.iter().find(|field| !entry.get(**field).is_some_and(Value::is_string));
    match missing {
        None => Entry::Right,
        Some(field) => {
            left_out.push(format!("ignored a {kind} without `{field}`"));
            Entry::Useless
        }
    }
}

/// Removes a field of a wrong type; returns true if it did. A null counts as absent.
fn keep_if(fields: &mut Map<String, Value>, name: &str, is_right: fn(&Value) -> bool) -> bool {
    match fields.get(name) {
        Some(value) if !is_right(value) => {
            fields.shift_remove(name).is_some_and(|value| !value.is_null())
        }
        Some(_) | None => false,
    }
}

/// Replaces a block that the SDK cannot read by a text; returns true if the block was changed.
fn repair_block(block: &mut Value) -> bool {
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let has =
        |texts: &[&str]| texts.iter().all(|field| block.get(*field).is_some_and(Value::is_string));
    let is_right = match kind.as_str() {
        "text" => has(&["text"]),
        "image" | "audio" => has(&["data", "mimeType"]),
        "resource_link" => has(&["uri", "name"]),
        "resource" => block.get("resource").is_some_and(|resource| {
            let has = |field: &str| resource.get(field).is_some_and(Value::is_string);
            has("uri") && (has("text") || has("blob"))
        }),
        _ => false,
    };
    if !is_right {
        let kind = convert::line(&kind);
        *block = json!({"type": "text", "text": match kind.as_str() {
            "" => "[content without a type]".to_owned(),
            "text" | "image" | "audio" | "resource" | "resource_link" => format!("[incomplete content of the type `{kind}`]"),
            _ => format!("[content of the unknown type `{kind}`]"),
        }});
        return true;
    }
    let is_odd = block.get("annotations").is_some_and(|annotations| {
        let is =
            |field: &str, is_right: fn(&Value) -> bool| annotations.get(field).is_none_or(is_right);
        !(annotations.is_object()
            && is("audience", Value::is_array)
            && is("priority", Value::is_number))
    });
    if is_odd && let Some(fields) = block.as_object_mut() {
        fields.shift_remove("annotations");
    }
    is_odd
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the repaired result and the omissions; `None` if the result is right.
    fn result(result: &Value) -> Option<(Value, String)> {
        let message = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        let repaired = repair(message.to_string().as_bytes())?;
        Some((repaired.message["result"].clone(), repaired.left_out.join("; ")))
    }

    #[test]
    fn one_odd_entry_costs_no_more_than_itself() {
        let good = json!({"name": "a", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "title": "A"}});
        let plain = json!({"type": "object"});
        assert_eq!(result(&json!({"tools": [good], "nextCursor": "2"})), None);
        for (tool, want, left_out) in [
            (
                json!({"name": "b", "description": "d"}),
                Some(json!({"name": "b", "description": "d", "inputSchema": plain})),
                "the tool `b` has no `inputSchema`: it is offered without arguments",
            ),
            (
                json!({"name": "b", "inputSchema": null}),
                Some(json!({"name": "b", "inputSchema": plain})),
                "the tool `b` has no `inputSchema`: it is offered without arguments",
            ),
            (
                json!({"name": "b", "inputSchema": plain, "annotations": {"readOnlyHint": "yes", "destructiveHint": false, "x": 1}}),
                Some(
                    json!({"name": "b", "inputSchema": plain, "annotations": {"destructiveHint": false, "x": 1}}),
                ),
                "ignored `annotations.readOnlyHint` of the tool `b`, which has a wrong type",
            ),
            (
                json!({"name": "b", "inputSchema": plain, "annotations": [], "outputSchema": true}),
                Some(json!({"name": "b", "inputSchema": plain})),
                "ignored `annotations` of the tool `b`, which has a wrong type; ignored `outputSchema` of the tool `b`, which has a wrong type",
            ),
            (json!({"inputSchema": plain}), None, "ignored a tool without `name`"),
            (json!("tool"), None, "ignored a tool without `name`"),
        ] {
            let tools: Vec<Value> = [good.clone()].into_iter().chain(want).collect();
            let got = result(&json!({"tools": [good, tool]}));
            assert_eq!(got, Some((json!({"tools": tools}), left_out.to_owned())), "{tool}");
        }
        let prompts = json!({"prompts": [{"name": "a"}, {"title": "b"}]});
        assert_eq!(
            result(&prompts),
            Some((
                json!({"prompts": [{"name": "a"}]}),
                "ignored a prompt without `name`".to_owned()
            ))
        );
    }

    #[test]
    fn content_that_is_not_known_is_named_in_its_place() {
        let text = json!({"type": "text", "text": "a"});
        assert_eq!(
            result(
                &json!({"content": [text, {"type": "resource_link", "uri": "u:x", "name": "n"}], "isError": false})
            ),
            None
        );
        for (block, want) in [
            (
                json!({"type": "video", "data": "x"}),
                json!({"type": "text", "text": "[content of the unknown type `video`]"}),
            ),
            (
                json!({"type": "image", "data": "x"}),
                json!({"type": "text", "text": "[incomplete content of the type `image`]"}),
            ),
            (
                json!({"type": "resource", "resource": {"uri": "u"}}),
                json!({"type": "text", "text": "[incomplete content of the type `resource`]"}),
            ),
            (json!(7), json!({"type": "text", "text": "[content without a type]"})),
            (
                json!({"type": "text", "text": "b", "annotations": {"priority": "high"}}),
                json!({"type": "text", "text": "b"}),
            ),
        ] {
            let got = result(&json!({"content": [text, block]}));
            assert_eq!(got, Some((json!({"content": [text, want]}), String::new())), "{block}");
        }
        assert_eq!(
            result(&json!({"structuredContent": {"a": 1}, "isError": "no"})),
            Some((json!({"structuredContent": {"a": 1}, "content": []}), String::new()))
        );
    }

    #[test]
    fn a_null_error_beside_a_result_is_none() {
        for (text, want) in [
            (r#"{"id":1,"result":{},"error":null}"#, Some(json!({"id": 1, "result": {}}))),
            (
                r#"{"id":1,"result":null,"error":{"code":1}}"#,
                Some(json!({"id": 1, "error": {"code": 1}})),
            ),
            (r#"{"id":1,"result":{}}"#, None),
            (r#"{"id":1,"method":"ping"}"#, None),
            ("[]", None),
            ("no", None),
        ] {
            assert_eq!(repair(text.as_bytes()).map(|repaired| repaired.message), want, "{text}");
        }
    }
}
