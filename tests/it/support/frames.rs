//! Every frame of the native protocol that a test sends or receives, held against `protocol/schema.json`.
//!
//! The schema lets readers skip fields that they do not know. Here it is closed, so that neither side sends one: see [`close`].

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::{Registry, Validator};
use pintle_protocol::schema::SCHEMA_JSON;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The most characters of a frame that a failure shows.
const MAX_SHOWN: usize = 2000;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(SCHEMA_JSON).unwrap();
    let defs = schema["$defs"].clone();
    let mut closed = schema;
    for kind in closed["$defs"].as_object_mut().unwrap().values_mut() {
        close(kind, &defs, Place::Within);
    }
    for method in closed["methods"].as_object_mut().unwrap().values_mut() {
        for part in ["params", "result"] {
            if let Some(shape) = method.get_mut(part) {
                close(shape, &defs, Place::Whole);
            }
        }
    }
    closed["errorData"] = json!({"$ref": "#/$defs/ErrorData", "unevaluatedProperties": false});
    closed
});

/// The name of the closed schema for references.
const NAME: &str = "https://pintle.invalid/schema.json";

/// Prepared once: a validator of a part only refers to it.
static REGISTRY: LazyLock<Registry<'static>> =
    LazyLock::new(|| Registry::new().add(NAME, &*SCHEMA).unwrap().prepare().unwrap());

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// A schema's place: whether it alone describes a value, or other schemas describe the same value too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Whole,
    Within,
}

/// Forbids members that a schema does not name, in it and in all values below it.
fn close(schema: &mut Value, defs: &Value, place: Place) {
    let is_open = allows_anything(schema, defs);
    let Some(map) = schema.as_object_mut() else { return };
    for (key, below) in &mut *map {
        match (key.as_str(), below) {
            ("properties", Value::Object(members)) => {
                members.values_mut().for_each(|member| close(member, defs, Place::Whole));
            }
            ("items" | "additionalProperties", below) => close(below, defs, Place::Whole),
            ("oneOf" | "anyOf" | "allOf", Value::Array(options)) => {
                for option in options {
                    close(option, defs, Place::Within);
                }
            }
            _ => {}
        }
    }
    if place == Place::Whole && !is_open {
        map.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
    }
}

/// Returns true for a schema of any JSON value, also as one of several.
fn allows_anything(schema: &Value, defs: &Value) -> bool {
    let Some(map) = schema.as_object() else { return schema == &Value::Bool(true) };
    if let Some(name) = map.get("$ref").and_then(Value::as_str) {
        return allows_anything(&defs[name.trim_start_matches("#/$defs/")], defs);
    }
    let any = |key: &str| map.get(key).and_then(Value::as_array);
    match any("oneOf").or(any("anyOf")) {
        Some(options) => options.iter().any(|option| allows_anything(option, defs)),
        None => !["type", "const", "enum"].iter().any(|key| map.contains_key(*key)),
    }
}

/// Returns the problems of a value by a part of the closed schema; `pointer` names that part.
fn problems(pointer: &str, value: &Value) -> Vec<String> {
    let validator = {
        let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = validators.entry(pointer.to_owned()).or_insert_with(|| {
            let shape = json!({"$ref": format!("{NAME}#{pointer}")});
            let options = jsonschema::draft202012::options().with_registry(&REGISTRY);
            Arc::new(options.build(&shape).unwrap())
        });
        Arc::clone(known)
    };
    if validator.is_valid(value) {
        return Vec::new();
    }
    specific(validator.iter_errors(value).flat_map(|error| reasons(&error)).collect())
}

/// Without the members that are unknown only because of an error beside or below them.
fn specific(reasons: Vec<String>) -> Vec<String> {
    let is_vague = |reason: &&String| reason.contains("Unevaluated properties");
    let depth = |reason: &str| reason.split(": ").next().unwrap_or_default().matches('/').count();
    if reasons.iter().any(|reason| !is_vague(&reason)) {
        return reasons.into_iter().filter(|reason| !is_vague(&reason)).collect();
    }
    let deepest = reasons.iter().map(|reason| depth(reason)).max();
    reasons.into_iter().filter(|reason| Some(depth(reason)) == deepest).collect()
}

/// An error in words; of alternatives those of the one that fits best.
fn reasons(error: &ValidationError<'_>) -> Vec<String> {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            let each = context.iter().map(|errors| errors.iter().flat_map(reasons).collect());
            // A variant whose tag is another one is not what was meant.
            let is_other = |words: &Vec<String>| words.iter().any(|word| word.contains("/type: "));
            each.min_by_key(|words: &Vec<String>| (is_other(words), words.len()))
                .unwrap_or_default()
        }
        _ => vec![format!("{}: {error}", error.instance_path()).chars().take(400).collect()],
    }
}

/// One connection's frames, in both directions.
#[derive(Default)]
pub(crate) struct Frames {
    /// The methods of the client's requests, by id.
    asked: BTreeMap<String, String>,
    /// The methods of the engine's requests, by id.
    asked_by_engine: BTreeMap<String, String>,
}

impl Frames {
    /// Checks a frame of the client.
    pub(crate) fn sent(&mut self, frame: &Value) {
        self.note(frame);
        fail_if_any("sent", self.problems(frame, "client"), frame);
    }

    /// Takes note of bytes of the client, which may be anything, also several frames: the answers to them are checked.
    pub(crate) fn sent_bytes(&mut self, bytes: &[u8]) {
        let frames = serde_json::Deserializer::from_slice(bytes).into_iter();
        frames.map_while(Result::ok).for_each(|frame: Value| self.note(&frame));
    }

    fn note(&mut self, frame: &Value) {
        if let (Some(id), Some(method)) = (frame.get("id"), frame["method"].as_str()) {
            self.asked.insert(id.to_string(), method.to_owned());
        }
    }

    /// Checks a frame of the engine.
    pub(crate) fn received(&mut self, frame: &Value) {
        if let (Some(id), Some(method)) = (frame.get("id"), frame["method"].as_str()) {
            self.asked_by_engine.insert(id.to_string(), method.to_owned());
        }
        fail_if_any("received", self.problems(frame, "engine"), frame);
    }

    fn problems(&self, frame: &Value, sender: &str) -> Vec<String> {
        let Some(members) = frame.as_object() else { return vec!["it is no object".to_owned()] };
        if let Some(method) = members.get("method") {
            return request(members, method.as_str().unwrap_or_default(), sender);
        }
        let asked = if sender == "engine" { &self.asked } else { &self.asked_by_engine };
        let method = asked.get(&members.get("id").unwrap_or(&Value::Null).to_string());
        response(members, method.map(String::as_str))
    }
}

/// The problems of a request or a notification.
fn request(members: &Map<String, Value>, method: &str, sender: &str) -> Vec<String> {
    let mut problems = unknown(members, &["jsonrpc", "id", "method", "params"]);
    let row = &SCHEMA["methods"][method];
    if row.is_null() {
        problems.push(format!("the schema has no method {method}"));
        return problems;
    }
    if row["sender"] != sender && row["sender"] != "both" {
        problems.push(format!("by the schema {method} is sent by the {}", row["sender"]));
    }
    if row["result"].is_null() == members.contains_key("id") {
        problems.push(format!("{method} has an id and no result, or a result and no id"));
    }
    let pointer = format!("/methods/{}/params", method.replace('~', "~0").replace('/', "~1"));
    problems.extend(self::problems(&pointer, members.get("params").unwrap_or(&json!({}))));
    problems
}

/// The problems of a response to a request of this method.
fn response(members: &Map<String, Value>, method: Option<&str>) -> Vec<String> {
    let mut problems = unknown(members, &["jsonrpc", "id", "result", "error"]);
    match (members.get("result"), members.get("error")) {
        (Some(result), None) => match method {
            None => problems.push("it responds to nothing".to_owned()),
            Some(method) if SCHEMA["methods"][method]["result"].is_null() => {
                problems.push(format!("the schema has no result of {method}"));
            }
            Some(method) => {
                let pointer =
                    format!("/methods/{}/result", method.replace('~', "~0").replace('/', "~1"));
                problems.extend(self::problems(&pointer, result));
            }
        },
        (None, Some(error)) => problems.extend(error_object(error)),
        _ => problems.push("it has both a result and an error, or neither".to_owned()),
    }
    problems
}

/// The problems of an error object.
fn error_object(error: &Value) -> Vec<String> {
    let Some(members) = error.as_object() else { return vec!["the error is no object".to_owned()] };
    let mut problems = unknown(members, &["code", "message", "data"]);
    let row = SCHEMA["errors"].as_array().unwrap().iter().find(|row| row["code"] == error["code"]);
    match row {
        None => problems.push(format!("the schema has no error {}", error["code"])),
        // A client's error needs no data.
        Some(row) if members.contains_key("data") => {
            let narrower = row["narrower"].as_array().into_iter().flatten();
            let mut names = std::iter::once(row).chain(narrower).map(|named| &named["name"]);
            if !names.any(|name| *name == error["data"]["code"]) {
                problems.push(format!("{} is no name of {}", error["data"]["code"], error["code"]));
            }
        }
        Some(_) => {}
    }
    if !error["message"].is_string() {
        problems.push("the error has no message".to_owned());
    }
    if let Some(data) = members.get("data") {
        problems.extend(self::problems("/errorData", data));
    }
    problems
}

fn unknown(members: &Map<String, Value>, known: &[&str]) -> Vec<String> {
    let unknown = members.keys().filter(|key| !known.contains(&key.as_str()));
    unknown.map(|key| format!("nobody knows the member {key}")).collect()
}

/// Checks all that a client said and heard in a run, one frame a line.
pub(crate) fn check_logs(sent: &str, received: &str) {
    let parse = |text: &str| -> Vec<Value> {
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    let (sent, received) = (parse(sent), parse(received));
    assert!(!sent.is_empty() && !received.is_empty(), "nothing was said");
    let mut frames = Frames::default();
    for frame in &sent {
        frames.note(frame);
    }
    for frame in &received {
        frames.received(frame);
    }
    for frame in &sent {
        frames.sent(frame);
    }
}

fn fail_if_any(what: &str, problems: Vec<String>, frame: &Value) {
    if !problems.is_empty() && !std::thread::panicking() {
        let shown: String = frame.to_string().chars().take(MAX_SHOWN).collect();
        panic!("{what} what the schema does not allow: {problems:#?}\n{shown}");
    }
}

#[test]
fn what_the_schema_does_not_know_is_found() {
    let ping = json!({"id": 1, "method": "ping", "params": {}});
    let initialize = json!({"id": 1, "method": "initialize", "params": {"protocol": {"name": "pintle", "versions": ["2.0"]}}});
    let event = |event: Value| json!({"method": "session/event", "params": {"sessionId": "s", "seq": 1, "tsMs": 1, "event": event}});
    let rows: Vec<(&str, Value, &str)> = vec![
        ("client", ping.clone(), ""),
        ("client", initialize, ""),
        ("engine", ping, "by the schema ping is sent by the \"client\""),
        ("client", json!({"id": 1, "method": "turn/strat"}), "the schema has no method turn/strat"),
        (
            "client",
            json!({"method": "ping"}),
            "ping has an id and no result, or a result and no id",
        ),
        ("client", json!({"id": 1, "method": "ping", "args": {}}), "nobody knows the member args"),
        (
            "client",
            json!({"id": 1, "method": "ping", "params": {"a": 1}}),
            ": Unevaluated properties are not allowed ('a' was unexpected)",
        ),
        ("client", json!({"id": 1, "method": "job/stop"}), ": \"jobId\" is a required property"),
        (
            "client",
            json!({"id": 1, "method": "turn/start", "params": {"input": [{"type": "text", "text": 1}]}}),
            "/input/0/text: 1 is not of type \"string\"",
        ),
        ("engine", event(json!({"type": "session.closed"})), ""),
        (
            "engine",
            event(json!({"type": "session.closed", "why": 1})),
            "/event: Unevaluated properties are not allowed ('why' was unexpected)",
        ),
        ("engine", json!({"id": 9, "result": {}}), "it responds to nothing"),
        (
            "engine",
            json!({"id": null, "error": {"code": -32700, "message": "x", "data": {"code": "parseError"}}}),
            "",
        ),
        (
            "engine",
            json!({"id": 1, "error": {"code": 7, "message": "x", "data": {"code": "x", "why": 1}}}),
            "the schema has no error 7; : Unevaluated properties are not allowed ('why' was unexpected)",
        ),
        (
            "engine",
            json!({"id": 1, "error": {"code": -32600, "message": "x", "data": {"code": "shutDown"}}}),
            "",
        ),
        (
            "engine",
            json!({"id": 1, "error": {"code": -32600, "message": "x", "data": {"code": "busy"}}}),
            "\"busy\" is no name of -32600",
        ),
        ("engine", json!({"id": 1}), "it has both a result and an error, or neither"),
    ];
    for (sender, frame, want) in rows {
        let found = Frames::default().problems(&frame, sender).join("; ");
        assert_eq!(found, want, "{sender}: {frame}");
    }
}
