//! Value types with a special form in the config file: with a unit, a range or several spellings.
//!
//! An invalid value is reported with the text of [`checked`], which follows "must be".

use super::Source;
use pintle_base::ambient::Secret;
use pintle_os::System;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

/// Reads a value of this type and converts it; any failure is reported as `want`.
pub(super) fn checked<'de, D: Deserializer<'de>, T: DeserializeOwned, U>(
    from: D,
    want: &str,
    convert: impl FnOnce(T) -> Option<U>,
) -> Result<U, D::Error> {
    let value = serde_json::from_value(Value::deserialize(from)?).ok();
    value.and_then(convert).ok_or_else(|| D::Error::custom(want))
}

/// Implements a type's JSON Schema, inlined at each use.
macro_rules! schema {
    ($name:ident, $schema:tt) => {
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}

/// A value and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// The source.
    pub source: Source,
}

impl<T: Default> Default for Setting<T> {
    fn default() -> Self {
        Self { value: T::default(), source: Source::BuiltIn }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Setting<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(|value| Self { value, source: Source::File })
    }
}

impl<T: Serialize> Serialize for Setting<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(to)
    }
}

impl<T: JsonSchema> JsonSchema for Setting<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A duration in whole seconds, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seconds(NonZeroU64);

impl Seconds {
    /// The duration.
    pub fn get(self) -> Duration {
        Duration::from_secs(self.0.get())
    }
}

impl TryFrom<u64> for Seconds {
    type Error = std::num::TryFromIntError;

    fn try_from(seconds: u64) -> Result<Self, Self::Error> {
        seconds.try_into().map(Self)
    }
}

/// A number of tokens, such as 20000 or "20k".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Tokens(pub u64);

schema!(Tokens, { "anyOf": [
    { "type": "integer", "minimum": 0 },
    { "type": "string", "pattern": "^\\s*[0-9]+[kK]?\\s*$" },
] });

impl Tokens {
    fn parse(value: &Value) -> Option<Self> {
        let Some(text) = value.as_str() else { return value.as_u64().map(Self) };
        let text = text.trim().to_ascii_lowercase();
        let number = match text.strip_suffix('k') {
            Some(thousands) => thousands.parse::<u64>().ok()?.checked_mul(1000),
            None => text.parse().ok(),
        };
        number.map(Self)
    }
}

impl<'de> Deserialize<'de> for Tokens {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked(from, "tokens, such as 20000 or \"20k\"", |value| Self::parse(&value))
    }
}

/// The size above which old results are pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum PruneAbove {
    /// A number of tokens.
    Tokens(u64),
    /// A percentage of the context window.
    Percent(u64),
}

schema!(PruneAbove, { "anyOf": [
    { "type": "integer", "minimum": 0 },
    { "type": "string", "pattern": "^\\s*([0-9]+[kK]?|[0-9]+%)\\s*$" },
] });

impl<'de> Deserialize<'de> for PruneAbove {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let want = "tokens, such as 80000 or \"80k\", or a share such as \"60%\"";
        checked(from, want, |value: Value| {
            match value.as_str().and_then(|text| text.trim().strip_suffix('%')) {
                Some(share) => {
                    let share = share.parse().ok().filter(|share| (1..=100).contains(share));
                    share.map(Self::Percent)
                }
                None => Tokens::parse(&value).map(|tokens| Self::Tokens(tokens.0)),
            }
        })
    }
}

/// Amount of money, in billionths of a US dollar. The file specifies it in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NanoUsd(pub u64);

schema!(NanoUsd, { "type": "number", "minimum": 0, "maximum": 1e9 });

impl<'de> Deserialize<'de> for NanoUsd {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        checked(from, "an amount in US dollars, such as 0.5", |usd| nano_usd(Some(usd)).map(Self))
    }
}

/// Converts dollars to billionths of a dollar; `None` for an invalid amount.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is checked to be small and not negative, and `as` saturates"
)]
pub fn nano_usd(usd: Option<f64>) -> Option<u64> {
    let usd = usd.filter(|usd| (0.0..=1e9).contains(usd))?;
    Some((usd * 1e9).round() as u64)
}

/// File that a setting refers to, and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Path as written, with `$NAME` for variables.
    pub named: String,
    /// The text, once it is read.
    pub text: Secret,
}

schema!(TextFile, { "type": "string" });

impl TextFile {
    /// Returns the text, unless it is blank.
    pub fn text(&self) -> Option<&str> {
        Some(self.text.expose()).filter(|text| !text.trim().is_empty())
    }
}

impl<'de> Deserialize<'de> for TextFile {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|named| Self { named, text: Secret::new("") })
    }
}

impl Serialize for TextFile {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.text.expose().serialize(to)
    }
}

/// Reads a shell path. `cmd.exe` runs no command of several lines, and WSL's bash runs commands on another system, with other paths.
pub(super) fn shell<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    let want = match System::CURRENT {
        System::Linux | System::MacOs => "an absolute path, such as \"/bin/zsh\"",
        System::Windows => "an absolute path, such as \"C:/Program Files/Git/bin/bash.exe\"",
    };
    let path = checked(from, want, |path: PathBuf| path.is_absolute().then_some(path))?;
    let name = path.to_string_lossy().to_lowercase().replace('\\', "/");
    let is_of_wsl = name.ends_with("/bash.exe") && name.contains("/system32/");
    if is_of_wsl || name.ends_with("/cmd.exe") {
        return Err(D::Error::custom(
            "the path of Git's bash or of PowerShell; cmd.exe and WSL's bash are not supported",
        ));
    }
    Ok(Some(path))
}

/// Reads a window of calls: fewer than four cannot show a repetition of two calls.
pub(super) fn loop_window<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let want = "a number of calls from 4 to 1000, or 0 for no check";
    checked(from, want, |calls| (calls == 0 || (4..=1000).contains(&calls)).then_some(Some(calls)))
}

/// Reads a size that leaves room for a notice and a few lines.
pub(super) fn output_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    let want = "a number of bytes from 1000 to 55000";
    checked(from, want, |bytes| (1_000..=55_000).contains(&bytes).then_some(Some(bytes)))
}

/// Reads the time that a model waits for an editor's diagnostics.
pub(super) fn wait_ms<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let want = "milliseconds, from 0 to 60000";
    checked(from, want, |wait| (wait <= 60_000).then_some(Some(wait)))
}

/// Reads a command that is not blank.
pub(super) fn command<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    checked(from, "a command", |text: String| (!text.trim().is_empty()).then_some(text))
}

/// Reads a price.
pub(super) fn price<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let want = "US dollars per million tokens, 0 or more";
    checked(from, want, |usd: f64| (usd >= 0.0 && usd.is_finite()).then_some(Some(usd)))
}

/// Reads a year and a month, such as `2025-03`.
pub(super) fn month<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    checked(from, "a month, such as 2026-01", |text: String| is_month(&text).then_some(Some(text)))
}

fn is_month(text: &str) -> bool {
    let Some((year, month)) = text.split_once('-') else { return false };
    let number = |part: &str, digits: usize| {
        (part.len() == digits).then(|| part.parse::<u32>().ok()).flatten()
    };
    number(year, 4).is_some() && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
}
