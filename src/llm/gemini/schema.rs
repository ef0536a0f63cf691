//! Converts JSON Schema to the part of OpenAPI that Gemini accepts as a tool's parameters.
//!
//! Keywords without a counterpart are dropped rather than refused, since the tool checks its arguments itself; if words help the model they
//! move into the description. References are expanded up to [`MAX_DEPTH`].

use serde_json::{Map, Value, json};

/// The maximum depth of a schema; deeper parts, such as those of a recursive one, become a plain object.
const MAX_DEPTH: usize = 12;

/// Keywords that mean the same on both sides.
const SAME: [&str; 7] =
    ["title", "description", "nullable", "pattern", "minimum", "maximum", "propertyOrdering"];

/// Keywords that mean the same on both sides, and whose values are whole numbers.
const COUNTS: [&str; 6] =
    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// Types, with the formats accepted for each; others are refused.
const TYPES: [(&str, &[&str]); 6] = [
    ("string", &["enum", "date-time"]),
    ("number", &["float", "double"]),
    ("integer", &["int32", "int64"]),
    ("boolean", &[]),
    ("array", &[]),
    ("object", &[]),
];

/// Returns a tool's parameters; `None` if it has none, since an object without properties is refused.
pub(super) fn convert(schema: &Value) -> Option<Value> {
    let converted = Converter { root: schema }.schema(schema, MAX_DEPTH);
    let has_properties = converted.get("properties").is_some();
    has_properties.then_some(converted)
}

struct Converter<'a> {
    root: &'a Value,
}

impl Converter<'_> {
    fn schema(&self, schema: &Value, depth: usize) -> Value {
        let Some(depth) = depth.checked_sub(1) else { return json!({ "type": "OBJECT" }) };
        let Some(fields) = schema.as_object() else {
            // `true` and `{}` allow anything; every model can write a text.
            return json!({ "type": "STRING" });
        };
        if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
            let target = target.strip_prefix('#').and_then(|path| self.root.pointer(path));
            let mut whole = target.and_then(Value::as_object).cloned().unwrap_or_default();
            whole.extend(fields.iter().filter(|(key, _)| *key != "$ref").map(owned));
            return self.schema(&Value::Object(whole), depth);
        }
        if let Some(Value::Array(all)) = fields.get("allOf") {
            let mut whole = fields.clone();
            whole.shift_remove("allOf");
            for one in all {
                merge(&mut whole, &self.resolved(one));
            }
            return self.schema(&Value::Object(whole), depth);
        }
        let mut out = Map::new();
        for key in SAME {
            out.extend(fields.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        for key in COUNTS {
            out.extend(fields.get(key).and_then(whole).map(|count| (key.to_owned(), count)));
        }
        self.kind(fields, depth, &mut out);
        Value::Object(alone(out))
    }

    fn resolved(&self, schema: &Value) -> Map<String, Value> {
        let target =
            schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
        let target = target.and_then(|path| self.root.pointer(path)).unwrap_or(schema);
        target.as_object().cloned().unwrap_or_default()
    }

    /// Type, alternatives, values and parts.
    fn kind(&self, fields: &Map<String, Value>, depth: usize, out: &mut Map<String, Value>) {
        let mut types: Vec<&str> = match fields.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut is_nullable = types.contains(&"null");
        types.retain(|name| *name != "null");
        if let Some(Value::Array(any)) = fields.get("anyOf").or(fields.get("oneOf")) {
            let is_null = |one: &&Value| one.get("type").and_then(Value::as_str) == Some("null");
            is_nullable |= any.iter().any(|one| is_null(&one));
            let mut rest: Vec<Value> =
                any.iter().filter(|one| !is_null(one)).map(|one| self.schema(one, depth)).collect();
            match rest.len() {
                0 => {}
                1 => {
                    if let Some(Value::Object(one)) = rest.pop() {
                        for (key, value) in one {
                            out.entry(key).or_insert(value);
                        }
                    }
                }
                _ => {
                    out.insert("anyOf".to_owned(), Value::Array(rest));
                }
            }
        }
        if is_nullable {
            out.insert("nullable".to_owned(), Value::Bool(true));
        }
        if types.len() > 1 {
            let any = types.iter().map(|name| {
                let mut one = fields.clone();
                one.insert("type".to_owned(), Value::from(*name));
                one.shift_remove("description");
                self.schema(&Value::Object(one), depth)
            });
            out.insert("anyOf".to_owned(), any.collect());
            return;
        }
        let values = values(fields);
        let guess = match &values {
            _ if fields.contains_key("properties") => "object",
            _ if fields.contains_key("items") => "array",
            Some(values) if values.iter().all(Value::is_i64) => "integer",
            Some(values) if values.iter().all(Value::is_number) => "number",
            Some(values) if values.iter().all(Value::is_boolean) => "boolean",
            _ => "string",
        };
        if out.contains_key("anyOf") || out.contains_key("type") {
            return;
        }
        let given = types.first().copied().unwrap_or(guess);
        let known = TYPES.iter().find(|(name, _)| *name == given);
        let (kind, formats) = known.copied().unwrap_or(("string", &[]));
        out.insert("type".to_owned(), Value::from(kind.to_ascii_uppercase()));
        let format = fields.get("format").and_then(Value::as_str);
        if let Some(format) = format.filter(|format| formats.contains(format)) {
            out.insert("format".to_owned(), Value::from(format));
        }
        if let Some(values) = values {
            enumerate(kind, &values, out);
        }
        match kind {
            "object" => self.properties(fields, depth, out),
            "array" => {
                let tuple = fields
                    .get("prefixItems")
                    .or(fields.get("items").filter(|items| items.is_array()));
                let items = match tuple.and_then(Value::as_array) {
                    Some(items) if !items.is_empty() => {
                        self.schema(&json!({ "anyOf": items }), depth)
                    }
                    Some(_) | None => {
                        self.schema(fields.get("items").unwrap_or(&Value::Null), depth)
                    }
                };
                out.insert("items".to_owned(), items);
            }
            _ => {}
        }
    }

    fn properties(&self, fields: &Map<String, Value>, depth: usize, out: &mut Map<String, Value>) {
        let Some(Value::Object(properties)) = fields.get("properties") else { return };
        if properties.is_empty() {
            return;
        }
        let converted: Map<String, Value> =
            properties.iter().map(|(name, one)| (name.clone(), self.schema(one, depth))).collect();
        out.insert("properties".to_owned(), Value::Object(converted));
        let required =
            fields.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let required: Vec<Value> = required
            .into_iter()
            .filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name)))
            .collect();
        if !required.is_empty() {
            out.insert("required".to_owned(), Value::Array(required));
        }
    }
}

fn owned((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

/// Returns a count as a whole number.
fn whole(count: &Value) -> Option<Value> {
    let text = count.to_string();
    let digits = text.strip_suffix(".0").unwrap_or(&text);
    digits.parse().ok().map(|count: u64| Value::from(count))
}

/// Makes alternatives the only field, as Vertex requires: shared fields move into each alternative, and nested alternatives are flattened.
fn alone(mut fields: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(any)) = fields.shift_remove("anyOf") else { return fields };
    let shared = ["description", "nullable"].map(|key| fields.shift_remove_entry(key));
    let mut all = Vec::new();
    for mut one in any {
        match one.get_mut("anyOf").map(Value::take) {
            Some(Value::Array(inner)) => all.extend(inner),
            Some(_) | None => all.push(one),
        }
    }
    for one in all.iter_mut().filter_map(Value::as_object_mut) {
        for (key, value) in shared.iter().flatten() {
            one.entry(key).or_insert_with(|| value.clone());
        }
    }
    Map::from_iter([("anyOf".to_owned(), Value::Array(all))])
}

/// Returns the values of `enum` or `const`, without null.
fn values(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let values = match (fields.get("enum"), fields.get("const")) {
        (Some(Value::Array(values)), _) => values.clone(),
        (_, Some(value)) => vec![value.clone()],
        (_, None) => return None,
    };
    let values: Vec<Value> = values.into_iter().filter(|value| !value.is_null()).collect();
    (!values.is_empty()).then_some(values)
}

/// Lists the values if they are texts; other values go into the description.
fn enumerate(kind: &str, values: &[Value], out: &mut Map<String, Value>) {
    if kind == "string" && values.iter().all(Value::is_string) {
        let values: Vec<Value> =
            values.iter().filter(|value| value.as_str() != Some("")).cloned().collect();
        if !values.is_empty() {
            out.insert("enum".to_owned(), Value::Array(values));
        }
        return;
    }
    let list: Vec<String> = values.iter().map(Value::to_string).collect();
    let words = format!("One of: {}.", list.join(", "));
    let text = match out.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {words}"),
        None => words,
    };
    out.insert("description".to_owned(), Value::from(text));
}

/// Adds another schema's requirements.
fn merge(whole: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (key, value) in more {
        match (whole.get_mut(key), value) {
            (Some(Value::Object(mine)), Value::Object(theirs)) => {
                mine.extend(theirs.iter().map(owned));
            }
            (Some(Value::Array(mine)), Value::Array(theirs)) if key == "required" => {
                mine.extend(theirs.iter().cloned());
            }
            (Some(_), _) => {}
            (None, value) => {
                whole.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_construct_becomes_one_that_is_taken() {
        for (given, want) in [
            (
                json!({ "type": "string", "format": "uri", "default": "x" }),
                json!({ "type": "STRING" }),
            ),
            (
                json!({ "type": ["integer", "null"], "description": "d", "exclusiveMinimum": 0 }),
                json!({ "description": "d", "nullable": true, "type": "INTEGER" }),
            ),
            (
                json!({ "type": ["string", "integer"], "description": "d" }),
                json!({ "anyOf": [
                    { "type": "STRING", "description": "d" }, { "type": "INTEGER", "description": "d" }
                ] }),
            ),
            (
                json!({
                    "description": "d",
                    "anyOf": [
                        { "type": "null" },
                        { "type": "boolean", "description": "flag" },
                        { "oneOf": [{ "type": "integer" }, { "type": "string" }] }
                    ]
                }),
                json!({ "anyOf": [
                    { "description": "flag", "type": "BOOLEAN", "nullable": true },
                    { "type": "INTEGER", "description": "d", "nullable": true },
                    { "type": "STRING", "description": "d", "nullable": true }
                ] }),
            ),
            (json!({ "enum": [""] }), json!({ "type": "STRING" })),
            (
                json!({ "type": "array", "prefixItems": [], "minItems": 1.0, "maxItems": 1.5 }),
                json!({ "minItems": 1, "type": "ARRAY", "items": { "type": "STRING" } }),
            ),
            (json!({ "type": "number", "format": "int32" }), json!({ "type": "NUMBER" })),
            (
                json!({ "type": "integer", "format": "int32" }),
                json!({ "type": "INTEGER", "format": "int32" }),
            ),
            (json!({ "type": "file" }), json!({ "type": "STRING" })),
            (json!({ "const": "a" }), json!({ "type": "STRING", "enum": ["a"] })),
            (
                json!({ "enum": [1, 2], "description": "how" }),
                json!({ "description": "how One of: 1, 2.", "type": "INTEGER" }),
            ),
            (json!({ "type": "array" }), json!({ "type": "ARRAY", "items": { "type": "STRING" } })),
            (
                json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "number" }] }),
                json!({
                    "type": "ARRAY",
                    "items": { "anyOf": [{ "type": "STRING" }, { "type": "NUMBER" }] }
                }),
            ),
            (json!({ "$ref": "#/$defs/size" }), json!({ "minimum": 1, "type": "INTEGER" })),
            (
                json!({ "anyOf": [{ "$ref": "#/$defs/size" }, { "type": "null" }] }),
                json!({ "nullable": true, "minimum": 1, "type": "INTEGER" }),
            ),
            (
                json!({ "oneOf": [{ "type": "boolean" }, { "type": "object", "properties": {} }] }),
                json!({ "anyOf": [{ "type": "BOOLEAN" }, { "type": "OBJECT" }] }),
            ),
            (
                json!({
                    "allOf": [{ "properties": { "a": true }, "required": ["a", "gone"] }],
                    "additionalProperties": false
                }),
                json!({
                    "type": "OBJECT", "properties": { "a": { "type": "STRING" } }, "required": ["a"]
                }),
            ),
        ] {
            let tool = json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": { "x": given },
                "$defs": { "size": { "type": "integer", "minimum": 1 } }
            });
            let got = convert(&tool).unwrap();
            assert_eq!(got, json!({ "type": "OBJECT", "properties": { "x": want } }), "{given}");
        }
        assert_eq!(convert(&json!({ "type": "object", "properties": {} })), None);
        assert_eq!(convert(&json!(true)), None);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let node = json!({
            "type": "object",
            "properties": { "next": { "$ref": "#" }, "name": { "type": "string" } }
        });
        let text = convert(&node).unwrap().to_string();
        assert!(!text.contains("$ref") && text.len() < 2_000, "{text}");
    }
}
