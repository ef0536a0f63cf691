//! Call arguments that arrive in pieces, each with its target path: `$.a.b[0]`.
//!
//! Only Vertex sends such pieces, and only on request; other servers send complete arguments.

use serde_json::{Map, Value};

/// The maximum number of elements that one piece may add to a list: an index far beyond its end is an error.
const MAX_GAP: usize = 1_000;

/// The arguments so far.
#[derive(Debug)]
pub(super) struct PartialArgs {
    args: Value,
}

#[derive(Debug, PartialEq, Eq)]
enum Key {
    Field(String),
    Element(usize),
}

impl PartialArgs {
    pub(super) fn new(args: Option<&Value>) -> Self {
        Self { args: args.cloned().unwrap_or_default() }
    }

    /// Takes a piece; one without a path or a value is ignored.
    pub(super) fn push(&mut self, piece: &Value) {
        let Some(path) = piece.get("jsonPath").and_then(Value::as_str).and_then(parse) else {
            return;
        };
        let Some(slot) = slot(&mut self.args, &path) else { return };
        match (piece.get("stringValue"), slot) {
            // Pieces of one text arrive in sequence.
            (Some(Value::String(more)), Value::String(text)) => text.push_str(more),
            (Some(text), slot) => *slot = text.clone(),
            (None, slot) => {
                let other = ["numberValue", "boolValue"].iter().find_map(|key| piece.get(*key));
                *slot = other.cloned().unwrap_or(Value::Null);
            }
        }
    }

    /// Returns the arguments as JSON text; `None` if there are none.
    pub(super) fn into_json(self) -> Option<String> {
        let has_fields = self.args.as_object().is_some_and(|fields| !fields.is_empty());
        has_fields.then(|| self.args.to_string())
    }
}

/// Returns the value at a path, creating it if it does not exist.
fn slot<'a>(value: &'a mut Value, path: &[Key]) -> Option<&'a mut Value> {
    let Some((key, rest)) = path.split_first() else { return Some(value) };
    let inner = match key {
        Key::Field(name) => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            value.as_object_mut()?.entry(name.as_str()).or_insert(Value::Null)
        }
        Key::Element(at) => {
            if !value.is_array() {
                *value = Value::Array(Vec::new());
            }
            let list = value.as_array_mut()?;
            if *at > list.len().saturating_add(MAX_GAP) {
                return None;
            }
            if list.len() <= *at {
                list.resize(at + 1, Value::Null);
            }
            list.get_mut(*at)?
        }
    };
    slot(inner, rest)
}

/// Returns a path's keys: `$.a`, `$['a']`, `$[0]` in any order.
fn parse(path: &str) -> Option<Vec<Key>> {
    let mut rest = path.strip_prefix('$')?;
    let mut keys = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('.') {
            let end = inner.find(['.', '[']).unwrap_or(inner.len());
            let (name, tail) = inner.split_at_checked(end)?;
            keys.push(Key::Field(name.to_owned()));
            rest = tail;
        } else {
            let inner = rest.strip_prefix('[')?;
            let quote = inner.chars().next().filter(|c| matches!(c, '\'' | '"'));
            if let Some(quote) = quote {
                let (name, tail) = inner.get(1..)?.split_once(quote)?;
                keys.push(Key::Field(name.to_owned()));
                rest = tail.strip_prefix(']')?;
            } else {
                let (number, tail) = inner.split_once(']')?;
                keys.push(Key::Element(number.parse().ok()?));
                rest = tail;
            }
        }
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pieces_build_the_arguments() {
        for (pieces, want) in [
            (vec![], None),
            (
                vec![
                    json!({ "jsonPath": "$.city", "stringValue": "Bos", "willContinue": true }),
                    json!({ "jsonPath": "$.city", "stringValue": "ton" }),
                    json!({ "jsonPath": "$.n", "numberValue": 2 }),
                ],
                Some(r#"{"city":"Boston","n":2}"#),
            ),
            (
                vec![
                    json!({ "jsonPath": "$.a[1].b", "boolValue": true }),
                    json!({ "jsonPath": "$['a'][0]", "nullValue": "NULL_VALUE" }),
                    json!({ "jsonPath": "$[\"x.y\"]", "stringValue": "" }),
                ],
                Some(r#"{"a":[null,{"b":true}],"x.y":""}"#),
            ),
            (
                vec![
                    json!({ "jsonPath": "city", "stringValue": "x" }),
                    json!({ "jsonPath": "$.a[99999999]", "numberValue": 1 }),
                    json!({ "jsonPath": "$.b[", "numberValue": 1 }),
                    json!({ "stringValue": "x" }),
                ],
                Some(r#"{"a":[]}"#),
            ),
        ] {
            let mut args = PartialArgs::new(None);
            for piece in &pieces {
                args.push(piece);
            }
            assert_eq!(args.into_json().as_deref(), want);
        }
    }
}
