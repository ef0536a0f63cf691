//! The table `[context]` of the config file.

use super::Error;
use super::file::{flag_of, text_of, wrong};
use super::unknown::unknown;
use std::path::Path;
use toml::Value;

/// Settings for compaction and pruning. `None` keeps the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextSettings {
    /// Compacts automatically.
    pub automatic: Option<bool>,
    /// The tokens reserved for the reply.
    pub reserve: Option<u64>,
    /// The tokens at the end of the conversation that are kept verbatim.
    pub keep: Option<u64>,
    /// The size of the recent part whose results are not pruned.
    pub safe: Option<SafeZone>,
    /// The model that writes summaries, as `provider/id[:effort]`.
    pub summary_model: Option<String>,
}

/// The size of the part that is not pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SafeZone {
    /// A number of tokens.
    Tokens(u64),
    /// A percentage of the context window.
    Percent(u64),
}

/// Reads the table. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(
    value: Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<ContextSettings, Error> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "context", "a table: [context]"));
    };
    let mut set = ContextSettings::default();
    for (key, value) in table {
        let at = format!("context.{key}");
        let tokens = || {
            let want = "tokens, such as 20000 or \"20k\"";
            tokens_of(&value).ok_or_else(|| wrong(path, &at, want))
        };
        match key.as_str() {
            "automatic" => set.automatic = Some(flag_of(&value, &at, path)?),
            "reserve" => set.reserve = Some(tokens()?),
            "keep" => set.keep = Some(tokens()?),
            "safe_zone" => {
                let want = "tokens, such as 80000 or \"80k\", or a share such as \"60%\"";
                set.safe = Some(safe_of(&value).ok_or_else(|| wrong(path, &at, want))?);
            }
            "summary_model" => set.summary_model = Some(text_of(&value, &at, path)?),
            _ => warnings.push(unknown(path, &at)),
        }
    }
    Ok(set)
}

fn tokens_of(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_integer() {
        return u64::try_from(number).ok();
    }
    let text = value.as_str()?.trim().to_ascii_lowercase();
    match text.strip_suffix('k') {
        Some(thousands) => thousands.parse::<u64>().ok()?.checked_mul(1000),
        None => text.parse().ok(),
    }
}

fn safe_of(value: &Value) -> Option<SafeZone> {
    match value.as_str().and_then(|text| text.trim().strip_suffix('%')) {
        Some(share) => {
            share.parse().ok().filter(|share| (1..=100).contains(share)).map(SafeZone::Percent)
        }
        None => tokens_of(value).map(SafeZone::Tokens),
    }
}
