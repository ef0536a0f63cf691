//! The table `[sessions]` of the config file: the retention of stored sessions.

use super::Error;
use super::file::wrong;
use super::unknown::unknown;
use std::path::Path;
use toml::Value;

/// Retention limits. A limit that is `None` deletes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SessionSettings {
    /// The number of days to keep a session after its last change.
    pub keep_days: Option<u32>,
    /// The number of sessions to keep, newest first.
    pub keep_count: Option<u32>,
    /// The maximum size of all sessions together, in MiB; the oldest are deleted first.
    pub max_mb: Option<u32>,
}

/// Reads the table. An unknown key is a warning, a value of the wrong type an error.
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
                warnings.push(unknown(path, &at));
                continue;
            }
        };
        // Zero would delete all sessions; `pintle sessions delete` is the command for that.
        let number = value.as_integer().filter(|number| *number >= 1);
        let number = number.and_then(|number| u32::try_from(number).ok());
        *field = Some(number.ok_or_else(|| wrong(path, &at, "a whole number from 1 on"))?);
    }
    Ok(set)
}
