//! The table `[lint]` of the config file: a command that checks the files that the model changed.

use super::Error;
use super::file::{seconds_of, text_of, wrong};
use super::unknown::unknown;
use std::path::Path;
use std::time::Duration;
use toml::Value;

/// The maximum time for which a model waits for an editor's diagnostics.
const MAX_WAIT_MS: u64 = 60_000;

/// The command that runs after changes. Without a command, none runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintSettings {
    /// The command; the changed files are appended to it.
    pub command: Option<String>,
    /// Globs of the paths to check; none matches every file.
    pub globs: Vec<String>,
    /// The timeout.
    pub timeout: Option<Duration>,
    /// The time to wait for an editor's diagnostics of a changed file; zero does not wait.
    pub report_wait: Option<Duration>,
}

/// Reads the table. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(
    value: Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<LintSettings, Error> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "lint", "a table: [lint]"));
    };
    let mut set = LintSettings::default();
    for (key, value) in table {
        let at = format!("lint.{key}");
        match key.as_str() {
            "command" => set.command = Some(text_of(&value, &at, path)?),
            "timeout_s" => set.timeout = Some(seconds_of(&value, &at, path)?),
            "globs" => {
                let want = "a list of globs in quotes, such as [\"*.rs\"]";
                let globs = value.as_array().and_then(|list| {
                    list.iter().map(|glob| glob.as_str().map(str::to_owned)).collect()
                });
                set.globs = globs.ok_or_else(|| wrong(path, &at, want))?;
            }
            "wait_ms" => {
                let wait = value.as_integer().and_then(|ms| u64::try_from(ms).ok());
                let wait = wait.filter(|ms| *ms <= MAX_WAIT_MS);
                let want = format!("milliseconds, from 0 to {MAX_WAIT_MS}");
                let wait = wait.ok_or_else(|| wrong(path, &at, &want))?;
                set.report_wait = Some(Duration::from_millis(wait));
            }
            _ => warnings.push(unknown(path, &at)),
        }
    }
    Ok(set)
}
