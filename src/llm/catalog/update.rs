//! Updates of the catalog: models of a later date, from a file of the user's.
//!
//! Rows have the same types as the built-in ones, and replace those of the same provider and id; all other built-in rows stay. An update
//! that is older than the built-in catalog is ignored. The first update installed in a process stays until the process ends.

use super::{Api, LongPrice, Model, Price};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The maximum size of an update, in bytes. The built-in catalog has less than 100 kB.
pub const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The maximum number of tokens of a window, hundred times the longest known.
const MAX_TOKENS: u64 = 1_000_000_000;

/// The maximum price per million tokens, in US dollars.
const MAX_PRICE: f64 = 100_000.0;

/// Models of a later date.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// The update's date.
    pub date: Date,
    /// The models, in file order.
    pub models: Vec<Model>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(deserialize_with = "read_date")]
    date: Date,
    models: Vec<Model>,
}

/// Reads a date, such as `2026-11-28`.
pub(super) fn read_date<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let text = String::deserialize(deserializer)?;
    let date = text.parse().ok().filter(|date: &Date| date.to_string() == text);
    date.ok_or_else(|| D::Error::custom(format!("`{text}` is not a date, such as 2026-11-28")))
}

impl Update {
    /// Parses an update.
    ///
    /// # Errors
    /// The text is not an update; the message includes the field.
    pub fn parse(text: &[u8], today: Date) -> Result<Self, String> {
        if text.trim_ascii().is_empty() {
            return Err("the file is empty".to_owned());
        }
        let mut json = serde_json::Deserializer::from_slice(text);
        let File { date, mut models } =
            serde_path_to_error::deserialize(&mut json).map_err(|error| {
                let path = error.path().to_string();
                let inner = error.into_inner();
                // The text ended or broke off within the last field of the path.
                match path.trim_end_matches('?').trim_end_matches('.') {
                    "" => inner.to_string(),
                    path => format!("{path}: {inner}"),
                }
            })?;
        json.end().map_err(|error| error.to_string())?;
        // One day of difference is left for time zones.
        if today.tomorrow().is_ok_and(|tomorrow| date > tomorrow) {
            return Err(format!("date: {date} is in the future"));
        }
        if models.is_empty() {
            return Err("models: the list is empty".to_owned());
        }
        let mut seen = BTreeMap::new();
        for (index, model) in models.iter_mut().enumerate() {
            check(model).map_err(|problem| format!("models[{index}].{problem}"))?;
            let name = (model.provider.clone(), model.id.clone());
            if let Some(first) = seen.insert(name, index) {
                let Model { provider, id, .. } = model;
                return Err(format!("models[{index}]: {provider}/{id} is also models[{first}]"));
            }
            model.update = Some(date);
        }
        Ok(Self { date, models })
    }
}

/// Checks a row's values. The error starts with the field.
fn check(model: &Model) -> Result<(), String> {
    for (field, text) in
        [("provider", &model.provider), ("id", &model.id), ("source", &model.source)]
    {
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            return Err(format!("{field}: must be text in one line"));
        }
    }
    if model.provider.contains('/') {
        return Err("provider: must not contain a slash".to_owned());
    }
    if let Some(api) = model.api.as_deref().filter(|api| Api::from_name(api).is_none()) {
        let names: Vec<_> = Api::NAMES.iter().map(|(name, _)| *name).collect();
        return Err(format!("api: `{api}` is not one of {}", names.join(", ")));
    }
    let months = [("checked", Some(&model.checked)), ("cutoff", model.cutoff.as_ref())];
    for (field, month) in months {
        if let Some(month) = month.filter(|month| !is_month(month)) {
            return Err(format!("{field}: `{month}` is not a month, such as 2026-11"));
        }
    }
    for (field, tokens) in [("window", model.window), ("max_output", model.max_output)] {
        if tokens.is_some_and(|tokens| tokens == 0 || tokens > MAX_TOKENS) {
            return Err(format!("{field}: must be between 1 and {MAX_TOKENS} tokens"));
        }
    }
    model.price.as_ref().map_or(Ok(()), check_price)
}

fn check_price(price: &Price) -> Result<(), String> {
    let Price { input, output, cache_read, cache_write, above, flex, priority, searches: _ } =
        *price;
    let mut amounts = vec![
        ("input", Some(input)),
        ("output", Some(output)),
        ("cache_read", cache_read),
        ("cache_write", cache_write),
        ("flex", flex),
        ("priority", priority),
    ];
    if let Some(LongPrice { tokens, input, output, cache_read, cache_write }) = above {
        if tokens == 0 || tokens > MAX_TOKENS {
            return Err(format!("price.above.tokens: must be between 1 and {MAX_TOKENS}"));
        }
        amounts.extend([
            ("above.input", Some(input)),
            ("above.output", Some(output)),
            ("above.cache_read", cache_read),
            ("above.cache_write", cache_write),
        ]);
    }
    let is_valid = |amount: &f64| (0.0..=MAX_PRICE).contains(amount);
    match amounts.iter().find(|(_, amount)| amount.as_ref().is_some_and(|it| !is_valid(it))) {
        Some((field, _)) => Err(format!("price.{field}: must be between 0 and {MAX_PRICE}")),
        None => Ok(()),
    }
}

/// Returns true for a year and a month, such as `2026-11`.
fn is_month(text: &str) -> bool {
    text.len() == 7 && format!("{text}-01").parse::<Date>().is_ok()
}

/// The content of the installed update and the date of its installation, until the catalog is first used.
static INSTALLED: OnceLock<(Result<Vec<u8>, String>, Date)> = OnceLock::new();

/// Installs an update, or the reason why it could not be read, for this process. It must happen before the catalog is first used; later
/// calls have no effect.
pub fn install(text: Result<Vec<u8>, String>, now_ms: u64) {
    let _ = INSTALLED.set((text, day(now_ms)));
}

/// Parses an update that a user wants to install.
///
/// # Errors
/// The text is not an update, or is older than the built-in catalog ([`Refused::Older`]).
pub fn check_new(text: &[u8], now_ms: u64) -> Result<Update, Refused> {
    let update = Update::parse(text, day(now_ms)).map_err(Refused::Invalid)?;
    let built_in = super::date();
    if update.date < built_in {
        Err(Refused::Older(older(update.date, built_in)))
    } else {
        Ok(update)
    }
}

/// The reason why an update is not installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Not a valid update; the message includes the field.
    Invalid(String),
    /// Older than the built-in catalog.
    Older(String),
}

/// Converts milliseconds since 1970 to a day.
fn day(now_ms: u64) -> Date {
    let time = i64::try_from(now_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    time.unwrap_or_default().to_zoned(TimeZone::UTC).date()
}

/// Returns the installed update if it applies to a catalog of this date.
///
/// # Errors
/// It cannot be used; the message gives the reason.
pub(super) fn installed(built_in: Date) -> Result<Option<Update>, String> {
    let Some((text, today)) = INSTALLED.get() else { return Ok(None) };
    let update = Update::parse(text.as_ref().map_err(Clone::clone)?, *today)?;
    if update.date < built_in {
        return Err(older(update.date, built_in));
    }
    Ok(Some(update))
}

/// Returns the message for an update that is older than the built-in catalog.
fn older(date: Date, built_in: Date) -> String {
    format!("it is of {date}, older than the built-in catalog of {built_in}")
}

/// Overlays an update's rows.
pub(super) fn overlay(models: &mut Vec<Model>, update: Update) {
    for model in update.models {
        let is_same = |row: &&mut Model| row.provider == model.provider && row.id == model.id;
        match models.iter_mut().find(is_same) {
            Some(row) => *row = model,
            None => models.push(model),
        }
    }
}

#[cfg(test)]
mod tests;
