//! Compares params with the schema: finds the field that breaks it, and words the error.
//!
//! Serde does not report the path of a missing field or of one inside a tagged variant or flattened params, and its messages name Rust types.

use pintle_protocol::schema::SCHEMA_JSON;
use serde_json::{Map, Value};
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(SCHEMA_JSON).unwrap_or_default());

/// A break of the schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Break {
    /// The field, as a JSON pointer; empty for the params as a whole.
    pub(super) path: String,
    /// The error message.
    pub(super) message: String,
}

/// Returns the first break of a method's schema by its params; `None` if they follow it.
pub(super) fn first_break(method: &str, params: &Value) -> Option<Break> {
    find(params_of(method)?, params)
}

/// Removes optional fields with the value null.
pub(super) fn remove_nulls(method: &str, params: &mut Value) {
    if let Some(schema) = params_of(method) {
        without_nulls(schema, params);
    }
}

fn params_of(method: &str) -> Option<&'static Value> {
    SCHEMA.get("methods")?.get(method)?.get("params")
}

/// Follows references.
fn resolved(schema: &Value) -> Option<&Map<String, Value>> {
    let mut schema = schema.as_object()?;
    while let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        schema = SCHEMA.get("$defs")?.get(name.strip_prefix("#/$defs/")?)?.as_object()?;
    }
    Some(schema)
}

/// Returns the first break, with its path relative to the value.
fn find(schema: &Value, value: &Value) -> Option<Break> {
    let schema = resolved(schema)?;
    let is_too_small = || value.as_f64() < schema.get("minimum").and_then(Value::as_f64);
    let is_listed = |values: &Value| values.as_array().is_none_or(|all| all.contains(value));
    if schema.get("type").is_some_and(|kinds| !is_one_of(kinds, value))
        || (value.is_number() && is_too_small())
        || schema.get("const").is_some_and(|only| only != value)
        || schema.get("enum").is_some_and(|values| !is_listed(values))
    {
        return Some(unexpected(schema, value));
    }
    let in_fields = || value.as_object().and_then(|fields| in_fields(schema, fields));
    let in_items = || {
        let items = schema.get("items")?;
        let broken =
            |(index, item): (usize, &Value)| Some(find(items, item)?.within(&index.to_string()));
        value.as_array()?.iter().enumerate().find_map(broken)
    };
    in_fields().or_else(in_items).or_else(|| in_variants(schema, value))
}

impl Break {
    /// The break, seen from the object or list that has its place in `name`.
    fn within(self, name: &str) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        Self { path: format!("/{name}{}", self.path), ..self }
    }
}

fn in_fields(schema: &Map<String, Value>, fields: &Map<String, Value>) -> Option<Break> {
    // Like serde, reports a wrong value before a missing one.
    let wrong = fields.iter().find_map(|(name, value)| {
        // A null is taken for an absent field.
        let field = field_schema(schema, name).filter(|_| !value.is_null())?;
        Some(find(field, value)?.within(name))
    });
    wrong.or_else(|| {
        let mut required = schema.get("required")?.as_array()?.iter().filter_map(Value::as_str);
        let name = required.find(|name| fields.get(*name).is_none_or(Value::is_null))?;
        let message = format!("missing field `{name}`");
        Some(Break { path: String::new(), message }.within(name))
    })
}

fn field_schema<'a>(schema: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let known = schema.get("properties").and_then(|known| known.get(name));
    known.or_else(|| schema.get("additionalProperties").filter(|others| others.is_object()))
}

/// Returns a schema's variants, and the variant selected by a value's `type`.
fn variants<'a>(
    schema: &'a Map<String, Value>,
    value: &Value,
) -> Option<(&'a Vec<Value>, Option<&'a Value>)> {
    let all = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let kind = value.get("type");
    let chosen = all.iter().find(|variant| kind.is_some() && tag(variant) == kind);
    Some((all, chosen))
}

fn tag(variant: &Value) -> Option<&Value> {
    variant.pointer("/properties/type/const")
}

fn in_variants(schema: &Map<String, Value>, value: &Value) -> Option<Break> {
    let (all, chosen) = variants(schema, value)?;
    if all.iter().all(|variant| tag(variant).is_some()) {
        return match (chosen, value.get("type")) {
            (Some(variant), _) => find(variant, value),
            (None, Some(kind)) => Some(unexpected(schema, kind).within("type")),
            (None, None) if value.is_object() => {
                let message = format!("missing field `type`: expected {}", expected(schema));
                Some(Break { path: "/type".to_owned(), message })
            }
            (None, None) => {
                let message = format!("expected an object, got {}", described(value));
                Some(Break { path: String::new(), message })
            }
        };
    }
    all.iter().all(|variant| find(variant, value).is_some()).then(|| unexpected(schema, value))
}

fn unexpected(schema: &Map<String, Value>, value: &Value) -> Break {
    let message = format!("expected {}, got {}", expected(schema), described(value));
    Break { path: String::new(), message }
}

/// Describes the values that a schema allows.
fn expected(schema: &Map<String, Value>) -> String {
    let options = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    let value_of = |option: &Value| {
        option.get("const").or_else(|| tag(option)).and_then(Value::as_str).map(str::to_owned)
    };
    let listed = schema.get("enum").and_then(Value::as_array);
    let values: Option<Vec<String>> = match (options, listed) {
        (Some(options), _) => options.iter().map(value_of).collect(),
        (None, Some(listed)) => {
            listed.iter().map(|value| value.as_str().map(str::to_owned)).collect()
        }
        (None, None) => {
            schema.get("const").and_then(Value::as_str).map(|only| vec![only.to_owned()])
        }
    };
    if let Some(values) = values {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        return match values.as_slice() {
            [only] => only.clone(),
            values => format!("one of {}", values.join(", ")),
        };
    }
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.as_slice(),
        kind => kind.map(std::slice::from_ref).unwrap_or_default(),
    };
    let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).map(kind_name).collect();
    let least = schema.get("minimum").map(|least| format!(" from {least}")).unwrap_or_default();
    match kinds.as_slice() {
        [] => "another value".to_owned(),
        kinds => format!("{}{least}", kinds.join(" or ")),
    }
}

fn kind_name(kind: &str) -> &str {
    match kind {
        "object" => "an object",
        "array" => "a list",
        "string" => "a string",
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        other => other,
    }
}

fn described(value: &Value) -> String {
    const LONGEST: usize = 40;
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) if text.chars().count() > LONGEST => "another string".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => format!("`{value}`"),
    }
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

fn without_nulls(schema: &Value, value: &mut Value) {
    let Some(schema) = resolved(schema) else { return };
    if let Some((_, Some(variant))) = variants(schema, value) {
        without_nulls(variant, value);
    }
    match value {
        Value::Object(fields) => {
            let required = schema.get("required").and_then(Value::as_array);
            let stands_for_absence = |name: &str| {
                let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
                let field = schema.get("properties").and_then(|known| known.get(name));
                !is_required && field.is_some_and(|field| field.get("x-null").is_none())
            };
            fields.retain(|name, value| !(value.is_null() && stands_for_absence(name)));
            for (name, value) in fields {
                if let Some(field) = field_schema(schema, name) {
                    without_nulls(field, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(item) = schema.get("items") {
                for value in items {
                    without_nulls(item, value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_broken_field_is_found_and_what_it_should_be() {
        let text = json!({"type": "text", "text": "a"});
        for (method, params, want) in [
            ("turn/start", json!({"input": [text]}), ""),
            ("turn/start", json!({"input": [text], "key": null}), ""),
            ("turn/start", json!({"input": [text], "unknown": 1}), ""),
            ("turn/start", json!({}), "/input: missing field `input`"),
            ("turn/start", json!({"input": "a"}), "/input: expected a list, got `\"a\"`"),
            ("turn/start", json!({"input": [text, 7]}), "/input/1: expected an object, got `7`"),
            (
                "turn/start",
                json!({"input": [text, {}]}),
                "/input/1/type: missing field `type`: expected one of `text`, `file`, `selection`, `diagnostics`, `image`, `document`",
            ),
            (
                "turn/start",
                json!({"input": [{"type": "song"}]}),
                "/input/0/type: expected one of `text`, `file`, `selection`, `diagnostics`, `image`, `document`, got `\"song\"`",
            ),
            (
                "turn/start",
                json!({"input": [{"type": "text"}]}),
                "/input/0/text: missing field `text`",
            ),
            (
                "turn/start",
                json!({"input": [], "whenBusy": "wait"}),
                "/whenBusy: expected one of `reject`, `queue`, got `\"wait\"`",
            ),
            (
                "turn/start",
                json!({"input": [], "limits": {"steps": -1}}),
                "/limits/steps: expected a whole number from 0, got `-1`",
            ),
            ("session/create", json!({"cwd": 1}), "/cwd: expected a string, got `1`"),
            (
                "session/create",
                json!({"include": "turn.*"}),
                "/include: expected a list, got `\"turn.*\"`",
            ),
            (
                "session/create",
                json!({"config": {"tools": [1]}}),
                "/config/tools/0: expected a string, got `1`",
            ),
            (
                "session/create",
                json!({"config": {"mcpServers": {"a/b~": {"args": {}}}}}),
                "/config/mcpServers/a~1b~0/args: expected a list, got an object",
            ),
            (
                "review/decide",
                json!({"action": {"type": "keep"}}),
                "/action/target: missing field `target`",
            ),
            (
                "review/decide",
                json!({"action": {"type": "keep", "target": {"type": "lines", "hunk": "1"}}}),
                "/action/target/changedSeq: missing field `changedSeq`",
            ),
            (
                "shell/run",
                json!({"command": "a", "toModel": "b".repeat(50)}),
                "/toModel: expected true or false, got another string",
            ),
            ("session/update", json!({"title": 5}), "/title: expected a string or null, got `5`"),
            ("queue/update", json!({"toEnd": true}), "/itemId: missing field `itemId`"),
            ("no/such", json!({}), ""),
        ] {
            let got = first_break(method, &params);
            let got = got.map(|found| format!("{}: {}", found.path, found.message));
            assert_eq!(got.unwrap_or_default(), want, "{method} {params}");
        }
    }

    #[test]
    fn nulls_for_absent_fields_are_removed_and_others_stay() {
        for (method, params, want) in [
            ("shell/run", json!({"command": "a", "toModel": null}), json!({"command": "a"})),
            ("session/update", json!({"sessionId": null, "title": null}), json!({"title": null})),
            (
                "turn/start",
                json!({"input": [{"type": "file", "path": "/a", "range": null}], "limits": {"steps": null}}),
                json!({"input": [{"type": "file", "path": "/a"}], "limits": {}}),
            ),
            (
                "turn/start",
                json!({"input": [], "outputSchema": {"default": null}}),
                json!({"input": [], "outputSchema": {"default": null}}),
            ),
            ("turn/start", json!({"input": null}), json!({"input": null})),
        ] {
            let mut got = params.clone();
            remove_nulls(method, &mut got);
            assert_eq!(got, want, "{method} {params}");
        }
    }
}
