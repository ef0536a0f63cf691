//! A call's arguments, checked one by one: an invalid one is an error that identifies it and the expected value.
//!
//! A tool reads arguments by internal names; its row in the model family's table maps them to the names that the model uses, which errors
//! use too. Models write `10.0`, `null` or both of two alternatives, which a derived parser would reject, so parsers are written by hand. A
//! number, a flag or a list written as a string (`"2"`, `"true"`, `"[…]"`) is accepted, since it is unambiguous.
//! `tools::tests::a_schema_names_exactly_the_arguments_that_its_tool_reads` fails when tables and parsers disagree.

use super::given;
use super::schema::{Builtin, Field, Is, Row};
use serde_json::{Map, Value};
use std::time::Duration;

/// The arguments of one call.
#[derive(Debug)]
pub(super) struct Arguments {
    /// The prefix for field names in errors, such as `edits[1].`.
    prefix: String,
    given: Map<String, Value>,
    /// The model's names of the arguments.
    fields: &'static [Field],
    /// The tool's purpose; `None` for an argument's fields.
    does: Option<Builtin>,
}

/// Answers to choose from.
#[derive(Debug)]
pub(super) enum Options {
    Texts(Vec<String>),
    Objects(Vec<Arguments>),
}

impl Arguments {
    /// Wraps the arguments that a call passes to this tool.
    pub(super) fn new(row: &'static Row, value: Value) -> Result<Self, String> {
        let mut arguments =
            Self { does: Some(row.does), ..Self::within(String::new(), row.fields, value)? };
        if let Some(adapt) = row.adapt {
            adapt(&mut arguments.given);
        }
        Ok(arguments)
    }

    fn within(place: String, fields: &'static [Field], value: Value) -> Result<Self, String> {
        match value {
            Value::Object(given) if place.is_empty() => {
                Ok(Self { prefix: place, given, fields, does: None })
            }
            Value::Object(given) => Ok(Self { prefix: place + ".", given, fields, does: None }),
            _ => {
                let what =
                    if place.is_empty() { "the arguments".into() } else { format!("`{place}`") };
                Err(format!("{what} must be an object, not {}", kind(&value)))
            }
        }
    }

    /// Removes an argument. Every read goes through here.
    fn take(&mut self, ours: &'static str) -> Option<Value> {
        #[cfg(test)]
        if let Some(field) = self.field(ours) {
            recorder::record(&self.prefix, field.name);
        }
        let name = given::given(self.does, self.fields, ours, &self.given)?;
        self.given.remove(name)
    }

    /// Returns the model's name of an argument.
    pub(super) fn theirs(&self, ours: &'static str) -> &'static str {
        self.field(ours).map_or(ours, |field| field.name)
    }

    fn field(&self, ours: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.ours == ours)
    }

    /// Returns an argument as errors show it: with its place, in backticks.
    pub(super) fn shown(&self, ours: &'static str) -> String {
        format!("`{}{}`", self.prefix, self.theirs(ours))
    }

    /// Reads a required text.
    pub(super) fn text(&mut self, name: &'static str) -> Result<String, String> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(text),
            other => Err(self.wrong(name, "a string", other.as_ref())),
        }
    }

    /// Reads a required text that must not be blank.
    pub(super) fn filled_text(&mut self, name: &'static str) -> Result<String, String> {
        let text = self.text(name)?;
        if text.trim().is_empty() {
            return Err(format!("{} must not be empty", self.shown(name)));
        }
        Ok(text)
    }

    /// Reads a text that may be absent or null.
    pub(super) fn optional_text(&mut self, name: &'static str) -> Result<Option<String>, String> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            other => Err(self.wrong(name, "a string", other.as_ref())),
        }
    }

    /// Reads a whole number from `min` on that may be absent or null.
    pub(super) fn optional_count(
        &mut self,
        name: &'static str,
        min: u64,
    ) -> Result<Option<u64>, String> {
        let value = match self.take(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        match whole(&value) {
            Some(number) if number >= min => Ok(Some(number)),
            _ => Err(self.wrong(name, &format!("a whole number of at least {min}"), Some(&value))),
        }
    }

    /// Reads a number above zero that may be absent or null.
    pub(super) fn optional_seconds(&mut self, name: &'static str) -> Result<Option<f64>, String> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match number(&value) {
                Some(seconds) if seconds > 0.0 => Ok(Some(seconds)),
                _ => Err(self.wrong(name, "a number of seconds above 0", Some(&value))),
            },
        }
    }

    /// Reads a number of milliseconds above zero that may be absent or null.
    pub(super) fn optional_milliseconds(
        &mut self,
        name: &'static str,
    ) -> Result<Option<Duration>, String> {
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

    /// Reads a boolean, which is false if absent or null.
    pub(super) fn flag(&mut self, name: &'static str) -> Result<bool, String> {
        Ok(self.optional_flag(name)?.unwrap_or(false))
    }

    /// Reads a boolean that may be absent or null.
    pub(super) fn optional_flag(&mut self, name: &'static str) -> Result<Option<bool>, String> {
        match self.take(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("true") => Ok(Some(true)),
            Some(Value::String(text)) if text.trim().eq_ignore_ascii_case("false") => {
                Ok(Some(false))
            }
            other => Err(self.wrong(name, "true or false", other.as_ref())),
        }
    }

    /// Reads a required list of texts.
    pub(super) fn texts(&mut self, name: &'static str) -> Result<Vec<String>, String> {
        let values = match self.take(name).map(listed) {
            Some(Value::Array(values)) => values,
            other => return Err(self.wrong(name, "a list of strings", other.as_ref())),
        };
        let texts = values.iter().enumerate().map(|(at, value)| {
            let wrong = || {
                let name = self.theirs(name);
                format!("`{}{name}[{at}]` must be a string, not {}", self.prefix, kind(value))
            };
            value.as_str().map(str::to_owned).ok_or_else(wrong)
        });
        texts.collect()
    }

    /// Reads a list of texts that may be absent or null, which means none.
    pub(super) fn optional_texts(&mut self, name: &'static str) -> Result<Vec<String>, String> {
        match given::given(self.does, self.fields, name, &self.given)
            .and_then(|name| self.given.get(name))
        {
            None | Some(Value::Null) => {
                self.take(name);
                Ok(Vec::new())
            }
            // A single text instead of a list.
            Some(Value::String(one)) if !one.trim_start().starts_with('[') => {
                let one = one.clone();
                self.take(name);
                Ok(vec![one])
            }
            Some(_) => self.texts(name),
        }
    }

    /// Reads a list of objects that may be absent or null.
    pub(super) fn optional_objects(
        &mut self,
        name: &'static str,
    ) -> Result<Option<Vec<Self>>, String> {
        let field = self.field(name);
        let (fields, theirs): (&'static [Field], _) = match field {
            Some(Field { name, is: Is::Objects(fields), .. }) => (fields, *name),
            Some(_) | None => (&[], name),
        };
        match self.take(name).map(listed) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(values)) => {
                let objects = values.into_iter().enumerate().map(|(at, value)| {
                    Self::within(format!("{}{theirs}[{at}]", self.prefix), fields, value)
                });
                objects.collect::<Result<_, _>>().map(Some)
            }
            other => Err(self.wrong(name, "a list of objects", other.as_ref())),
        }
    }

    /// Answers to choose from: texts, or objects with a label. None when absent or null.
    pub(super) fn options(&mut self, name: &'static str) -> Result<Options, String> {
        let given = given::given(self.does, self.fields, name, &self.given);
        let given = given.and_then(|given| self.given.get(given)).cloned().map(listed);
        match given.as_ref().and_then(Value::as_array).and_then(|list| list.first()) {
            Some(Value::Object(_)) => {
                let objects = self.optional_objects(name)?.unwrap_or_default();
                Ok(Options::Objects(objects))
            }
            Some(_) | None => self.optional_texts(name).map(Options::Texts),
        }
    }

    fn wrong(&self, name: &'static str, expected: &str, got: Option<&Value>) -> String {
        let shown = self.shown(name);
        match got {
            None => {
                let given: Vec<&str> = self.given.keys().map(String::as_str).collect();
                let given = if given.is_empty() {
                    String::new()
                } else {
                    format!(" (given: {})", given.join(", "))
                };
                format!("{shown} is missing: it must be {expected}{given}")
            }
            Some(value) => format!("{shown} must be {expected}, not {}", kind(value)),
        }
    }
}

/// Returns a number without a fraction; some models write `10.0`.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| number(value)?.to_string().parse().ok())
}

/// Returns a number, including one written as a string.
fn number(value: &Value) -> Option<f64> {
    let written = || value.as_str()?.trim().parse().ok().filter(|number: &f64| number.is_finite());
    value.as_f64().or_else(written)
}

/// Returns a list that was written as a string, or the value unchanged.
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

/// The argument names that were read, so that a test can compare them with the schemas.
#[cfg(test)]
pub(super) mod recorder {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    thread_local! {
        static READ: RefCell<BTreeSet<String>> = RefCell::default();
    }

    pub(super) fn record(prefix: &str, name: &'static str) {
        let prefix = prefix.replace(|c: char| c.is_ascii_digit(), "");
        READ.with_borrow_mut(|read| read.insert(prefix + name));
    }

    /// Returns the names read since the last call, with `[]` for an index: `edits[].oldText`.
    pub(crate) fn take() -> BTreeSet<String> {
        READ.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Builtin, objects, text};

    const ROW: Row = Row::new(
        Builtin::Read,
        "a",
        "",
        &[
            text("file_path", "file", ""),
            objects("edits", "edits", &[text("old", "oldText", "")], ""),
        ],
    );
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
                Err("`limit` must be a whole number of at least 1, not a string"),
            ),
            ("a flag as a string", json!({"literal": "true"}), flag, Ok("true")),
            ("a flag in Python's spelling", json!({"literal": "False"}), flag, Ok("false")),
            ("seconds as a string", json!({"timeout": "1.5"}), seconds, Ok("Some(1.5)")),
            (
                "a fraction",
                json!({"limit": 3.5}),
                limit,
                Err("`limit` must be a whole number of at least 1, not 3.5"),
            ),
            (
                "too small",
                json!({"limit": 0}),
                limit,
                Err("`limit` must be a whole number of at least 1, not 0"),
            ),
            (
                "negative",
                json!({"limit": -1}),
                limit,
                Err("`limit` must be a whole number of at least 1, not -1"),
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
            let got =
                Arguments::new(&ROW, arguments).and_then(|mut arguments| read(&mut arguments));
            assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned), "{name}");
        }
        assert_eq!(
            Arguments::new(&ROW, json!([])).err().as_deref(),
            Some("the arguments must be an object, not a list")
        );
    }

    #[test]
    fn a_list_may_be_written_as_a_string() {
        let mut arguments = Arguments::new(
            &ROW,
            json!({
                "edits": "[{\"oldText\": \"a\"}, {\"oldText\": \"b\"}]",
                "paths": "[\"a\", \"b\"]",
                "ids": "a",
            }),
        )
        .unwrap();
        let edits = arguments.optional_objects("edits").unwrap().unwrap();
        let old: Vec<_> = edits.into_iter().map(|mut edit| edit.text("oldText")).collect();
        assert_eq!(old, [Ok("a".to_owned()), Ok("b".to_owned())]);
        assert_eq!(arguments.texts("paths"), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert!(arguments.texts("ids").is_err());
        let mut arguments = Arguments::new(&ROW, json!({"file_path": 1, "ids": "a"})).unwrap();
        assert_eq!(arguments.optional_texts("ids"), Ok(vec!["a".to_owned()]));
        let wrong = arguments.text("file").err();
        assert_eq!(wrong.as_deref(), Some("`file_path` must be a string, not 1"));
    }

    #[test]
    fn errors_name_the_place_in_a_list() {
        let mut arguments = Arguments::new(&ROW, json!({"edits": [{"old": 1}]})).unwrap();
        let mut edits = arguments.optional_objects("edits").unwrap().unwrap();
        assert_eq!(
            edits[0].text("oldText").err().as_deref(),
            Some("`edits[0].old` must be a string, not 1")
        );
    }
}
