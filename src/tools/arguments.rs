//! The arguments of a call, checked one by one: a wrong one is an error that names it and says what was expected.
//!
//! The names of a tool's arguments depend on the profile (`path` or `file_path`, `limit` or `max_results`), and models write
//! `10.0`, `null` or both of two alternatives where a derived parser would refuse, so schemas and parsers are written by
//! hand. A number, a flag or a list that was written as a string (`"2"`, `"true"`, `"[…]"`) is taken, since it can mean nothing
//! else. `tools::tests::a_schema_names_exactly_the_arguments_that_its_tool_reads` fails when they drift apart.

use serde_json::{Map, Value};
use std::time::Duration;

/// The arguments of one call.
#[derive(Debug)]
pub(super) struct Arguments {
    /// The prefix of a field's name in an error, such as `edits[1].`.
    prefix: String,
    fields: Map<String, Value>,
}

/// Returns a message about the first argument that a schema does not name, if there is one. `place` is the prefix of its name.
pub(super) fn unknown(place: &str, schema: &Value, value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => {
            let known = schema.get("properties")?.as_object()?;
            fields.iter().find_map(|(name, value)| {
                if let Some(schema) = known.get(name) {
                    return unknown(&format!("{place}{name}."), schema, value);
                }
                let names: Vec<String> = known.keys().map(|name| format!("`{name}`")).collect();
                let expected = match names.as_slice() {
                    [] => "there are no arguments".to_owned(),
                    names => format!("expected one of {}", names.join(", ")),
                };
                Some(format!("unknown argument `{place}{name}`; {expected}"))
            })
        }
        Value::Array(items) => {
            let place = place.trim_end_matches('.');
            let schema = schema.get("items")?;
            let mut items = items.iter().enumerate();
            items.find_map(|(at, item)| unknown(&format!("{place}[{at}]."), schema, item))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

impl Arguments {
    pub(super) fn new(value: Value) -> Result<Self, String> {
        Self::within(String::new(), value)
    }

    fn within(place: String, value: Value) -> Result<Self, String> {
        match value {
            Value::Object(fields) if place.is_empty() => Ok(Self { prefix: place, fields }),
            Value::Object(fields) => Ok(Self { prefix: place + ".", fields }),
            _ => {
                let what =
                    if place.is_empty() { "the arguments".into() } else { format!("`{place}`") };
                Err(format!("{what} must be an object, not {}", kind(&value)))
            }
        }
    }

    /// Removes a field. Everything that is read passes here.
    fn take(&mut self, name: &str) -> Option<Value> {
        #[cfg(test)]
        recorder::record(&self.prefix, name);
        self.fields.remove(name)
    }

    /// A text that must be there.
    pub(super) fn text(&mut self, name: &str) -> Result<String, String> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.wrong(name, "a string", other.as_ref())),
        }
    }

    /// A text that must be there and not be blank.
    pub(super) fn filled_text(&mut self, name: &str) -> Result<String, String> {
        let text = self.text(name)?;
        if text.trim().is_empty() {
            return Err(format!("`{}{name}` must not be empty", self.prefix));
        }
        Ok(text)
    }

    /// A text that may be absent or null.
    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            other => Err(self.wrong(name, "a string", other.as_ref())),
        }
    }

    /// A whole number from `min` on that may be absent or null.
    pub(super) fn optional_count(&mut self, name: &str, min: u64) -> Result<Option<u64>, String> {
        let value = match self.take(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        match whole(&value) {
            Some(number) if number >= min => Ok(Some(number)),
            _ => Err(self.wrong(name, &format!("a whole number from {min} on"), Some(&value))),
        }
    }

    /// A number above zero that may be absent or null.
    pub(super) fn optional_seconds(&mut self, name: &str) -> Result<Option<f64>, String> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match number(&value) {
                Some(seconds) if seconds > 0.0 => Ok(Some(seconds)),
                _ => Err(self.wrong(name, "a number of seconds above 0", Some(&value))),
            },
        }
    }

    /// A number of milliseconds above zero that may be absent or null.
    pub(super) fn optional_milliseconds(&mut self, name: &str) -> Result<Option<Duration>, String> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let given = number(&value).filter(|given| *given > 0.0);
                let time = given.and_then(|given| Duration::try_from_secs_f64(given / 1000.0).ok());
                let wrong = || self.wrong(name, "a number of milliseconds above 0", Some(&value));
                time.map(Some).ok_or_else(wrong)
            }
        }
    }

    /// True or false; false when absent or null.
    pub(super) fn flag(&mut self, name: &str) -> Result<bool, String> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
            Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
            other => Err(self.wrong(name, "true or false", other.as_ref())),
        }
    }

    /// A list of texts that must be there.
    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let values = match self.take(name).map(listed) {
            Some(Value::Array(values)) => values,
            other => return Err(self.wrong(name, "a list of strings", other.as_ref())),
        };
        let texts = values.iter().enumerate().map(|(at, value)| {
            let wrong = || self.wrong(&format!("{name}[{at}]"), "a string", Some(value));
            value.as_str().map(str::to_owned).ok_or_else(wrong)
        });
        texts.collect()
    }

    /// A list of texts that may be absent or null, which is none.
    pub(super) fn optional_texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        match self.fields.get(name) {
            None | Some(Value::Null) => {
                self.take(name);
                Ok(Vec::new())
            }
            Some(_) => self.texts(name),
        }
    }

    /// A list of objects that may be absent or null.
    pub(super) fn optional_objects(&mut self, name: &str) -> Result<Option<Vec<Self>>, String> {
        match self.take(name).map(listed) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(values)) => {
                let objects = values.into_iter().enumerate();
                let objects = objects
                    .map(|(at, value)| Self::within(format!("{}{name}[{at}]", self.prefix), value));
                objects.collect::<Result<_, _>>().map(Some)
            }
            other => Err(self.wrong(name, "a list of objects", other.as_ref())),
        }
    }

    fn wrong(&self, name: &str, expected: &str, got: Option<&Value>) -> String {
        match got {
            None => {
                let given: Vec<&str> = self.fields.keys().map(String::as_str).collect();
                let given = if given.is_empty() {
                    String::new()
                } else {
                    format!(" (given: {})", given.join(", "))
                };
                format!("`{}{name}` is missing: it must be {expected}{given}", self.prefix)
            }
            Some(value) => {
                format!("`{}{name}` must be {expected}, not {}", self.prefix, kind(value))
            }
        }
    }
}

/// A number without a fraction; some models write `10.0`.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| number(value)?.to_string().parse().ok())
}

/// A number, also one that was written as a string.
fn number(value: &Value) -> Option<f64> {
    let written = || value.as_str()?.trim().parse().ok().filter(|number: &f64| number.is_finite());
    value.as_f64().or_else(written)
}

/// A list that was written as a string, or the value as it is.
fn listed(value: Value) -> Value {
    let list = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    list.filter(Value::is_array).unwrap_or(value)
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// The names of the arguments that were read, so that a test can compare them with the schemas.
#[cfg(test)]
pub(super) mod recorder {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    thread_local! {
        static READ: RefCell<BTreeSet<String>> = RefCell::default();
    }

    pub(super) fn record(prefix: &str, name: &str) {
        let prefix = prefix.replace(|c: char| c.is_ascii_digit(), "");
        READ.with_borrow_mut(|read| read.insert(prefix + name));
    }

    /// Returns the names read since the last call, with `[]` for an index: `edits[].oldText`.
    pub(in crate::tools) fn take() -> BTreeSet<String> {
        READ.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_name_the_field_and_what_was_expected() {
        type Read = fn(&mut Arguments) -> Result<String, String>;
        let path: Read = |arguments| arguments.text("path");
        let limit: Read =
            |arguments| arguments.optional_count("limit", 1).map(|got| format!("{got:?}"));
        let flag: Read = |arguments| arguments.flag("literal").map(|got| got.to_string());
        let seconds: Read =
            |arguments| arguments.optional_seconds("timeout").map(|got| format!("{got:?}"));
        for (name, arguments, read, want) in [
            ("text", json!({"path": "a"}), path, Ok("a")),
            ("null", json!({"path": null}), path, Err("`path` must be a string, not null")),
            ("a number", json!({"path": 123}), path, Err("`path` must be a string, not 123")),
            ("missing", json!({}), path, Err("`path` is missing: it must be a string")),
            ("absent count", json!({}), limit, Ok("None")),
            ("null count", json!({"limit": null}), limit, Ok("None")),
            ("count", json!({"limit": 3}), limit, Ok("Some(3)")),
            ("a whole float", json!({"limit": 3.0}), limit, Ok("Some(3)")),
            ("a count as a string", json!({"limit": "2"}), limit, Ok("Some(2)")),
            (
                "a word for a count",
                json!({"limit": "two"}),
                limit,
                Err("`limit` must be a whole number from 1 on, not a string"),
            ),
            ("a flag as a string", json!({"literal": "true"}), flag, Ok("true")),
            ("a flag in Python's spelling", json!({"literal": "False"}), flag, Ok("false")),
            ("seconds as a string", json!({"timeout": "1.5"}), seconds, Ok("Some(1.5)")),
            (
                "a fraction",
                json!({"limit": 3.5}),
                limit,
                Err("`limit` must be a whole number from 1 on, not 3.5"),
            ),
            (
                "too small",
                json!({"limit": 0}),
                limit,
                Err("`limit` must be a whole number from 1 on, not 0"),
            ),
            (
                "negative",
                json!({"limit": -1}),
                limit,
                Err("`limit` must be a whole number from 1 on, not -1"),
            ),
            (
                "a text for a flag",
                json!({"literal": "yes"}),
                flag,
                Err("`literal` must be true or false, not a string"),
            ),
            (
                "no time",
                json!({"timeout": 0}),
                seconds,
                Err("`timeout` must be a number of seconds above 0, not 0"),
            ),
            ("half a second", json!({"timeout": 0.5}), seconds, Ok("Some(0.5)")),
        ] {
            let got = Arguments::new(arguments).and_then(|mut arguments| read(&mut arguments));
            assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned), "{name}");
        }
        assert_eq!(
            Arguments::new(json!([])).err().as_deref(),
            Some("the arguments must be an object, not a list")
        );
    }

    #[test]
    fn a_list_may_be_written_as_a_string() {
        let mut arguments = Arguments::new(json!({
            "edits": "[{\"oldText\": \"a\"}, {\"oldText\": \"b\"}]",
            "paths": "[\"a\", \"b\"]",
            "ids": "a",
        }))
        .unwrap();
        let edits = arguments.optional_objects("edits").unwrap().unwrap();
        let old: Vec<_> = edits.into_iter().map(|mut edit| edit.text("oldText")).collect();
        assert_eq!(old, [Ok("a".to_owned()), Ok("b".to_owned())]);
        assert_eq!(arguments.texts("paths"), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert!(arguments.texts("ids").is_err());
    }

    #[test]
    fn errors_name_the_place_in_a_list() {
        let mut arguments = Arguments::new(json!({"edits": [{"oldText": 1}]})).unwrap();
        let mut edits = arguments.optional_objects("edits").unwrap().unwrap();
        assert_eq!(
            edits[0].text("oldText").err().as_deref(),
            Some("`edits[0].oldText` must be a string, not 1")
        );
    }
}
