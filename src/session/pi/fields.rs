//! A JSON object's fields in order, with each value unchanged byte for byte: numbers keep their spelling.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::fmt;

/// An object's fields.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    /// Returns an object's fields.
    pub(super) fn parse(value: &Value) -> Self {
        serde_json::from_str(&value.to_string()).unwrap_or_default()
    }

    pub(super) fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    /// Returns a string field.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// Removes a field.
    pub(super) fn remove(&mut self, key: &str) -> Option<Box<RawValue>> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// Replaces a field, or appends it.
    pub(super) fn insert(&mut self, key: &str, value: impl serde::Serialize) {
        let Ok(value) = to_raw_value(&value) else { return };
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Appends all fields of another object.
    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Appends the object as a line.
    pub(super) fn push_line(&self, out: &mut String) {
        let fields =
            self.0.iter().map(|(name, value)| format!("{}:{value}", Value::from(name.as_str())));
        out.push('{');
        out.push_str(&fields.collect::<Vec<_>>().join(","));
        out.push_str("}\n");
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Fields::default();
                while let Some(field) = map.next_entry()? {
                    fields.0.push(field);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}
