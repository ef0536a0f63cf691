//! The protocol as one JSON Schema document: every type under `$defs`, every method under `methods`.

use pintle_protocol::error::{CODES, ErrorData, NARROWER};
use pintle_protocol::methods::{METHODS, Sender, Stability};
use pintle_protocol::run::RunLine;
use pintle_protocol::{PROTOCOL_NAME, PROTOCOL_VERSION};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The document.
pub(crate) fn document() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut methods = Map::new();
    for row in METHODS {
        let mut method = Map::new();
        let sender = match row.sender {
            Sender::Client => "client",
            Sender::Engine => "engine",
            Sender::Both => "both",
        };
        method.insert("description".to_owned(), json!(sentence(row.doc)));
        method.insert("sender".to_owned(), json!(sender));
        if let Stability::Experimental(reason) = row.stability {
            method.insert("experimental".to_owned(), json!(reason));
        }
        method.insert("params".to_owned(), (row.params)(&mut generator).to_value());
        if let Some(result) = row.result {
            method.insert("result".to_owned(), result(&mut generator).to_value());
        }
        methods.insert(row.method.to_owned(), Value::Object(method));
    }
    generator.subschema_for::<ErrorData>();
    generator.subschema_for::<RunLine>();
    let errors: Vec<Value> = CODES.iter().map(error).collect();
    let mut definitions = generator.take_definitions(true);
    mark_experimental(&methods, &mut definitions);
    for (name, definition) in &mut definitions {
        name_type(name, definition);
        without_null(definition);
    }
    methods.values_mut().for_each(without_null);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{PROTOCOL_NAME} protocol {PROTOCOL_VERSION}"),
        "description": "Generated from the Rust types in protocol/src. JSON-RPC 2.0.",
        "protocol": { "name": PROTOCOL_NAME, "version": PROTOCOL_VERSION },
        "methods": methods,
        "errors": errors,
        "$defs": definitions,
    })
}

/// A row of the error table, with the narrower names of its code.
fn error((code, name, meaning): &(i32, &str, &str)) -> Value {
    let narrower: Vec<Value> = NARROWER
        .iter()
        .filter(|(of, _, _)| of == code)
        .map(|(_, name, meaning)| json!({ "name": name, "description": meaning }))
        .collect();
    let mut row = json!({ "code": code, "name": name, "description": meaning });
    if let (false, Some(members)) = (narrower.is_empty(), row.as_object_mut()) {
        members.insert("narrower".to_owned(), Value::Array(narrower));
    }
    row
}

/// Marks the types that no stable method uses with `x-experimental`.
fn mark_experimental(methods: &Map<String, Value>, definitions: &mut Map<String, Value>) {
    let is_stable = |method: &&Value| method.get("experimental").is_none();
    let mut stable: BTreeSet<String> = BTreeSet::from(["ErrorData".to_owned()]);
    for method in methods.values().filter(is_stable) {
        references(method, definitions, &mut stable);
    }
    for (name, definition) in definitions {
        if let (Some(members), false) = (definition.as_object_mut(), stable.contains(name)) {
            members.insert("x-experimental".to_owned(), json!(true));
        }
    }
}

/// Gives a type and its variants titles, from which generators of code take names.
fn name_type(name: &str, definition: &mut Value) {
    let variants = definition.get_mut("oneOf").and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        let tag = TAGS.iter().find_map(|tag| variant.pointer(&format!("/properties/{tag}/const")));
        if let Some(tag) = tag.and_then(Value::as_str) {
            let words = tag.split('.').flat_map(|word| {
                let mut letters = word.chars();
                letters.next().into_iter().flat_map(char::to_uppercase).chain(letters)
            });
            let title = words.fold(name.to_owned(), |title, letter| format!("{title}{letter}"));
            set_first(variant, "title", title.into());
        }
    }
    set_first(definition, "title", name.into());
}

/// The fields that name the variant of a value. Only model messages have a role instead.
pub(crate) const TAGS: [&str; 2] = ["type", "role"];

fn set_first(schema: &mut Value, key: &str, value: Value) {
    if let Some(members) = schema.as_object_mut() {
        members.shift_insert(0, key.to_owned(), value);
    }
}

/// Takes `null` out of optional fields: absence means the same, and the engine never sends it. A field with `x-null` keeps it.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let required = members.get("required").cloned().unwrap_or_default();
            let is_required = |name: &str| {
                required.as_array().is_some_and(|all| all.iter().any(|one| one == name))
            };
            let fields = members.get_mut("properties").and_then(Value::as_object_mut);
            for (name, field) in fields.into_iter().flatten() {
                if !is_required(name) && field.get("x-null").is_none() {
                    no_null(field);
                }
            }
            members.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn no_null(field: &mut Value) {
    let Some(members) = field.as_object_mut() else { return };
    if let Some(kinds) = members.get("type").and_then(Value::as_array) {
        let mut kinds: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        let kind = if kinds.len() == 1 { kinds.remove(0) } else { Value::Array(kinds) };
        members.insert("type".to_owned(), kind);
    }
    let Some(Value::Array(options)) = members.get_mut("anyOf") else { return };
    options.retain(|option| option.get("type").is_none_or(|kind| kind != "null"));
    if let [only] = options.as_mut_slice()
        && let Value::Object(only) = only.take()
    {
        members.shift_remove("anyOf");
        // The field's description precedes its type's.
        for (key, value) in only {
            members.entry(key).or_insert(value);
        }
    }
}

/// Collects the names of the types that a schema uses, directly or indirectly.
pub(crate) fn references(
    schema: &Value,
    definitions: &Map<String, Value>,
    found: &mut BTreeSet<String>,
) {
    match schema {
        Value::Object(members) => {
            if let Some(name) = members.get("$ref").and_then(Value::as_str).and_then(named)
                && found.insert(name.to_owned())
                && let Some(definition) = definitions.get(name)
            {
                references(definition, definitions, found);
            }
            members.values().for_each(|member| references(member, definitions, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, definitions, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the name of a reference's type.
pub(crate) fn named(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/")
}

/// A doc comment as one line.
fn sentence(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
