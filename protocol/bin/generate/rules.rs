//! Checks every method and type in the schema against the conventions in `protocol/README.md`.

use crate::schema::{TAGS, document};
use serde_json::{Map, Value};

/// A place in the schema with its name, such as `TurnStartParams.input`.
type Place = (String, Value);

#[test]
fn the_schema_follows_the_rules_of_the_wire() {
    let document = document();
    let types = document["$defs"].as_object().unwrap();
    let methods = document["methods"].as_object().unwrap();
    let mut broken = Vec::new();
    let mut check = |rule: &str, places: Vec<String>| {
        broken.extend(places.into_iter().map(|place| format!("{rule}: {place}")));
    };
    let fields = fields(types);

    check("a method is `subject/verb`", names(methods.keys(), is_method));
    check("an event is `subject.change`", names(events(types).iter(), is_event));
    check("a name is in camel case", not(&fields, |name, _| is_camel_case(name)));
    check("a value is in camel case", values(types));
    check(
        "a boolean is an adjective, without `is` or `has`",
        not(&fields, |name, field| {
            field["type"] != "boolean" || !["is", "has"].iter().any(|verb| begins_with(name, verb))
        }),
    );
    check("variants differ in `type`", untagged(types));
    check(
        "a guard is called `expected…`",
        not(&fields, |name, field| {
            let doc = field["description"].as_str().unwrap_or_default();
            !doc.starts_with("Refuse with `conflict` unless") || begins_with(name, "expected")
        }),
    );
    check("a page has a cursor, or is cut at events", pages(methods, types));
    check(
        "an optional field is absent, not null",
        not(&fields, |_, field| !admits_null(field) || field.get("x-null").is_some()),
    );
    check("a type has its name as its title, in at most 40 letters", titles(types));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns all fields of all types and of their variants.
fn fields(types: &Map<String, Value>) -> Vec<Place> {
    let mut found = Vec::new();
    for (name, definition) in types {
        let variants = definition["oneOf"].as_array().into_iter().flatten();
        for object in std::iter::once(definition).chain(variants) {
            for (field, schema) in object["properties"].as_object().into_iter().flatten() {
                found.push((format!("{name}.{field}"), schema.clone()));
            }
        }
    }
    assert!(found.len() > 1000, "only {} fields", found.len());
    found
}

/// Returns the fields that break a rule about their name and schema.
fn not(fields: &[Place], holds: impl Fn(&str, &Value) -> bool) -> Vec<String> {
    let breaks = |(place, field): &&Place| {
        let (_, name) = place.split_once('.').unwrap();
        !holds(name, field)
    };
    fields.iter().filter(breaks).map(|(place, _)| place.clone()).collect()
}

fn names<'a>(names: impl Iterator<Item = &'a String>, holds: impl Fn(&str) -> bool) -> Vec<String> {
    let names: Vec<&String> = names.collect();
    assert!(!names.is_empty());
    names.into_iter().filter(|name| !holds(name)).cloned().collect()
}

fn events(types: &Map<String, Value>) -> Vec<String> {
    let variants = ["Event", "TransientEvent"]
        .iter()
        .flat_map(|name| types[*name]["oneOf"].as_array().unwrap());
    variants
        .map(|variant| variant["properties"]["type"]["const"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns the values that are not in camel case; an event's type is checked by itself.
fn values(types: &Map<String, Value>) -> Vec<String> {
    fn collect(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(members) => {
                found.extend(members.get("const").and_then(Value::as_str).map(str::to_owned));
                let listed = members.get("enum").and_then(Value::as_array).into_iter().flatten();
                found.extend(listed.filter_map(Value::as_str).map(str::to_owned));
                members.values().for_each(|member| collect(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut found = Vec::new();
    types.values().for_each(|definition| collect(definition, &mut found));
    assert!(found.len() > 200, "only {} values", found.len());
    found.retain(|value| !is_camel_case(value) && !is_event(value));
    found
}

/// Returns the types with untagged objects as variants.
fn untagged(types: &Map<String, Value>) -> Vec<String> {
    let is_tagged = |name: &str, variant: &Value| {
        let [usual, of_a_message] = TAGS;
        let tag = if name == "HookMessage" { of_a_message } else { usual };
        variant["properties"][tag]["const"].is_string()
    };
    let breaks = |(name, definition): &(&String, &Value)| {
        let mut variants = definition["oneOf"].as_array().into_iter().flatten();
        variants.any(|variant| variant["type"] == "object" && !is_tagged(name, variant))
    };
    types.iter().filter(breaks).map(|(name, _)| name.clone()).collect()
}

/// Returns the methods whose params and result do not page together.
fn pages(methods: &Map<String, Value>, types: &Map<String, Value>) -> Vec<String> {
    let has = |part: &Value, field: &str| {
        let name = part["$ref"].as_str().and_then(crate::schema::named);
        let definition = name.map_or(part, |name| &types[name]);
        definition["properties"].get(field).is_some()
    };
    let mut broken = Vec::new();
    let mut paged = 0;
    for (name, method) in methods {
        let (params, result) = (&method["params"], &method["result"]);
        let by_cursor = has(params, "cursor");
        let by_event = has(params, "limit") && has(params, "before") && has(params, "after");
        paged += usize::from(by_cursor) + usize::from(by_event);
        if (by_cursor != has(result, "nextCursor"))
            || (by_event != has(result, "more"))
            || (has(params, "limit") != (by_cursor || by_event))
        {
            broken.push(name.clone());
        }
    }
    assert!(paged > 3, "{paged}");
    broken
}

fn titles(types: &Map<String, Value>) -> Vec<String> {
    let mut broken = Vec::new();
    for (name, definition) in types {
        if definition["title"] != **name || name.ends_with(|c: char| c.is_ascii_digit()) {
            broken.push(name.clone());
        }
        let variants = definition["oneOf"].as_array().into_iter().flatten();
        for title in std::iter::once(definition).chain(variants).map(|schema| &schema["title"]) {
            broken.extend(title.as_str().filter(|title| title.len() > 40).map(str::to_owned));
        }
    }
    broken
}

fn admits_null(field: &Value) -> bool {
    let options = field["anyOf"].as_array().into_iter().flatten();
    let kinds = field["type"].as_array().into_iter().flatten();
    kinds.chain(options.map(|option| &option["type"])).any(|kind| kind == "null")
}

/// Returns true if a name begins with a word: `is` in `isDirty`, not in `issue`.
fn begins_with(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

fn is_camel_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn is_method(name: &str) -> bool {
    let (subject, verb) = name.split_once('/').unwrap_or((name, name));
    match name {
        // Those of LSP and MCP.
        "initialize" | "ping" | "shutdown" | "exit" | "$/cancelRequest" => true,
        _ => subject != name && is_camel_case(subject) && is_camel_case(verb),
    }
}

fn is_event(name: &str) -> bool {
    name.split_once('.')
        .is_some_and(|(subject, change)| is_camel_case(subject) && is_camel_case(change))
}
