//! Strict servers: for each wire API, a check of requests that refuses whatever the real API is known to refuse.
//!
//! The checkers read only the body and the model's name, and share nothing with the encoders, so that a mistake in an encoder's table
//! cannot hide itself. Each rule has its source. A rule that only some servers of an API have is checked only for those.

mod anthropic;
mod cached;
mod chat;
mod gemini;
mod histories;
mod responses;
mod tests;

use super::catalog::Api;
use serde_json::Value;
use std::collections::BTreeSet;

type Checked = Result<(), String>;

/// Checks a request body for this model.
pub(super) fn check(api: Api, model: &str, body: &Value) -> Checked {
    // Source: RFC 8259. A server parses the bytes; nothing may be lost on the way.
    let parsed: Value = serde_json::from_slice(body.to_string().as_bytes())
        .map_err(|error| format!("the body is not JSON: {error}"))?;
    ensure(parsed == *body, "the body changes on the wire", body)?;
    match api {
        Api::Messages => anthropic::check(model, body),
        Api::Chat => chat::check(body),
        Api::Responses => responses::check(model, body),
        Api::Gemini => gemini::check(model, body),
    }
}

/// Checks a request to Mistral, whose API has more rules than others of its kind.
pub(super) fn check_mistral(body: &Value) -> Checked {
    chat::check_mistral(body)
}

/// Returns the list at a key; empty if there is none.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the text at a key; empty if there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns an error with the rule and the first characters of the value.
fn ensure(is_kept: bool, rule: &str, at: &Value) -> Checked {
    if is_kept {
        return Ok(());
    }
    let shown: String = at.to_string().chars().take(400).collect();
    Err(format!("{rule}: {shown}"))
}

/// Checks that an object has only fields that the API knows.
fn only(object: &Value, known: &[&str]) -> Checked {
    let Some(fields) = object.as_object() else {
        return ensure(false, "not an object", object);
    };
    match fields.keys().find(|field| !known.contains(&field.as_str())) {
        None => Ok(()),
        Some(field) => Err(format!("the unknown field `{field}` in {}", text(object, "type"))),
    }
}

/// Returns true for a name of 1 to `max` letters, digits, `_`, `-` and characters in `more`.
fn is_name(name: &str, max: usize, more: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=max).contains(&name.len()) && name.chars().all(|c| is_plain(c) || more.contains(c))
}

/// Checks that an id has the right form and was not used before.
fn id(id: &str, max: usize, seen: &mut BTreeSet<String>) -> Checked {
    if !is_name(id, max, "") {
        return Err(format!("the id `{id}` has the wrong form"));
    }
    if !seen.insert(id.to_owned()) {
        return Err(format!("the id `{id}` is used twice"));
    }
    Ok(())
}

/// Checks that a text is a JSON object.
fn object_text(arguments: &str, at: &Value) -> Checked {
    let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object());
    ensure(is_object, "arguments are not an object", at)
}

/// Checks an image's media type and data.
fn image(media_type: &str, data: &str, accepted: &[&str], at: &Value) -> Checked {
    ensure(accepted.contains(&media_type), "an unsupported media type", at)?;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    ensure(!data.is_empty() && data.bytes().all(is_base64), "an image without base64 data", at)
}

/// The only type of documents.
const DOCUMENTS: [&str; 1] = ["application/pdf"];

/// Checks an image in a data URL.
fn data_url(url: &str, accepted: &[&str], at: &Value) -> Checked {
    let parts = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let Some((media_type, data)) = parts else {
        return ensure(false, "an image without a data URL", at);
    };
    image(media_type, data, accepted, at)
}

/// Checks that the names of declared tools are distinct.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Checked {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("the tool `{name}` is declared twice"));
        }
    }
    Ok(())
}

/// Checks a function's parameters as OpenAI does: an object without alternatives at the top, and items for each array.
///
/// Source: its errors "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", "object schema missing
/// properties" and "array schema missing items", quoted in public clients and read 2026-11.
fn parameters(schema: &Value) -> Checked {
    ensure(schema["type"] == "object", "parameters are not an object schema", schema)?;
    ensure(schema["properties"].is_object(), "parameters without properties", schema)?;
    for key in ["oneOf", "anyOf", "allOf", "enum", "not"] {
        ensure(schema.get(key).is_none(), "top-level alternatives", schema)?;
    }
    items(schema)
}

fn items(schema: &Value) -> Checked {
    let has_items = schema.get("items").is_some() || schema.get("prefixItems").is_some();
    let is_array = |kind: &Value| {
        kind == "array" || kind.as_array().is_some_and(|all| all.contains(&Value::from("array")))
    };
    ensure(!is_array(&schema["type"]) || has_items, "an array without items", schema)?;
    let named = schema["properties"].as_object().into_iter().flat_map(|named| named.values());
    let listed = ["anyOf", "oneOf", "allOf"].iter().flat_map(|key| list(schema, key));
    for part in named.chain(listed).chain(schema.get("items")) {
        items(part)?;
    }
    Ok(())
}
