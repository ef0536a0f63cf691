//! The protocol as one JSON Schema document: every type under `$defs`, every method under `methods`.

use pintle_protocol::error::{CODES, ErrorData};
use pintle_protocol::methods::{METHODS, Sender};
use pintle_protocol::{PROTOCOL_NAME, PROTOCOL_VERSION};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The document.
pub(crate) fn document() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut methods = Map::new();
    for row in METHODS {
        let mut method = Map::new();
        let sender = match row.sender {
            Sender::Client => "client",
            Sender::Engine => "engine",
        };
        method.insert("description".to_owned(), json!(sentence(row.doc)));
        method.insert("sender".to_owned(), json!(sender));
        method.insert("params".to_owned(), (row.params)(&mut generator).to_value());
        if let Some(result) = row.result {
            method.insert("result".to_owned(), result(&mut generator).to_value());
        }
        methods.insert(row.method.to_owned(), Value::Object(method));
    }
    generator.subschema_for::<ErrorData>();
    let errors: Vec<Value> = CODES
        .iter()
        .map(|(code, name, meaning)| json!({ "code": code, "name": name, "description": meaning }))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{PROTOCOL_NAME} protocol {PROTOCOL_VERSION}"),
        "description": "Generated from the Rust types in protocol/src. JSON-RPC 2.0.",
        "protocol": { "name": PROTOCOL_NAME, "version": PROTOCOL_VERSION },
        "methods": methods,
        "errors": errors,
        "$defs": generator.take_definitions(true),
    })
}

/// A doc comment as one line.
fn sentence(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
