//! Tool parameters in the form that every API accepts: an object schema with properties, without alternatives at the top, and with items for
//! each array.
//!
//! Clients register tools with any schema, and one refused tool would make every request fail. Converted parameters may allow more than the
//! given ones, since each tool checks its arguments against its own schema. Pure.

use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Keywords that OpenAI and Anthropic refuse at the top.
const ALTERNATIVES: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Further keywords that OpenAI refuses at the top.
const REFUSED: [&str; 2] = ["enum", "not"];

/// Keywords whose values are schemas, lists of schemas, or schemas by name.
const PARTS: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "anyOf",
    "oneOf",
    "allOf",
    "prefixItems",
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
];

/// Returns accepted parameters.
pub(super) fn accepted(schema: &Value) -> Cow<'_, Value> {
    let is_refused = |key: &&str| schema.get(*key).is_some();
    let is_plain = schema.get("type").is_some_and(|kind| kind == "object")
        && !ALTERNATIVES.iter().chain(&REFUSED).any(is_refused);
    if is_plain && schema.get("properties").is_some() && has_items(schema) {
        return Cow::Borrowed(schema);
    }
    let mut fields = schema.as_object().cloned().unwrap_or_default();
    if !is_plain {
        for key in ALTERNATIVES {
            let parts = fields.shift_remove(key);
            for part in parts.as_ref().and_then(Value::as_array).into_iter().flatten() {
                add_properties(&mut fields, part);
            }
        }
        for key in REFUSED {
            fields.shift_remove(key);
        }
        fields.insert("type".to_owned(), json!("object"));
    }
    fields.entry("properties").or_insert_with(|| json!({}));
    let mut accepted = Value::Object(fields);
    add_items(&mut accepted);
    Cow::Owned(accepted)
}

/// Adds an alternative's properties, none of which is required.
fn add_properties(fields: &mut Map<String, Value>, part: &Value) {
    let Some(Value::Object(more)) = part.get("properties") else { return };
    let known = fields.entry("properties").or_insert_with(|| json!({}));
    for (name, property) in more {
        if let Value::Object(known) = known {
            known.entry(name).or_insert_with(|| property.clone());
        }
    }
}

fn lacks_items(schema: &Value) -> bool {
    let is_array = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
        Some(kind) => kind == "array",
        None => false,
    };
    is_array && schema.get("items").is_none() && schema.get("prefixItems").is_none()
}

fn has_items(schema: &Value) -> bool {
    let all = |part: &Value| match part {
        Value::Array(parts) => parts.iter().all(has_items),
        Value::Object(named) => has_items(part) && named.values().all(has_items),
        _ => true,
    };
    !lacks_items(schema) && PARTS.iter().filter_map(|key| schema.get(key)).all(all)
}

fn add_items(schema: &mut Value) {
    if lacks_items(schema)
        && let Value::Object(fields) = schema
    {
        fields.insert("items".to_owned(), json!({}));
    }
    for key in PARTS {
        match schema.get_mut(key) {
            Some(Value::Array(parts)) => parts.iter_mut().for_each(add_items),
            Some(part @ Value::Object(_)) => {
                add_items(part);
                if let Value::Object(named) = part {
                    named.values_mut().for_each(add_items);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_a_plain_object() {
        let plain = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        assert!(matches!(accepted(&plain), Cow::Borrowed(_)));
        for (given, want) in [
            (json!(true), json!({ "type": "object", "properties": {} })),
            (
                json!({ "properties": { "a": {} }, "required": ["a"] }),
                json!({ "properties": { "a": {} }, "required": ["a"], "type": "object" }),
            ),
            (
                json!({ "type": "object", "oneOf": [
                    { "properties": { "a": { "type": "string" } } },
                    { "properties": { "a": { "type": "integer" }, "b": {} } }
                ] }),
                json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": {} } }),
            ),
            (json!({ "type": "object", "not": {} }), json!({ "type": "object", "properties": {} })),
            (
                json!({ "type": "object", "properties": {
                    "items": { "type": "array" },
                    "b": { "anyOf": [{ "type": ["array", "null"] }] }
                } }),
                json!({ "type": "object", "properties": {
                    "items": { "type": "array", "items": {} },
                    "b": { "anyOf": [{ "type": ["array", "null"], "items": {} }] }
                } }),
            ),
        ] {
            assert_eq!(*accepted(&given), want, "{given}");
        }
    }
}
