//! The table `[limits]` of the config file.

use super::Error;
use super::file::wrong;
use super::unknown::unknown;
use std::path::Path;
use toml::Value;

/// The default budget of a turn. `None` keeps the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LimitSettings {
    /// The maximum number of model replies.
    pub steps: Option<u32>,
    /// The maximum number of tool calls.
    pub tool_calls: Option<u64>,
    /// The maximum number of tokens.
    pub tokens: Option<u64>,
    /// The maximum cost, in billionths of a US dollar.
    pub cost_nano_usd: Option<u64>,
    /// The maximum duration, in seconds.
    pub seconds: Option<u64>,
    /// The number of automatic continuations of a reply that was cut at its length limit.
    pub continuations: Option<u32>,
    /// The maximum number of turns of a session.
    pub turns: Option<u64>,
    /// The number of calls that are compared to find repetitions; 0 disables the check.
    pub loop_window: Option<u32>,
    /// The depth to which sub-agents may start sub-agents of their own; 0 disables sub-agents.
    pub subagent_depth: Option<u32>,
}

/// Reads the table. An unknown key is a warning, a value of the wrong type an error.
pub(super) fn parse(
    value: Value,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<LimitSettings, Error> {
    let Value::Table(table) = value else {
        return Err(wrong(path, "limits", "a table: [limits]"));
    };
    let mut set = LimitSettings::default();
    for (key, value) in table {
        let at = format!("limits.{key}");
        match key.as_str() {
            "steps" => set.steps = Some(count(&value, 1, &at, path)?),
            "tool_calls" => set.tool_calls = Some(count(&value, 1, &at, path)?),
            "tokens" => set.tokens = Some(count(&value, 1, &at, path)?),
            "seconds" => set.seconds = Some(count(&value, 1, &at, path)?),
            "continuations" => set.continuations = Some(count(&value, 0, &at, path)?),
            "turns" => set.turns = Some(count(&value, 1, &at, path)?),
            "loop_window" => set.loop_window = Some(loop_window(&value, &at, path)?),
            "subagent_depth" => set.subagent_depth = Some(count(&value, 0, &at, path)?),
            "cost_usd" => {
                let usd = value.as_float().or_else(|| whole_usd(&value));
                let want = "an amount in US dollars, such as 0.5";
                set.cost_nano_usd = Some(nano_usd(usd).ok_or_else(|| wrong(path, &at, want))?);
            }
            _ => warnings.push(unknown(path, &at)),
        }
    }
    Ok(set)
}

/// A window of calls: fewer than four cannot show a repetition of two calls.
fn loop_window(value: &Value, key: &str, path: &Path) -> Result<u32, Error> {
    let calls = value.as_integer().and_then(|calls| u32::try_from(calls).ok());
    let calls = calls.filter(|calls| *calls == 0 || (4..=1000).contains(calls));
    calls.ok_or_else(|| wrong(path, key, "a number of calls from 4 to 1000, or 0 for no check"))
}

fn whole_usd(value: &Value) -> Option<f64> {
    value.as_integer().and_then(|usd| i32::try_from(usd).ok()).map(f64::from)
}

fn count<T: TryFrom<i64>>(value: &Value, min: i64, key: &str, path: &Path) -> Result<T, Error> {
    let number = value.as_integer().filter(|number| *number >= min);
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| wrong(path, key, &format!("a whole number from {min} on")))
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
