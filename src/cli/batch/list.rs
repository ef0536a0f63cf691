//! The task list: one JSON object per line, checked as a whole before anything runs. Pure.
//!
//! A task is identified by its id and by a digest of its line's content; the same line written differently (spaces, key order) has the same
//! digest. Command line options are not included.

use crate::cli::args::batch::{Each, Shard};
use anyhow::{Context, bail, ensure};
use pintle_agent::config;
use pintle_protocol::event::TurnLimits;
use pintle_protocol::isolation::IsolationKind;
use pintle_protocol::plan::WorkMode;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Maximum length of an id, in bytes: a directory name with room for what programs append.
const MAX_ID_BYTES: usize = 100;

/// Names in the results directory that do not belong to tasks.
const RESERVED: [&str; 3] = ["batch.json", "summary.json", "usage.jsonl"];

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Task {
    /// Its directory's name; by default `line-` and its line number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    /// The task, as for `pintle run`.
    pub(super) prompt: String,
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dir: Option<PathBuf>,
    /// The model, as for `--model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    /// The work mode, as for `--mode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<WorkMode>,
    /// The kind of copy to work in, as for `--isolation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) isolation: Option<IsolationKind>,
    /// Files that belong to the task, relative to its directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) attach: Vec<PathBuf>,
    /// The tools that the model sees, as for `--tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<Vec<String>>,
    /// The JSON Schema that the answer must satisfy: the schema itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) output_schema: Option<Value>,
    /// As `--require-changes`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) require_changes: bool,
    /// As `--fail-on-denied`; true if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fail_on_denied: Option<bool>,
    /// Its limits.
    #[serde(default, skip_serializing_if = "TaskLimits::is_empty")]
    pub(super) limits: TaskLimits,
}

/// A task's limits, named after the options of `pintle run`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct TaskLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_steps: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tool_calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    /// In US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_cost: Option<f64>,
    /// In seconds, between two replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_seconds: Option<u64>,
    /// In seconds, whatever runs then.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<u64>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_timeout: Option<u64>,
}

/// The limits that a task runs with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct RunLimits {
    pub(super) turn: TurnLimits,
    /// In seconds.
    pub(super) wall: Option<u64>,
    /// In seconds.
    pub(super) idle: Option<u64>,
}

impl TaskLimits {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns a task's limits: its own, else those for each task.
    pub(super) fn or(self, each: &Each) -> RunLimits {
        let seconds = self.max_seconds.or(each.task_max_seconds);
        RunLimits {
            turn: TurnLimits {
                steps: self.max_steps.or(each.task_max_steps),
                tool_calls: self.max_tool_calls.or(each.task_max_tool_calls),
                tokens: self.max_tokens.or(each.task_max_tokens),
                cost_nano_usd: config::nano_usd(self.max_cost).or(each.task_max_cost),
                duration_ms: seconds.map(|seconds| seconds.saturating_mul(1000)),
            },
            wall: self.timeout.or(each.task_timeout),
            idle: self.idle_timeout.or(each.task_idle_timeout),
        }
    }

    fn check(&self) -> anyhow::Result<()> {
        let whole = [
            ("maxSteps", self.max_steps.map(u64::from)),
            ("maxToolCalls", self.max_tool_calls),
            ("maxTokens", self.max_tokens),
            ("maxSeconds", self.max_seconds),
            ("timeout", self.timeout),
            ("idleTimeout", self.idle_timeout),
        ];
        for (name, value) in whole {
            ensure!(value != Some(0), "`limits.{name}` is 0; omit it for no limit");
        }
        if let Some(cost) = self.max_cost {
            let is_amount = config::nano_usd(Some(cost)).is_some_and(|cost| cost > 0);
            ensure!(
                is_amount,
                "`limits.maxCost` is {cost}; expected an amount in US dollars, such as 0.5"
            );
        }
        Ok(())
    }
}

/// A task of the list, known by its id and digest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    pub(super) mark: Mark,
    pub(super) task: Task,
}

/// A task's identity: in its result, in `batch.json`, and in the summary's rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Mark {
    /// Its directory name.
    pub(super) id: String,
    /// Its line, from 1.
    pub(super) line: usize,
    /// SHA-256 of the line's content, in hexadecimal.
    pub(super) digest: String,
}

/// Reads a list; `name` is the list's name, for errors.
///
/// # Errors
/// Fails if a line is not a task, giving the line and column; if two tasks have the same id; or if there are no tasks.
pub(super) fn parse(name: &str, text: &str) -> anyhow::Result<Vec<Listed>> {
    let mut listed: Vec<Listed> = Vec::new();
    // Some file systems treat `A` and `a` as one name.
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (at, text) in text.lines().enumerate() {
        let line = at + 1;
        if text.trim().is_empty() {
            continue;
        }
        let task: Task = serde_json::from_str(text).map_err(|error| {
            let column = error.column();
            let said = error.to_string();
            let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
            anyhow::anyhow!("{name}:{line}:{column}: {said}")
        })?;
        check(&task).with_context(|| format!("{name}:{line}"))?;
        let id = task.id.clone().unwrap_or_else(|| format!("line-{line:04}"));
        if let Some(first) = lines.insert(id.to_ascii_lowercase(), line) {
            bail!(
                "{name}:{line}: duplicate id `{id}`, first used in line {first}; ids are directory names"
            );
        }
        let digest = hex(task_digest(&task).as_ref());
        listed.push(Listed { mark: Mark { id, line, digest }, task });
    }
    ensure!(
        !listed.is_empty(),
        "{name}: no tasks in the list; expected lines such as {{\"prompt\":\"…\"}}"
    );
    Ok(listed)
}

fn check(task: &Task) -> anyhow::Result<()> {
    ensure!(!task.prompt.trim().is_empty(), "the task is empty");
    if let Some(id) = &task.id {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let is_safe = !id.is_empty()
            && id.len() <= MAX_ID_BYTES
            && id.chars().all(is_plain)
            && id.starts_with(|c: char| c.is_ascii_alphanumeric());
        ensure!(
            is_safe,
            "invalid id {id:?}: ids are directory names of at most {MAX_ID_BYTES} letters, digits, `.`, `_` and `-`, starting with a letter or digit"
        );
        let is_reserved = RESERVED.iter().any(|name| name.eq_ignore_ascii_case(id));
        ensure!(!is_reserved, "invalid id `{id}`: reserved for a file in the results directory");
    }
    task.limits.check()
}

/// Returns a task's digest without its id, so that a list may be given ids later.
fn task_digest(task: &Task) -> ring::digest::Digest {
    let unnamed = Task { id: None, ..task.clone() };
    digest(&SHA256, &serde_json::to_vec(&unnamed).unwrap_or_default())
}

/// Returns a whole list's digest: of its ids and digests, in order.
pub(super) fn list_digest(marks: &[Mark]) -> String {
    let mut text = String::new();
    for mark in marks {
        let _ = writeln!(text, "{} {}", mark.id, mark.digest);
    }
    hex(digest(&SHA256, text.as_bytes()).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns a shard's tasks, or all.
pub(super) fn of_shard(listed: Vec<Listed>, shard: Option<Shard>) -> Vec<Listed> {
    let places = listed.into_iter().enumerate();
    let in_shard = places.filter(|(place, _)| shard.is_none_or(|shard| shard.has(*place)));
    in_shard.map(|(_, listed)| listed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_task_is_named_with_its_place() {
        for (text, want) in [
            ("", "l: no tasks in the list; expected lines such as {\"prompt\":\"…\"}"),
            (
                "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"pormpt\":1}",
                "l:2:22: unknown field `pormpt`",
            ),
            ("{\"prompt\":\"a\",\"limits\":{\"maxStep\":1}}", "l:1:33: unknown field `maxStep`"),
            ("\n\n{\"id\":\"a\"}", "l:3:10: missing field `prompt`"),
            ("[]", "l:1:2: invalid"),
            ("{\"prompt\":\"a\"", "l:1:13: EOF"),
            ("{\"prompt\":\"a\",\"prompt\":\"b\"}", "l:1:22: duplicate field `prompt`"),
            ("{\"prompt\":\" \"}", "l:1: the task is empty"),
            (
                "{\"prompt\":\"a\",\"id\":\"../x\"}",
                "l:1: invalid id \"../x\": ids are directory names",
            ),
            (
                "{\"prompt\":\"a\",\"id\":\".git\"}",
                "l:1: invalid id \".git\": ids are directory names",
            ),
            (
                "{\"prompt\":\"a\",\"id\":\"a\\u001b\"}",
                "l:1: invalid id \"a\\u{1b}\": ids are directory names",
            ),
            (
                "{\"prompt\":\"a\",\"id\":\"Summary.json\"}",
                "l:1: invalid id `Summary.json`: reserved",
            ),
            (
                "{\"prompt\":\"a\",\"id\":\"x\"}\n\n{\"prompt\":\"a\",\"id\":\"X\"}",
                "l:3: duplicate id `X`, first used in line 1",
            ),
            (
                "{\"prompt\":\"a\",\"id\":\"line-0002\"}\n{\"prompt\":\"a\"}",
                "l:2: duplicate id `line-0002`, ",
            ),
            ("{\"prompt\":\"a\",\"limits\":{\"timeout\":0}}", "l:1: `limits.timeout` is 0"),
            ("{\"prompt\":\"a\",\"limits\":{\"maxCost\":-1}}", "l:1: `limits.maxCost` is -1"),
        ] {
            let error = format!("{:#}", parse("l", text).unwrap_err());
            assert!(error.starts_with(want), "{text}: {error}");
        }
    }

    #[test]
    fn a_digest_changes_with_what_a_line_says_and_not_with_how() {
        let digest = |text: &str| parse("l", text).unwrap().remove(0).mark.digest;
        let first = digest(r#"{"prompt":"a","model":"m","limits":{"maxSteps":3}}"#);
        assert_eq!(
            first,
            digest(r#"{ "id": "x", "limits": {"maxSteps": 3}, "model": "m", "prompt": "a" }"#)
        );
        for other in [
            r#"{"prompt":"b","model":"m","limits":{"maxSteps":3}}"#,
            r#"{"prompt":"a","model":"m","limits":{"maxSteps":4}}"#,
            r#"{"prompt":"a","limits":{"maxSteps":3}}"#,
        ] {
            assert_ne!(first, digest(other), "{other}");
        }
    }
}
