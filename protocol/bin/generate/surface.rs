//! The protocol's stable surface, and the version step that a change requires.
//!
//! A minor version only adds: methods, optional params, fields sent by the engine, variants and values of open lists. All other changes
//! require a major version. A value's direction matters: a client may be asked for no more than before, and the engine may send no less.

use crate::schema::references;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The version step that a change requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Minor,
    Major,
}

/// A difference and its location.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) step: Step,
    pub(crate) text: String,
}

/// The side that makes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Maker {
    Client,
    Engine,
}

/// Returns the part of the schema that a version promises, without descriptions.
pub(crate) fn surface(schema: &Value) -> Value {
    let all = schema["methods"].as_object().cloned().unwrap_or_default();
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let mut used = BTreeSet::from(["ErrorData".to_owned()]);
    let mut methods = Map::new();
    for (name, method) in all {
        if method.get("experimental").is_none() {
            references(&method, &definitions, &mut used);
            methods.insert(name, bare(&method));
        }
    }
    let types = definitions.iter().filter(|(name, _)| used.contains(*name));
    let types: Map<String, Value> =
        types.map(|(name, shape)| (name.clone(), bare(shape))).collect();
    let mut errors = Map::new();
    for row in schema["errors"].as_array().into_iter().flatten() {
        let narrower = row.get("narrower").and_then(Value::as_array).into_iter().flatten();
        for named in std::iter::once(row).chain(narrower) {
            let name = named["name"].as_str().unwrap_or_default();
            errors.insert(name.to_owned(), row["code"].clone());
        }
    }
    json!({ "version": schema.pointer("/protocol/version"), "methods": methods, "errors": errors, "$defs": types })
}

/// A schema without words and marks.
fn bare(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let mut out = Map::new();
            for (key, value) in members {
                match (key.as_str(), value) {
                    // A member may be named like a keyword.
                    ("properties", Value::Object(fields)) => {
                        let fields: Map<String, Value> = fields
                            .iter()
                            .map(|(name, field)| (name.clone(), bare(field)))
                            .collect();
                        out.insert(key.clone(), Value::Object(fields));
                    }
                    (
                        "description" | "format" | "title" | "default" | "x-experimental"
                        | "x-null",
                        _,
                    ) => {}
                    _ => {
                        out.insert(key.clone(), bare(value));
                    }
                }
            }
            Value::Object(out)
        }
        Value::Array(items) => items.iter().map(bare).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// Describes the changes that the new version number does not allow.
pub(crate) fn refused(old: &Value, new: &Value) -> Vec<String> {
    let (was, is) = (version(old), version(new));
    let allowed = match (was, is) {
        _ if is.0 > was.0 => Some(Step::Major),
        _ if is.0 == was.0 && is.1 > was.1 => Some(Step::Minor),
        _ => None,
    };
    let too_far = changes(old, new).into_iter().filter(|change| Some(change.step) > allowed);
    too_far.map(|change| format!("{:?}: {}", change.step, change.text)).collect()
}

fn version(surface: &Value) -> (u64, u64) {
    let text = surface["version"].as_str().unwrap_or_default();
    let mut parts = text.split('.').map(|part| part.parse().unwrap_or_default());
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// Returns the differences between two surfaces.
pub(crate) fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let mut comparison = Comparison { old, new, seen: BTreeSet::new(), changes: Vec::new() };
    comparison.methods();
    comparison.errors();
    comparison.changes
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    /// The pairs of types that were compared, by direction.
    seen: BTreeSet<(String, String, Maker)>,
    changes: Vec<Change>,
}

impl<'a> Comparison<'a> {
    fn push(&mut self, step: Step, text: String) {
        self.changes.push(Change { step, text });
    }

    fn methods(&mut self) {
        let (old, new) = (&self.old["methods"], &self.new["methods"]);
        for (name, was) in old.as_object().into_iter().flatten() {
            let Some(is) = new.get(name) else {
                self.push(Step::Major, format!("the method {name} is gone"));
                continue;
            };
            if was["sender"] != is["sender"] {
                let step = if is["sender"] == "both" { Step::Minor } else { Step::Major };
                self.push(step, format!("{name} has another sender"));
            }
            for part in ["params", "result"] {
                let place = format!("{name} {part}");
                match (was.get(part), is.get(part)) {
                    (Some(was_part), Some(is_part)) => {
                        for from in makers(was, part) {
                            self.shape(&place, was_part, is_part, from);
                        }
                    }
                    (None, None) => {}
                    _ => self.push(
                        Step::Major,
                        format!("{place}: a request became a notification, or the reverse"),
                    ),
                }
            }
        }
        for name in added(old, new) {
            self.push(Step::Minor, format!("the method {name} is new"));
        }
    }

    fn errors(&mut self) {
        let (old, new) = (&self.old["errors"], &self.new["errors"]);
        for (name, was) in old.as_object().into_iter().flatten() {
            if new.get(name) != Some(was) {
                self.push(Step::Major, format!("the error {name} is gone or has another code"));
            }
        }
        for name in added(old, new) {
            self.push(Step::Minor, format!("the error {name} is new"));
        }
    }

    fn shape(&mut self, place: &str, was: &'a Value, is: &'a Value, from: Maker) {
        if let (Some(was), Some(is)) = (reference(was), reference(is))
            && !self.seen.insert((was.to_owned(), is.to_owned(), from))
        {
            return;
        }
        let (was, is) = (whole(was, self.old), whole(is, self.new));
        if was.rest != is.rest {
            self.push(
                Step::Major,
                format!("{place}: {} became {}", was.rest_text(), is.rest_text()),
            );
            return;
        }
        self.fields(place, &was, &is, from);
        match (was.items, is.items) {
            (Some(was), Some(is)) => self.shape(&format!("{place}[]"), was, is, from),
            (None, None) => {}
            _ => {
                self.push(Step::Major, format!("{place}: its items have a type, or none any more"));
            }
        }
        self.options(place, &was, &is, from);
    }

    fn fields(&mut self, place: &str, was: &Whole<'a>, is: &Whole<'a>, from: Maker) {
        for (name, field) in &was.fields {
            let here = format!("{place}.{name}");
            let Some((_, now)) = is.fields.iter().find(|(known, _)| known == name) else {
                self.push(Step::Major, format!("{here} is gone"));
                continue;
            };
            match (was.required.contains(name.as_str()), is.required.contains(name.as_str()), from)
            {
                (false, true, Maker::Client) => {
                    self.push(Step::Major, format!("{here} is required now"));
                }
                (true, false, Maker::Engine) => {
                    self.push(Step::Major, format!("{here} may be absent now"));
                }
                (false, true, Maker::Engine) => {
                    self.push(Step::Minor, format!("{here} is always there now"));
                }
                (true, false, Maker::Client) => {
                    self.push(Step::Minor, format!("{here} may be left out now"));
                }
                (true, true, _) | (false, false, _) => {}
            }
            self.shape(&here, field, now, from);
        }
        for (name, _) in &is.fields {
            if was.fields.iter().any(|(known, _)| known == name) {
                continue;
            }
            let is_demanded = from == Maker::Client && is.required.contains(name.as_str());
            let step = if is_demanded { Step::Major } else { Step::Minor };
            let what = if is_demanded { "new and required" } else { "new" };
            self.push(step, format!("{place}.{name} is {what}"));
        }
    }

    fn options(&mut self, place: &str, was: &Whole<'a>, is: &Whole<'a>, from: Maker) {
        for (key, option) in &was.options {
            match is.options.iter().find(|(known, _)| known == key) {
                Some((_, now)) => self.shape(&format!("{place}<{key}>"), option, now, from),
                None => self.push(Step::Major, format!("{place}: {key} is gone")),
            }
        }
        for (key, _) in &is.options {
            if was.options.iter().any(|(known, _)| known == key) {
                continue;
            }
            // Readers skip variants and values that they do not know; another type is something else.
            let is_skipped = !was.options.is_empty() && key != "null";
            let step = if is_skipped || from == Maker::Client { Step::Minor } else { Step::Major };
            self.push(step, format!("{place}: {key} is new"));
        }
    }
}

/// The sides that make a part of a method.
fn makers(method: &Value, part: &str) -> Vec<Maker> {
    let (asker, answerer) = match method["sender"].as_str() {
        Some("both") => return vec![Maker::Client, Maker::Engine],
        Some("engine") => (Maker::Engine, Maker::Client),
        _ => (Maker::Client, Maker::Engine),
    };
    vec![if part == "params" { asker } else { answerer }]
}

fn added<'a>(old: &'a Value, new: &'a Value) -> impl Iterator<Item = &'a String> {
    let names = new.as_object().into_iter().flatten();
    names.filter(move |(name, _)| old.get(name.as_str()).is_none()).map(|(name, _)| name)
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

/// A schema together with the type that it refers to.
#[derive(Default)]
struct Whole<'a> {
    fields: Vec<(&'a String, &'a Value)>,
    required: BTreeSet<&'a str>,
    items: Option<&'a Value>,
    /// Alternatives, by the tag or name that distinguishes them.
    options: Vec<(String, &'a Value)>,
    /// All other keywords.
    rest: BTreeSet<(&'a str, String)>,
}

impl Whole<'_> {
    fn rest_text(&self) -> String {
        let each: Vec<String> =
            self.rest.iter().map(|(key, value)| format!("{key} {value}")).collect();
        if each.is_empty() { "any value".to_owned() } else { each.join(", ") }
    }
}

fn whole<'a>(schema: &'a Value, surface: &'a Value) -> Whole<'a> {
    let mut out = Whole::default();
    gather(schema, surface, &mut out);
    out
}

fn gather<'a>(schema: &'a Value, surface: &'a Value, out: &mut Whole<'a>) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        match key.as_str() {
            "$ref" => {
                let name = value.as_str().and_then(crate::schema::named).unwrap_or_default();
                if let Some(kind) = surface["$defs"].get(name) {
                    gather(kind, surface, out);
                }
            }
            "properties" => out.fields.extend(value.as_object().into_iter().flatten()),
            "required" => {
                out.required
                    .extend(value.as_array().into_iter().flatten().filter_map(Value::as_str));
            }
            "items" => out.items = Some(value),
            "oneOf" | "anyOf" => {
                let options = value.as_array().into_iter().flatten();
                out.options.extend(options.map(|option| (tag(option), option)));
            }
            "minimum" => {}
            _ => {
                out.rest.insert((key, value.to_string()));
            }
        }
    }
}

/// Returns what distinguishes an alternative: its value, its tag, or its type's name.
fn tag(option: &Value) -> String {
    if let Some(value) = option.get("const") {
        return value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    }
    let fields = option["properties"].as_object().into_iter().flatten();
    let mut tags = fields.filter_map(|(_, field)| field.get("const").and_then(Value::as_str));
    if let Some(tag) = tags.next() {
        return tag.to_owned();
    }
    let kind = option.get("type").and_then(Value::as_str);
    reference(option).and_then(crate::schema::named).or(kind).unwrap_or("anything").to_owned()
}

#[cfg(test)]
mod tests;
