//! The schema read back as a small model of types, from which every other file is written.

use pintle_protocol::methods::Sender;
use serde_json::{Map, Value};

/// All there is to write about.
pub(crate) struct Model {
    pub(crate) version: String,
    pub(crate) types: Vec<Type>,
    pub(crate) methods: Vec<Method>,
    pub(crate) errors: Vec<(i64, String, String)>,
    /// Names that are more specific than their code's, with the code and the meaning.
    pub(crate) narrower: Vec<(i64, String, String)>,
}

/// A named type.
pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) is_experimental: bool,
    pub(crate) shape: Shape,
}

/// A method.
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) sender: Sender,
    /// The reason why any version may change it.
    pub(crate) experimental: Option<String>,
    pub(crate) params: Shape,
    pub(crate) result: Option<Shape>,
}

impl Type {
    /// Returns its doc, marked if it is experimental.
    pub(crate) fn text(&self) -> String {
        if self.is_experimental {
            format!("{} (Experimental.)", self.doc)
        } else {
            self.doc.clone()
        }
    }
}

impl Method {
    /// Returns its doc; if it is experimental, marked with the reason.
    pub(crate) fn text(&self) -> String {
        match &self.experimental {
            Some(reason) => format!("{} (Experimental: {reason}.)", self.doc),
            None => self.doc.clone(),
        }
    }

    pub(crate) fn is_sent_by(&self, sender: Sender) -> bool {
        self.sender == sender || self.sender == Sender::Both
    }
}

/// A value's shape.
pub(crate) enum Shape {
    Any,
    Text,
    /// A whole number.
    Number,
    /// A number that may have a fraction.
    Fraction,
    Truth,
    Null,
    /// Exactly this text.
    Literal(String),
    Named(String),
    List(Box<Shape>),
    Object(Vec<Field>),
    /// An object whose members have any names and this type.
    Map(Box<Shape>),
    /// All of these at once.
    All(Vec<Shape>),
    /// One of these, each with its purpose.
    OneOf(Vec<(Shape, String)>),
}

/// A field of an object.
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) is_optional: bool,
    /// An absent field's value, as JSON, if it is worth stating.
    pub(crate) default: Option<String>,
    pub(crate) shape: Shape,
}

impl Model {
    pub(crate) fn new(document: &Value) -> Self {
        let object = |key: &str| document.get(key).and_then(Value::as_object);
        let types = object("$defs").into_iter().flatten().map(|(name, schema)| Type {
            name: name.clone(),
            doc: doc(schema),
            is_experimental: schema.get("x-experimental").is_some(),
            shape: shape(schema),
        });
        let methods = object("methods").into_iter().flatten().map(|(name, method)| Method {
            name: name.clone(),
            doc: doc(method),
            sender: match method.get("sender").and_then(Value::as_str) {
                Some("engine") => Sender::Engine,
                Some("both") => Sender::Both,
                _ => Sender::Client,
            },
            experimental: method.get("experimental").and_then(Value::as_str).map(str::to_owned),
            params: method.get("params").map_or(Shape::Any, shape),
            result: method.get("result").map(shape),
        });
        let rows = document.get("errors").and_then(Value::as_array);
        let mut errors = Vec::new();
        let mut narrower = Vec::new();
        for row in rows.into_iter().flatten() {
            let code = row.get("code").and_then(Value::as_i64).unwrap_or_default();
            errors.extend(named_error(code, row));
            let more = row.get("narrower").and_then(Value::as_array).into_iter().flatten();
            narrower.extend(more.filter_map(|row| named_error(code, row)));
        }
        let version = document.pointer("/protocol/version").and_then(Value::as_str);
        Self {
            version: version.unwrap_or_default().to_owned(),
            types: types.collect(),
            methods: methods.collect(),
            errors,
            narrower,
        }
    }
}

fn named_error(code: i64, row: &Value) -> Option<(i64, String, String)> {
    let text = |key: &str| Some(row.get(key)?.as_str()?.to_owned());
    Some((code, text("name")?, text("description")?))
}

fn doc(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shape(schema: &Value) -> Shape {
    let Some(map) = schema.as_object() else { return Shape::Any };
    let mut parts = Vec::new();
    if let Some(name) = map.get("$ref").and_then(Value::as_str) {
        parts.push(Shape::Named(name.rsplit('/').next().unwrap_or(name).to_owned()));
    }
    match map.get("additionalProperties") {
        Some(Value::Object(_)) if !map.contains_key("properties") => {
            parts.push(Shape::Map(Box::new(shape(&map["additionalProperties"]))));
        }
        _ => parts.extend(fields(map).map(Shape::Object)),
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(options) = map.get(key).and_then(Value::as_array) {
            parts.push(one_of(options));
        }
    }
    if let Some(all) = map.get("allOf").and_then(Value::as_array) {
        parts.extend(all.iter().map(shape));
    }
    if parts.is_empty() {
        return plain(map);
    }
    let first = parts.remove(0);
    if parts.is_empty() {
        return first;
    }
    parts.insert(0, first);
    Shape::All(parts)
}

fn one_of(options: &[Value]) -> Shape {
    // An optional field is `anyOf [T, null]`; absence means the same, so null is left out unless `x-null` describes its effect.
    let mut options: Vec<_> = options
        .iter()
        .filter(|option| option.get("type").is_none_or(|kind| kind != "null"))
        .map(|option| (shape(option), doc(option)))
        .collect();
    match (options.pop(), options.is_empty()) {
        (Some((only, _)), true) => only,
        (Some(last), false) => {
            options.push(last);
            Shape::OneOf(options)
        }
        (None, _) => Shape::Any,
    }
}

fn fields(map: &Map<String, Value>) -> Option<Vec<Field>> {
    if map.get("type").and_then(Value::as_str) != Some("object") {
        return None;
    }
    let required = map.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
    let properties = map.get("properties").and_then(Value::as_object);
    let field = |(name, schema): (&String, &Value)| Field {
        name: name.clone(),
        doc: doc(schema),
        is_optional: !is_required(name),
        default: schema.get("default").and_then(plain_default),
        shape: match schema.get("x-null") {
            Some(_) => {
                Shape::OneOf(vec![(shape(schema), String::new()), (Shape::Null, String::new())])
            }
            None => shape(schema),
        },
    };
    Some(properties.into_iter().flatten().map(field).collect())
}

/// Returns a default that a reader cannot guess: absent objects, lists and texts are empty anyway.
fn plain_default(value: &Value) -> Option<String> {
    let is_plain = value.is_boolean() || value.is_number() || value.as_str() != Some("");
    let is_nested = value.is_object() || value.is_array() || value.is_null();
    (is_plain && !is_nested).then(|| value.to_string())
}

fn plain(map: &Map<String, Value>) -> Shape {
    if let Some(literal) = map.get("const").and_then(Value::as_str) {
        return Shape::Literal(literal.to_owned());
    }
    if let Some(options) = map.get("enum").and_then(Value::as_array) {
        let literal = |option: &Value| {
            (Shape::Literal(option.as_str().unwrap_or_default().to_owned()), String::new())
        };
        return Shape::OneOf(options.iter().map(literal).collect());
    }
    let kind = match map.get("type") {
        Some(Value::String(kind)) => Some(kind.as_str()),
        // An optional plain field is `["T", "null"]`.
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|k| *k != "null"),
        _ => None,
    };
    match kind {
        Some("string") => Shape::Text,
        Some("integer") => Shape::Number,
        Some("number") => Shape::Fraction,
        Some("boolean") => Shape::Truth,
        Some("array") => Shape::List(Box::new(map.get("items").map_or(Shape::Any, shape))),
        _ => Shape::Any,
    }
}
