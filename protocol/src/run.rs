//! The lines of `pintle run --format json` and `--format events` that are no events.

use crate::content::Usage;
use crate::event::TurnError;
use crate::ids::{SessionId, TurnId};
use crate::item::ItemStatus;
use crate::methods::PeerInfo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The first line and the last line of `pintle run --format events`; `--format json` prints the last one alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum RunLine {
    /// The first line.
    Header(RunHeader),
    /// The last line, at every end.
    Result(Box<RunResult>),
}

/// First line of `pintle run --format events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunHeader {
    /// Protocol version of the events.
    pub protocol: String,
    /// Hash of the protocol's schema.
    pub schema_hash: String,
    /// Engine.
    pub engine: PeerInfo,
    /// Session.
    pub session_id: SessionId,
    /// Working directory.
    pub cwd: String,
}

/// Result of `pintle run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// Kind of end.
    pub status: RunStatus,
    /// Reason for the exit code, as a stable word: `done`, `denied`, `unchanged`, `outputInvalid`, `wallClock`, `signal`, `interrupted`,
    /// `usage`, `conflict`, `auth`, `internal`, the code of the limit's notice, or that of the turn's error. More may be added.
    pub stop: String,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Session; absent if none could be created or opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Path of the session's journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// Last message of the model.
    pub text: String,
    /// Answer that satisfies `--output-schema`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// Number of replies of the model.
    pub steps: u32,
    /// Duration of the turn, in milliseconds.
    pub duration_ms: u64,
    /// Token usage of the task, including sub-agents and the title.
    pub usage: Usage,
    /// Their cost, in billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// The same cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Model that answered last, as `provider/id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Files that the agent changed.
    pub changes: RunChanges,
    /// Commands that ran, in order.
    pub commands: Vec<RunCommand>,
    /// Calls that were denied.
    pub denials: Vec<RunDenial>,
    /// Findings that the model reported, in order, each once; only if a report was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Changes in the task's copy; only with `--isolation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<RunIsolation>,
    /// The attempts, in their order; only with `--attempts`. The other fields describe the attempt that was chosen, or else the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<RunAttempt>,
    /// Changed files that the patch omits because they are outside the session's directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_in_patch: Vec<String>,
    /// Error, if the task failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
}

/// One of several attempts at a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunAttempt {
    /// Session; absent if none could be created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Model that answered last, as `provider/id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Reason for the end, as in `stop` of the result.
    pub stop: String,
    /// Files that the agent changed, under their paths in the project.
    pub changes: RunChanges,
    /// Cost, in billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// Verdict of the judge; absent without a judge, or if the attempt was not completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<RunVerdict>,
    /// True for the attempt whose changes were applied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
    /// Directory of the copy with the unapplied changes; absent if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

/// Verdict of a judge about an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunVerdict {
    /// True if the judge exited with 0.
    pub accepted: bool,
    /// Number in the last line of its output, if there is one; higher is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// End of its output.
    pub output: String,
}

/// Changes in a task's copy, and whether they were applied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunIsolation {
    /// Changed files of the project, absolute; empty if there were conflicts or the task failed.
    pub applied: Vec<String>,
    /// Files of the project with conflicting changes, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Directory of the copy with the unapplied changes; absent if there are none, in which case the copy was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

/// Kind of end of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RunStatus {
    /// The task was completed.
    Success,
    /// Something was denied.
    Denied,
    /// Nothing was changed, though changes were required.
    Unchanged,
    /// A limit ended it.
    Limit,
    /// Ended by a signal, or by the time limit of the entire task.
    Interrupted,
    /// Failed; `error` gives the reason.
    Failed,
}

/// Files that differ from before the task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunChanges {
    /// Their absolute paths, sorted.
    pub files: Vec<String>,
    /// The lines added.
    pub added: u64,
    /// The lines removed.
    pub removed: u64,
}

/// A command that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCommand {
    /// Complete command.
    pub command: String,
    /// Its end: `cancelled` if the task ended first.
    pub status: ItemStatus,
    /// Its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

/// Something wrong at a place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// File, relative to the working directory.
    pub path: String,
    /// First line, 1-based; absent if the finding applies to the entire file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Last line, which is part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u64>,
    /// Its weight.
    pub severity: FindingSeverity,
    /// Name for its kind.
    pub rule: String,
    /// The model's words about it.
    pub message: String,
    /// Replacement text for these lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// Severity of a finding. Ordered from the least to the most severe.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum FindingSeverity {
    /// Worth knowing.
    Note,
    /// To be looked at.
    Warning,
    /// Must be fixed.
    Error,
}

/// A call that was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDenial {
    /// Tool.
    pub tool: String,
    /// Human-readable call.
    pub title: String,
    /// Reason, as reported to the model.
    pub reason: String,
    /// Option or rule that would have allowed it; absent if none would, or if a user's rule denied it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
