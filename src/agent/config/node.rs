//! A value of a settings file with its path, so that errors and warnings name the place: pure.

use super::Error;
use super::unknown::unknown;
use serde_json::{Map, Value};
use std::path::Path;

/// A value and its path.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    pub(super) value: &'a Value,
    pub(super) at: String,
    pub(super) file: &'a Path,
}

impl<'a> Node<'a> {
    pub(super) fn new(value: &'a Value, at: impl Into<String>, file: &'a Path) -> Self {
        Self { value, at: at.into(), file }
    }

    /// The error for a value of the wrong type.
    pub(super) fn wrong(&self, want: &str) -> Error {
        Error::new(format!("{}: `{}` must be {want}", self.file.display(), self.at))
    }

    /// The warning for an unknown field.
    pub(super) fn means_nothing(&self) -> String {
        unknown(self.file, &self.at)
    }

    /// A warning about this value.
    pub(super) fn warn(&self, what: &str) -> String {
        format!("{}: `{}` {what}", self.file.display(), self.at)
    }

    pub(super) fn text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.wrong("a text in quotes"))
    }

    pub(super) fn flag(&self) -> Result<bool, Error> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// A whole number of at least 1.
    pub(super) fn count(&self) -> Result<u64, Error> {
        let count = self.value.as_u64().filter(|count| *count > 0);
        count.ok_or_else(|| self.wrong("a whole number from 1 on"))
    }

    /// A price in US dollars per million tokens.
    pub(super) fn price(&self) -> Result<f64, Error> {
        let price = self.value.as_f64().filter(|price| *price >= 0.0 && price.is_finite());
        price.ok_or_else(|| self.wrong("a number of US dollars for a million tokens, 0 or more"))
    }

    /// One of these names.
    pub(super) fn one_of<T: Copy>(&self, names: &[(&str, T)]) -> Result<T, Error> {
        let found = names.iter().find(|(name, _)| self.value.as_str() == Some(*name));
        let listed: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| self.wrong(&format!("one of {}", listed.join(", "))))
    }

    /// Its fields, by name.
    pub(super) fn fields(&self, want: &str) -> Result<Vec<(&'a str, Self)>, Error> {
        let fields: &Map<String, Value> = self.value.as_object().ok_or_else(|| self.wrong(want))?;
        let node = |(key, value): (&'a String, &'a Value)| {
            let at = if self.at.is_empty() { key.clone() } else { format!("{}.{key}", self.at) };
            (key.as_str(), Self::new(value, at, self.file))
        };
        Ok(fields.iter().map(node).collect())
    }

    /// Its items, in order.
    pub(super) fn items(&self, want: &str) -> Result<Vec<Self>, Error> {
        let items = self.value.as_array().ok_or_else(|| self.wrong(want))?;
        let node = |(index, value)| Self::new(value, format!("{}[{index}]", self.at), self.file);
        Ok(items.iter().enumerate().map(node).collect())
    }
}
