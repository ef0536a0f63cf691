//! Finds the field at which params break the schema.
//!
//! Serde reports no place for a missing field, nor for one of a tagged variant or of flattened params. Clients need it in `data.path`.

use pintle_protocol::schema::SCHEMA_JSON;
use serde_json::{Map, Value};
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(SCHEMA_JSON).unwrap_or_default());

/// Returns the first place where a method's params break their schema, as a JSON pointer; `None` if they follow it.
pub(super) fn misplaced(method: &str, params: &Value) -> Option<String> {
    find(SCHEMA.get("methods")?.get(method)?.get("params")?, params)
}

/// Returns the pointer to the first break, relative to the value.
fn find(schema: &Value, value: &Value) -> Option<String> {
    let mut schema = schema.as_object()?;
    while let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.strip_prefix("#/$defs/")?;
        schema = SCHEMA.get("$defs")?.get(name)?.as_object()?;
    }
    let is_too_small = || value.as_f64() < schema.get("minimum").and_then(Value::as_f64);
    let is_listed = |values: &Value| values.as_array().is_none_or(|all| all.contains(value));
    if schema.get("type").is_some_and(|kinds| !is_one_of(kinds, value))
        || (value.is_number() && is_too_small())
        || schema.get("const").is_some_and(|only| only != value)
        || schema.get("enum").is_some_and(|values| !is_listed(values))
    {
        return Some(String::new());
    }
    let in_fields = || value.as_object().and_then(|fields| in_fields(schema, fields));
    let in_items = || {
        let items = schema.get("items")?;
        let broken = |(index, item)| Some(format!("/{index}{}", find(items, item)?));
        value.as_array()?.iter().enumerate().find_map(broken)
    };
    in_fields().or_else(in_items).or_else(|| in_variants(schema, value))
}

fn in_fields(schema: &Map<String, Value>, fields: &Map<String, Value>) -> Option<String> {
    let known = schema.get("properties").and_then(Value::as_object);
    let others = schema.get("additionalProperties").filter(|others| others.is_object());
    // Like serde, reports a wrong value before a missing one.
    let wrong = fields.iter().find_map(|(name, value)| {
        // A null is taken for an absent field.
        let field = known.and_then(|known| known.get(name)).or(others).filter(|_| !value.is_null());
        Some(format!("/{}{}", escaped(name), find(field?, value)?))
    });
    wrong.or_else(|| {
        let mut required = schema.get("required")?.as_array()?.iter().filter_map(Value::as_str);
        let is_missing = |name: &&str| fields.get(*name).is_none_or(Value::is_null);
        Some(format!("/{}", escaped(required.find(is_missing)?)))
    })
}

fn in_variants(schema: &Map<String, Value>, value: &Value) -> Option<String> {
    let variants = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let tag = |variant: &Value| variant.pointer("/properties/type/const").cloned();
    if variants.iter().all(|variant| tag(variant).is_some()) {
        let kind = value.get("type");
        let chosen = variants.iter().find(|variant| tag(variant).as_ref() == kind);
        return match chosen {
            Some(variant) => find(variant, value),
            None if value.is_object() => Some("/type".to_owned()),
            None => Some(String::new()),
        };
    }
    variants.iter().all(|variant| find(variant, value).is_some()).then(String::new)
}

fn is_one_of(kinds: &Value, value: &Value) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        _ => true,
    };
    match kinds {
        Value::Array(kinds) => kinds.iter().any(is),
        kind => is(kind),
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_broken_field_is_found() {
        let text = json!({"type": "text", "text": "a"});
        for (method, params, want) in [
            ("turn/start", json!({"input": [text]}), None),
            ("turn/start", json!({"input": [text], "key": null}), None),
            ("turn/start", json!({"input": [text], "unknown": 1}), None),
            ("turn/start", json!({}), Some("/input")),
            ("turn/start", json!({"input": "a"}), Some("/input")),
            ("turn/start", json!({"input": [text, 7]}), Some("/input/1")),
            ("turn/start", json!({"input": [text, {}]}), Some("/input/1/type")),
            ("turn/start", json!({"input": [{"type": "song"}]}), Some("/input/0/type")),
            ("turn/start", json!({"input": [{"type": "text"}]}), Some("/input/0/text")),
            ("turn/start", json!({"input": [], "whenBusy": "wait"}), Some("/whenBusy")),
            ("turn/start", json!({"input": [], "limits": {"steps": -1}}), Some("/limits/steps")),
            ("session/create", json!({"cwd": 1}), Some("/cwd")),
            ("session/create", json!({"include": "turn.*"}), Some("/include")),
            ("session/create", json!({"config": {"tools": [1]}}), Some("/config/tools/0")),
            (
                "session/create",
                json!({"config": {"mcpServers": {"a/b~": {"args": 1}}}}),
                Some("/config/mcpServers/a~1b~0/args"),
            ),
            ("review/decide", json!({"action": {"type": "keep"}}), Some("/action/target")),
            (
                "review/decide",
                json!({"action": {"type": "keep", "target": {"type": "lines", "hunk": "1"}}}),
                Some("/action/target/changedSeq"),
            ),
            ("queue/update", json!({"toEnd": true}), Some("/itemId")),
            ("no/such", json!({}), None),
        ] {
            assert_eq!(misplaced(method, &params).as_deref(), want, "{method} {params}");
        }
    }
}
