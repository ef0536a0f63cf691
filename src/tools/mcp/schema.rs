//! Converts a server's argument schema to a form that every provider accepts, and maps arguments back. Pure.
//!
//! Providers require a plain object at the top, JSON Schema 2020-12, and short property names. Servers send alternatives and references at
//! the top, earlier drafts, and names such as `$filter`. The model reads the converted schema; the server receives its own names.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The maximum length of a property name. Source: the errors of Anthropic's API, 2026-11.
const MAX_NAME: usize = 64;

/// The depth to which references and alternatives are followed.
const MAX_DEPTH: usize = 8;

/// The keyword that holds a renamed property's name at the server. It is in no schema that a provider receives.
const OWN_NAME: &str = "x-name";

/// A tool's argument schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Schema {
    /// The schema for providers.
    public: Value,
    /// The same, with the server's names of renamed properties; `None` if none was renamed.
    marked: Option<Value>,
}

impl Schema {
    /// Converts a server's schema.
    pub(super) fn new(schema: Map<String, Value>) -> Self {
        let mut schema = plain(schema);
        modernize(&mut schema);
        let mut renamed = 0;
        rename(&mut schema, &mut renamed);
        if renamed == 0 {
            return Self { public: schema, marked: None };
        }
        let mut public = schema.clone();
        unmark(&mut public);
        Self { public, marked: Some(schema) }
    }

    /// Returns the schema for providers.
    pub(super) fn public(&self) -> &Value {
        &self.public
    }

    /// Gives arguments the server's property names.
    pub(super) fn restore(&self, arguments: Value) -> Value {
        match &self.marked {
            Some(root) => restored(root, &[root], arguments),
            None => arguments,
        }
    }
}

/// Makes an object of a schema, with nothing but its properties at the top: those of a referenced schema and of all alternatives.
fn plain(mut schema: Map<String, Value>) -> Value {
    let root = Value::Object(schema.clone());
    let mut properties = Map::new();
    let mut required = BTreeSet::new();
    collect(&root, &root, &mut properties, &mut required, MAX_DEPTH);
    for key in [
        "$schema", "$id", "id", "$ref", "oneOf", "anyOf", "allOf", "not", "if", "then", "else",
        "enum",
    ] {
        schema.remove(key);
    }
    schema.insert("type".to_owned(), json!("object"));
    required.retain(|name| properties.contains_key(name));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if required.is_empty() {
        schema.remove("required");
    } else {
        schema.insert("required".to_owned(), required.into_iter().collect());
    }
    Value::Object(schema)
}

/// Collects the properties of a schema, and the names that it requires in any case.
fn collect(
    root: &Value,
    schema: &Value,
    properties: &mut Map<String, Value>,
    required: &mut BTreeSet<String>,
    depth: usize,
) {
    if depth == 0 {
        return;
    }
    for (name, property) in
        schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        properties.entry(name).or_insert_with(|| property.clone());
    }
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    required.extend(names.filter_map(Value::as_str).map(str::to_owned));
    if let Some(target) = target(root, schema) {
        collect(root, target, properties, required, depth - 1);
    }
    for part in list(schema, "allOf") {
        collect(root, part, properties, required, depth - 1);
    }
    for key in ["anyOf", "oneOf"] {
        let mut in_all: Option<BTreeSet<String>> = None;
        for alternative in list(schema, key) {
            let mut names = BTreeSet::new();
            collect(root, alternative, properties, &mut names, depth - 1);
            in_all = Some(match in_all {
                Some(all) => all.intersection(&names).cloned().collect(),
                None => names,
            });
        }
        required.extend(in_all.into_iter().flatten());
    }
}

fn list<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the schema that a local reference means.
fn target<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// Translates what drafts 4 to 7 wrote differently.
fn modernize(schema: &mut Value) {
    if let Value::Object(fields) = schema {
        for (exclusive, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")]
        {
            match fields.get(exclusive) {
                Some(Value::Bool(true)) => {
                    match fields.remove(limit) {
                        Some(value) => fields.insert(exclusive.to_owned(), value),
                        None => fields.remove(exclusive),
                    };
                }
                Some(Value::Bool(false)) => {
                    fields.remove(exclusive);
                }
                _ => {}
            }
        }
        if let Some(Value::Array(_)) = fields.get("items") {
            let items = fields.remove("items").unwrap_or_default();
            fields.insert("prefixItems".to_owned(), items);
            if let Some(rest) = fields.remove("additionalItems") {
                fields.insert("items".to_owned(), rest);
            }
        }
    }
    each_part(schema, &mut modernize);
}

/// Calls a function for each schema within a schema.
fn each_part(schema: &mut Value, act: &mut dyn FnMut(&mut Value)) {
    let Value::Object(fields) = schema else { return };
    for (key, value) in fields {
        match (key.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => {
                named.values_mut().for_each(&mut *act);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter_mut().for_each(&mut *act);
            }
            (
                "items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains",
                part,
            ) => act(part),
            _ => {}
        }
    }
}

/// Renames the properties whose names providers refuse, and marks them with the server's names. Counts them.
fn rename(schema: &mut Value, renamed: &mut usize) {
    each_part(schema, &mut |part| rename(part, renamed));
    let Some(fields) = schema.as_object_mut() else { return };
    let Some(Value::Object(properties)) = fields.get_mut("properties") else { return };
    let mut names = Vec::new();
    let mut taken: BTreeSet<String> =
        properties.keys().filter(|name| is_accepted(name)).cloned().collect();
    for (name, mut property) in std::mem::take(properties) {
        if is_accepted(&name) {
            properties.insert(name, property);
            continue;
        }
        let new = accepted(&name, &mut taken);
        if !property.is_object() {
            property = json!({});
        }
        if let Value::Object(property) = &mut property {
            property.insert(OWN_NAME.to_owned(), json!(name));
        }
        properties.insert(new.clone(), property);
        names.push((name, new));
    }
    *renamed += names.len();
    for name in fields.get_mut("required").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some((_, new)) = names.iter().find(|(old, _)| *name == **old) {
            *name = json!(new);
        }
    }
}

fn is_accepted(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_accepted_char)
}

fn is_accepted_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Returns a name that providers accept and no other property has.
fn accepted(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if is_accepted_char(c) { c } else { '_' };
    let base: String = name.chars().map(plain).take(MAX_NAME - 4).collect();
    let base = if base.is_empty() { "_".to_owned() } else { base };
    let numbered = (2..).map(|number| format!("{base}_{number}"));
    let free = std::iter::once(base.clone()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.unwrap_or(base);
    taken.insert(free.clone());
    free
}

fn unmark(schema: &mut Value) {
    if let Value::Object(fields) = schema {
        fields.remove(OWN_NAME);
    }
    each_part(schema, &mut unmark);
}

/// Gives a value's properties their names at the server. `schemas` may describe the value.
fn restored(root: &Value, schemas: &[&Value], value: Value) -> Value {
    let mut possible = Vec::new();
    for schema in schemas {
        expand(root, schema, &mut possible, MAX_DEPTH);
    }
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let known =
                    possible.iter().filter_map(|schema| schema.get("properties")?.get(&name));
                let known: Vec<&Value> = known.collect();
                let own = known.iter().find_map(|schema| schema.get(OWN_NAME)?.as_str());
                let others =
                    possible.iter().filter_map(|schema| schema.get("additionalProperties"));
                let inner: Vec<&Value> =
                    if known.is_empty() { others.collect() } else { known.clone() };
                let own = own.map(str::to_owned);
                (own.unwrap_or(name), restored(root, &inner, value))
            });
            Value::Object(fields.collect())
        }
        Value::Array(items) => {
            let items = items.into_iter().enumerate().map(|(index, value)| {
                let inner = possible.iter().filter_map(|schema| {
                    let at = schema.get("prefixItems").and_then(|all| all.get(index));
                    at.or_else(|| schema.get("items"))
                });
                let inner: Vec<&Value> = inner.collect();
                restored(root, &inner, value)
            });
            Value::Array(items.collect())
        }
        plain => plain,
    }
}

/// Collects a schema, the one it refers to, and its alternatives.
fn expand<'a>(root: &'a Value, schema: &'a Value, found: &mut Vec<&'a Value>, depth: usize) {
    if depth == 0 {
        return;
    }
    found.push(schema);
    if let Some(target) = target(root, schema) {
        expand(root, target, found, depth - 1);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for part in list(schema, key) {
            expand(root, part, found, depth - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(value: &Value) -> Schema {
        Schema::new(value.as_object().cloned().unwrap())
    }

    #[test]
    fn schemas_are_objects_that_every_provider_takes() {
        let string = json!({"type": "string"});
        for (given, want) in [
            (json!({}), json!({"type": "object", "properties": {}})),
            (
                json!({"$schema": "x", "type": "object", "properties": {"a": string}, "required": ["a"]}),
                json!({"type": "object", "properties": {"a": string}, "required": ["a"]}),
            ),
            (json!({"type": "string"}), json!({"type": "object", "properties": {}})),
            (json!({"properties": []}), json!({"type": "object", "properties": {}})),
            (json!({"required": ["gone"]}), json!({"type": "object", "properties": {}})),
            // The properties of all alternatives; required is what all require.
            (
                json!({"anyOf": [
                    {"properties": {"id": string, "a": string}, "required": ["id", "a"]},
                    {"properties": {"id": string, "b": string}, "required": ["id", "b"]}
                ]}),
                json!({"type": "object", "properties": {"id": string, "a": string, "b": string}, "required": ["id"]}),
            ),
            (
                json!({"allOf": [{"properties": {"a": string}, "required": ["a"]}, {"properties": {"b": true}}]}),
                json!({"type": "object", "properties": {"a": string, "b": true}, "required": ["a"]}),
            ),
            (
                json!({"$ref": "#/definitions/Args", "definitions": {"Args": {"properties": {"a": string}, "required": ["a"]}}}),
                json!({"definitions": {"Args": {"properties": {"a": string}, "required": ["a"]}}, "type": "object", "properties": {"a": string}, "required": ["a"]}),
            ),
            // A reference to itself, and to nowhere.
            (json!({"$ref": "#"}), json!({"type": "object", "properties": {}})),
            (json!({"$ref": "#/x"}), json!({"type": "object", "properties": {}})),
            // Drafts 4 and 7.
            (
                json!({"properties": {"n": {"minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}}}),
                json!({"properties": {"n": {"maximum": 9, "exclusiveMinimum": 0}}, "type": "object"}),
            ),
            (
                json!({"properties": {"span": {"items": [{"type": "number"}, {"type": "number"}], "additionalItems": false}}}),
                json!({"properties": {"span": {"prefixItems": [{"type": "number"}, {"type": "number"}], "items": false}}, "type": "object"}),
            ),
        ] {
            assert_eq!(*schema(&given).public(), want, "{given}");
        }
    }

    #[test]
    fn properties_have_names_that_providers_accept_and_their_own_at_the_server() {
        let long = "n".repeat(70);
        let node = json!({"type": "object", "properties": {"@id": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}}});
        let given = json!({
            "properties": {
                "$filter": {"type": "string"},
                "filter[name]": {"type": "string"},
                "_filter": {"type": "string"},
                "plain-1.x": true,
                "名": true,
                long.as_str(): {"type": "string"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "either": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Node"}]},
                "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Node"}}
            },
            "required": ["$filter", "list"],
            "$defs": {"Node": node}
        });
        let schema = schema(&given);
        let public = schema.public();
        let names: Vec<&String> = public["properties"].as_object().unwrap().keys().collect();
        let cut = "n".repeat(60);
        assert_eq!(
            names,
            [
                "_filter_2",
                "filter_name_",
                "_filter",
                "plain-1.x",
                "_",
                &cut,
                "list",
                "either",
                "map"
            ]
        );
        assert_eq!(public["required"], json!(["_filter_2", "list"]));
        assert!(public["$defs"]["Node"]["properties"]["_id"].is_object(), "{public}");
        assert!(!public.to_string().contains(OWN_NAME), "{public}");
        for (sent, want) in [
            (
                json!({"_filter_2": "a", "_filter": "b", "_": 1}),
                json!({"$filter": "a", "_filter": "b", "名": 1}),
            ),
            (
                json!({"list": [{"_id": "1", "next": {"_id": "2"}}], "either": {"_id": "3"}}),
                json!({"list": [{"@id": "1", "next": {"@id": "2"}}], "either": {"@id": "3"}}),
            ),
            // Free names stay.
            (
                json!({"map": {"_filter_2": {"_id": "1"}}, "other": {"_id": 1}}),
                json!({"map": {"_filter_2": {"@id": "1"}}, "other": {"_id": 1}}),
            ),
            (json!({"plain-1.x": [{"_id": 1}]}), json!({"plain-1.x": [{"_id": 1}]})),
        ] {
            assert_eq!(schema.restore(sent.clone()), want, "{sent}");
        }
    }
}
