//! The tables `[[hooks]]` of the config file: commands that run at points of the engine's work.
//!
//! Only the user's own config file can set hooks; a repository cannot.

use super::Error;
use super::file::{seconds_of, text_of, wrong};
use super::unknown::unknown;
use pintle_protocol::hook::{HookPoint, OnFailure};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;
use toml::Value;

/// The points and their names.
const POINTS: &str = "inputReceived, beforeAgent, contextBuilt, beforeModelRequest, afterModelResponse, beforeToolCall, afterToolCall, sessionCompact, sessionStart, sessionFork, sessionSwitch or sessionEnd";

/// A hook of the config file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSettings {
    /// The point at which it runs.
    pub point: HookPoint,
    /// The command.
    pub command: String,
    /// The tools whose calls it sees.
    pub tools: Option<Vec<String>>,
    /// The timeout.
    pub timeout: Option<Duration>,
    /// The effect of a failure.
    pub on_failure: OnFailure,
}

/// Reads the tables, in order. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(
    value: &Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<Vec<HookSettings>, Error> {
    let rows = value.as_array().ok_or_else(|| wrong(path, "hooks", "tables: [[hooks]]"))?;
    let mut hooks = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        hooks.push(hook(row, &format!("hooks[{number}]"), path, warnings)?);
    }
    Ok(hooks)
}

fn hook(
    row: &Value,
    at: &str,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<HookSettings, Error> {
    let table = row.as_table().ok_or_else(|| wrong(path, at, "a table: [[hooks]]"))?;
    let (mut point, mut command, mut tools, mut timeout) = (None, None, None, None);
    let mut on_failure = OnFailure::default();
    for (key, value) in table {
        let at = format!("{at}.{key}");
        match key.as_str() {
            "point" => {
                let found = HookPoint::deserialize(value.clone());
                point = Some(found.map_err(|_| wrong(path, &at, POINTS))?);
            }
            "command" => {
                let text = text_of(value, &at, path)?;
                if text.trim().is_empty() {
                    return Err(wrong(path, &at, "a command"));
                }
                command = Some(text);
            }
            "tools" => {
                let want = "a list of names in quotes, with * for any text";
                let list = value.as_array().ok_or_else(|| wrong(path, &at, want))?;
                let names = list.iter().map(|name| name.as_str().map(str::to_owned));
                let names = names.collect::<Option<Vec<_>>>();
                tools = Some(names.ok_or_else(|| wrong(path, &at, want))?);
            }
            "timeout_s" => timeout = Some(seconds_of(value, &at, path)?),
            "on_failure" => {
                on_failure = OnFailure::deserialize(value.clone())
                    .map_err(|_| wrong(path, &at, "\"closed\" or \"open\""))?;
            }
            _ => warnings.push(unknown(path, &at)),
        }
    }
    let point = point.ok_or_else(|| wrong(path, &format!("{at}.point"), POINTS))?;
    let command = command.ok_or_else(|| wrong(path, &format!("{at}.command"), "a command"))?;
    if tools.is_some() && !matches!(point, HookPoint::BeforeToolCall | HookPoint::AfterToolCall) {
        let file = path.display();
        warnings.push(format!("{file}: `{at}.tools` has no effect at this point and is ignored"));
    }
    Ok(HookSettings { point, command, tools, timeout, on_failure })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_read_in_order_and_a_wrong_one_says_where() {
        let rows = [
            (
                "whole",
                "[[hooks]]\npoint = \"beforeToolCall\"\ncommand = \"check\"\ntools = [\"bash\", \"edit*\"]\ntimeout_s = 5\non_failure = \"open\"",
            ),
            ("short", "[[hooks]]\npoint = \"sessionStart\"\ncommand = \"hello\""),
            (
                "two",
                "[[hooks]]\npoint = \"sessionStart\"\ncommand = \"a\"\n[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"b\"",
            ),
            ("of a fork", "[[hooks]]\npoint = \"sessionFork\"\ncommand = \"a\""),
            ("no point", "[[hooks]]\ncommand = \"a\""),
            ("an odd point", "[[hooks]]\npoint = \"never\"\ncommand = \"a\""),
            ("no command", "[[hooks]]\npoint = \"sessionEnd\""),
            ("one table", "[hooks]\npoint = \"sessionEnd\""),
            ("no time", "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\ntimeout_s = 0"),
            (
                "an odd failure",
                "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\non_failure = \"x\"",
            ),
            ("an odd key", "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\ncolour = 1"),
            (
                "tools where there are none",
                "[[hooks]]\npoint = \"sessionEnd\"\ncommand = \"a\"\ntools = [\"bash\"]",
            ),
        ];
        let told = rows.map(|(name, text)| {
            let table: toml::Table = text.parse().unwrap();
            let mut warnings = Vec::new();
            let read = parse(&table["hooks"], Path::new("c"), &mut warnings);
            let read = read.map(|hooks| {
                let hooks = hooks.iter().map(|hook| format!("{hook:?}"));
                hooks.collect::<Vec<_>>().join(" + ")
            });
            let read = read.unwrap_or_else(|error| error.message);
            let said: Vec<_> = [read].into_iter().chain(warnings).collect();
            format!("{name}: {}", said.join(" "))
        });
        expect_test::expect![[r#"
            whole: HookSettings { point: BeforeToolCall, command: "check", tools: Some(["bash", "edit*"]), timeout: Some(5s), on_failure: Open }
            short: HookSettings { point: SessionStart, command: "hello", tools: None, timeout: None, on_failure: Closed }
            two: HookSettings { point: SessionStart, command: "a", tools: None, timeout: None, on_failure: Closed } + HookSettings { point: SessionEnd, command: "b", tools: None, timeout: None, on_failure: Closed }
            of a fork: HookSettings { point: SessionFork, command: "a", tools: None, timeout: None, on_failure: Closed }
            no point: c: `hooks[0].point` must be inputReceived, beforeAgent, contextBuilt, beforeModelRequest, afterModelResponse, beforeToolCall, afterToolCall, sessionCompact, sessionStart, sessionFork, sessionSwitch or sessionEnd
            an odd point: c: `hooks[0].point` must be inputReceived, beforeAgent, contextBuilt, beforeModelRequest, afterModelResponse, beforeToolCall, afterToolCall, sessionCompact, sessionStart, sessionFork, sessionSwitch or sessionEnd
            no command: c: `hooks[0].command` must be a command
            one table: c: `hooks` must be tables: [[hooks]]
            no time: c: `hooks[0].timeout_s` must be a whole number of seconds from 1 on
            an odd failure: c: `hooks[0].on_failure` must be "closed" or "open"
            an odd key: HookSettings { point: SessionEnd, command: "a", tools: None, timeout: None, on_failure: Closed } c: `hooks[0].colour` is unknown and ignored
            tools where there are none: HookSettings { point: SessionEnd, command: "a", tools: Some(["bash"]), timeout: None, on_failure: Closed } c: `hooks[0].tools` has no effect at this point and is ignored"#]].assert_eq(&told.join("\n"));
    }
}
