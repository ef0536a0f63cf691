//! The table `[sessions]` of the config file: how long stored sessions are kept.

use super::Error;
use super::file::wrong;
use std::path::Path;
use toml::Value;

/// How long sessions are kept. What is `None` deletes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionSettings {
    /// Days after the last change.
    pub keep_days: Option<u32>,
    /// How many, the newest.
    pub keep_count: Option<u32>,
    /// The most room that all of them take, in MiB; the oldest go first.
    pub max_mb: Option<u32>,
}

/// Reads the table. A key that means nothing is a warning, a value of the wrong kind an error.
pub(super) fn parse(
    value: Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<SessionSettings, Error> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "sessions", "a table: [sessions]"));
    };
    let mut set = SessionSettings::default();
    for (key, value) in table {
        let at = format!("sessions.{key}");
        let field = match key.as_str() {
            "keep_days" => &mut set.keep_days,
            "keep_count" => &mut set.keep_count,
            "max_mb" => &mut set.max_mb,
            _ => {
                warnings.push(format!("{}: `{at}` means nothing and is ignored", path.display()));
                continue;
            }
        };
        // Zero would be all of them; that is said with `pintle sessions delete`.
        let number = value.as_integer().filter(|number| *number >= 1);
        let number = number.and_then(|number| u32::try_from(number).ok());
        *field = Some(number.ok_or_else(|| wrong(path, &at, "a whole number from 1 on"))?);
    }
    Ok(set)
}
