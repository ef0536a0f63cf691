//! The table `[context]` of the config file.

use super::Error;
use super::file::{flag_of, wrong};
use std::path::Path;
use toml::Value;

/// How room is made in a long conversation. What is `None` is as it is without a config file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContextSettings {
    /// Whether it is done without being asked.
    pub automatic: Option<bool>,
    /// The tokens that stay free for the answer.
    pub reserve: Option<u64>,
    /// The tokens at the end that stay word for word.
    pub keep: Option<u64>,
    /// Where old results begin to go.
    pub safe: Option<SafeZone>,
}

/// Up to where nothing is pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SafeZone {
    /// So many tokens.
    Tokens(u64),
    /// So many hundredths of the window.
    Percent(u64),
}

/// Reads the table. A key that means nothing is a warning, a value of the wrong kind an error.
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
            _ => warnings.push(format!("{}: `{at}` means nothing and is ignored", path.display())),
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
