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
