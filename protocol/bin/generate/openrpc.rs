//! The same schema as an OpenRPC 1.4 document.
//!
//! OpenRPC describes a server's methods. That the engine sends requests too is expressed by a method's `x-sender`: `client`, `engine` or
//! `both`. A method without a result is a notification. Anything that may change in any version has `x-experimental`, with the reason.
//! OpenRPC's schemas are JSON Schema draft 7, in which a reference hides its siblings; references are therefore in `allOf`.

use serde_json::{Map, Value, json};

/// The version of OpenRPC that the document keeps to.
const OPENRPC_VERSION: &str = "1.4.1";

/// Writes the document, with the examples by method.
pub(crate) fn document(schema: &Value, examples: &Value) -> Value {
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let version = schema.pointer("/protocol/version");
    let errors = schema["errors"].as_array().cloned().unwrap_or_default();
    let methods = schema["methods"].as_object().cloned().unwrap_or_default();
    let methods: Vec<Value> = methods
        .iter()
        .map(|(name, row)| method(name, row, &definitions, &errors, examples.get(name)))
        .collect();
    let components: Map<String, Value> = errors
        .iter()
        .map(|error| (error["name"].as_str().unwrap_or_default().to_owned(), error_object(error)))
        .collect();
    let schemas: Map<String, Value> =
        definitions.iter().map(|(name, shape)| (name.clone(), draft7(shape))).collect();
    json!({
        "openrpc": OPENRPC_VERSION,
        "info": {
            "title": schema["title"],
            "version": version,
            "description": "The native protocol of pintle: JSON-RPC 2.0 over stdio, one message a line or with \
                `Content-Length` headers. Each method says in `x-sender` which side sends it. Generated from the Rust types in protocol/src.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "methods": methods,
        "components": { "schemas": schemas, "errors": components },
    })
}

fn method(
    name: &str,
    row: &Value,
    definitions: &Map<String, Value>,
    errors: &[Value],
    example: Option<&Value>,
) -> Value {
    let mut out = Map::new();
    out.insert("name".to_owned(), json!(name));
    let doc = row["description"].as_str().unwrap_or_default();
    let summary = doc.split_once(". ").map_or(doc, |(first, _)| first).trim_end_matches('.');
    out.insert("summary".to_owned(), json!(summary));
    out.insert("description".to_owned(), json!(doc));
    let resource = name.split_once('/').map_or("connection", |(resource, _)| resource);
    let resource = if resource == "$" { "connection" } else { resource };
    out.insert("tags".to_owned(), json!([{ "name": resource }]));
    out.insert("paramStructure".to_owned(), json!("by-name"));
    let params = params(&row["params"], definitions);
    if let (Some(example), Some(result)) = (example, row.get("result")) {
        out.insert("examples".to_owned(), json!([pairing(example, Some(result))]));
    } else if let Some(example) = example {
        out.insert("examples".to_owned(), json!([pairing(example, None)]));
    }
    out.insert("params".to_owned(), json!(params));
    if let Some(result) = row.get("result") {
        out.insert(
            "result".to_owned(),
            json!({ "name": type_name(result), "schema": draft7(result) }),
        );
        let names = errors.iter().filter(|error| !is_predefined(error));
        let names = names.filter_map(|error| error["name"].as_str());
        let errors: Vec<Value> =
            names.map(|name| json!({ "$ref": format!("#/components/errors/{name}") })).collect();
        if row["sender"] != "engine" {
            out.insert("errors".to_owned(), json!(errors));
        }
    }
    out.insert("x-sender".to_owned(), row["sender"].clone());
    if let Some(reason) = row.get("experimental") {
        out.insert("x-experimental".to_owned(), reason.clone());
    }
    Value::Object(out)
}

/// Returns true for an error that any JSON-RPC server may return.
fn is_predefined(error: &Value) -> bool {
    error["code"].as_i64().is_some_and(|code| (-32700..=-32600).contains(&code))
}

fn error_object(error: &Value) -> Value {
    json!({
        "code": error["code"],
        "message": error["description"],
        "data": { "code": error["name"] },
    })
}

/// Returns a parameter for each member of the params, required ones first.
fn params(shape: &Value, definitions: &Map<String, Value>) -> Vec<Value> {
    let whole = resolved(shape, definitions);
    // Of alternatives, a parameter is required that all of them require.
    let alternatives = match whole.get("anyOf").and_then(Value::as_array) {
        Some(options) => options.iter().map(|option| resolved(option, definitions)).collect(),
        None => vec![whole],
    };
    let mut members: Map<String, Value> = Map::new();
    for alternative in &alternatives {
        for (name, member) in alternative["properties"].as_object().into_iter().flatten() {
            let known = members.entry(name.clone()).or_insert_with(|| member.clone());
            if known != member {
                *known = json!({ "description": member["description"], "anyOf": [known.clone(), member] });
            }
        }
    }
    let is_required = |name: &str| {
        alternatives.iter().all(|alternative| {
            let required = alternative["required"].as_array();
            required.is_some_and(|names| names.iter().any(|known| known == name))
        })
    };
    let descriptor = |(name, member): (&String, &Value)| {
        let mut schema = draft7(member);
        let doc = schema.as_object_mut().and_then(|members| members.remove("description"));
        json!({
            "name": name,
            "description": doc.unwrap_or_default(),
            "required": is_required(name),
            "schema": schema,
        })
    };
    let (first, rest): (Vec<_>, Vec<_>) =
        members.iter().partition(|(name, _)| is_required(name.as_str()));
    first.into_iter().chain(rest).map(descriptor).collect()
}

fn resolved<'a>(shape: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    let name = shape.get("$ref").and_then(Value::as_str).and_then(crate::schema::named);
    name.and_then(|name| definitions.get(name)).unwrap_or(shape)
}

fn type_name(shape: &Value) -> &str {
    let name = shape.get("$ref").and_then(Value::as_str).and_then(crate::schema::named);
    name.unwrap_or("result")
}

fn pairing(example: &Value, result: Option<&Value>) -> Value {
    let params = example["params"].as_object().into_iter().flatten();
    let params: Vec<Value> =
        params.map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let name = "recorded";
    match result {
        Some(shape) => {
            let result = json!({ "name": type_name(shape), "value": example["result"] });
            json!({ "name": name, "params": params, "result": result })
        }
        None => json!({ "name": name, "params": params }),
    }
}

/// A schema of draft 2020-12 in the words of draft 7.
fn draft7(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut out = Map::new();
            let has_more = members.len() > 1;
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("$ref", Value::String(reference)) => {
                        let reference = reference.replace("#/$defs/", "#/components/schemas/");
                        if has_more {
                            out.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
                        } else {
                            out.insert(key.clone(), json!(reference));
                        }
                    }
                    _ => {
                        out.insert(key.clone(), draft7(value));
                    }
                }
            }
            Value::Object(out)
        }
        Value::Array(items) => items.iter().map(draft7).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}
