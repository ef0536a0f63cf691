//! Output schemas, in the forms required by the providers that enforce them. Pure.
//!
//! The engine checks each final message against the original schema, so a provider's form may allow more.

use serde_json::{Map, Value, json};

/// The name under which OpenAI's APIs take a schema.
pub(super) const NAME: &str = "result";

/// The keywords whose values are schemas.
const ONE: [&str; 6] = ["items", "not", "if", "then", "else", "contains"];

/// The keywords whose values are lists of schemas.
const LISTS: [&str; 4] = ["anyOf", "allOf", "oneOf", "prefixItems"];

/// The keywords whose values name schemas.
const NAMED: [&str; 3] = ["properties", "$defs", "definitions"];

/// The keywords that Anthropic refuses. Source: its page on structured outputs, read 2026-11.
const REFUSED: [&str; 12] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "$schema",
];

/// Returns true if OpenAI accepts a schema as a strict one, which its models cannot violate: each object closed, with every property
/// required. Source: OpenAI's page on structured outputs, read 2026-11.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Some(fields) = schema.as_object() else { return false };
    let is_strict_object = fields.get("properties").is_none_or(|properties| {
        let names = properties.as_object().into_iter().flat_map(Map::keys);
        let required: Vec<&str> = fields
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        fields.get("additionalProperties") == Some(&json!(false))
            && names.into_iter().all(|name| required.contains(&name.as_str()))
    });
    is_strict_object && parts(fields).all(is_strict)
}

/// Returns the schema in the form that Anthropic accepts: each object closed, without the keywords that it refuses.
pub(super) fn closed(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut closed = Map::new();
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            (key, _) if REFUSED.contains(&key) => continue,
            // Only a minimum of zero or one can be expressed.
            ("minItems", least) if least.as_u64().is_some_and(|least| least > 1) => json!(1),
            (key, one) if ONE.contains(&key) => self::closed(one),
            (key, Value::Array(list)) if LISTS.contains(&key) => {
                list.iter().map(self::closed).collect()
            }
            (key, Value::Object(named)) if NAMED.contains(&key) => Value::Object(
                named.iter().map(|(name, one)| (name.clone(), self::closed(one))).collect(),
            ),
            (_, value) => value.clone(),
        };
        closed.insert(key.clone(), value);
    }
    let is_object = fields.get("type").is_some_and(|kind| {
        kind == "object"
            || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
    });
    if is_object || fields.contains_key("properties") {
        closed.insert("additionalProperties".to_owned(), json!(false));
    }
    Value::Object(closed)
}

/// Returns the schemas nested in one.
fn parts(fields: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let one = ONE.iter().filter_map(|key| fields.get(*key));
    let lists = LISTS.iter().filter_map(|key| fields.get(*key)?.as_array()).flatten();
    let named = NAMED.iter().filter_map(|key| fields.get(*key)?.as_object());
    one.chain(lists).chain(named.flat_map(Map::values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Api, Dialect};
    use crate::remote::encode;
    use crate::{Effort, Request, ToolSpec, Trace};
    use std::sync::Arc;

    #[test]
    fn each_api_has_a_field_for_the_schema() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"],
            "additionalProperties": false});
        let closed = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
            "additionalProperties": false});
        let tool = ToolSpec {
            name: "ls".to_owned(),
            description: "Lists".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
            grammar: None,
            built_in: None,
        };
        let named = json!({"name": "result", "schema": schema, "strict": true});
        let text = json!({"format": {"type": "json_schema", "name": "result", "schema": schema, "strict": true}});
        for (api, model, has_tools, path, want) in [
            (
                Api::Chat,
                "m",
                true,
                "/response_format",
                json!({"type": "json_schema", "json_schema": named}),
            ),
            (Api::Responses, "m", true, "/text", text),
            (
                Api::Messages,
                "claude-opus-4-6",
                true,
                "/output_config",
                json!({"effort": "high", "format": {"type": "json_schema", "schema": closed}}),
            ),
            (
                Api::Messages,
                "m",
                false,
                "/output_config/format",
                json!({"type": "json_schema", "schema": closed}),
            ),
            (
                Api::Gemini,
                "gemini-3-pro",
                true,
                "/generationConfig/responseMimeType",
                json!("application/json"),
            ),
            (
                Api::Gemini,
                "gemini-2.5-pro",
                false,
                "/generationConfig/responseSchema/required",
                json!(["n"]),
            ),
            (
                Api::Gemini,
                "gemini-2.5-pro",
                true,
                "/generationConfig/responseMimeType",
                Value::Null,
            ),
        ] {
            let request = Request {
                model: model.to_owned(),
                origin: format!("own/{model}"),
                system: "".into(),
                messages: crate::Messages::default(),
                tools: if has_tools { Arc::new([tool.clone()]) } else { Arc::new([]) },
                effort: Some(Effort::High),
                max_output_tokens: None,
                cache_key: None,
                output_schema: Some(Arc::new(schema.clone())),
                trace: Trace::default(),
            };
            let body = encode(api, &request, Dialect::PLAIN);
            let got = body.pointer(path).cloned().unwrap_or_default();
            assert_eq!(got, want, "{api:?} {model} {body:#}");
        }
    }

    #[test]
    fn a_schema_is_strict_where_nothing_is_left_open() {
        let of = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        let open = || json!({"type": "object", "properties": {"a": {"type": "string"}}});
        for (name, schema, want) in [
            ("a closed object", of(json!({"a": {"type": "string"}}), json!(["a"])), true),
            ("an optional property", of(json!({"a": {"type": "string"}}), json!([])), false),
            ("an open object", open(), false),
            ("an open object in a list", json!({"type": "array", "items": open()}), false),
            ("an open object in a choice", json!({"anyOf": [{"type": "null"}, open()]}), false),
            ("an open object by name", of(json!({"a": open()}), json!(["a"])), false),
            ("a text", json!({"type": "string"}), true),
            ("anything", json!(true), false),
        ] {
            assert_eq!(is_strict(&schema), want, "{name}");
        }
    }

    #[test]
    fn anthropic_gets_closed_objects_and_no_keyword_that_it_refuses() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "minimum": {"type": "integer", "minimum": 1, "maximum": 9},
                "list": {"type": "array", "minItems": 3, "maxItems": 5, "items": {"$ref": "#/$defs/one"}},
            },
            "required": ["minimum"],
            "$defs": {"one": {"type": ["object", "null"], "properties": {"a": {"type": "string", "maxLength": 3}}}},
        });
        let want = json!({
            "type": "object",
            "properties": {
                "minimum": {"type": "integer"},
                "list": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/one"}},
            },
            "required": ["minimum"],
            "$defs": {"one": {"type": ["object", "null"], "properties": {"a": {"type": "string"}}, "additionalProperties": false}},
            "additionalProperties": false,
        });
        assert_eq!(closed(&schema), want);
    }
}
