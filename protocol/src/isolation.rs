//! Isolated sessions, which work in a copy of the project until their changes are applied to the user's files.

use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Isolation of a new session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IsolationRequest {
    /// Kind of copy.
    pub kind: IsolationKind,
    /// Start a worktree with uncommitted changes and untracked files; default: from the last commit. A copy always contains them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncommitted: bool,
}

/// Kind of copy that an isolated session works in. Files that git ignores are in neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum IsolationKind {
    /// A git worktree with a detached `HEAD`: it shares commits and branches with the project's repository.
    Worktree,
    /// A copy of the project, with its repository if it has one.
    Copy,
}

/// A session's isolation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Isolation {
    /// Kind of copy.
    pub kind: IsolationKind,
    /// Directory of the copy.
    pub root: String,
    /// Directory that was copied: the repository's, or without one the working directory.
    pub original: String,
    /// The user's working directory, of which the session's is the copy.
    pub cwd: String,
}

/// Handling of lines changed by both the user and the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnConflict {
    /// Write both versions between conflict markers, as git does. A file that cannot hold markers does not change.
    #[default]
    Mark,
    /// Change nothing.
    Refuse,
}

/// Params of `isolation/apply`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IsolationApplyParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Handling of conflicts.
    #[serde(default)]
    pub on_conflict: OnConflict,
}

/// Result of `isolation/apply`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IsolationApplyResult {
    /// False if no file was changed, because of a conflict or because all changes are applied already.
    pub applied: bool,
    /// Files with unapplied changes, by path.
    pub files: Vec<AppliedFile>,
}

/// File changed in an isolated session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppliedFile {
    /// Path of the user's file, absolute.
    pub path: String,
    /// Path of the isolated file, absolute.
    pub isolated: String,
    /// Outcome; after a refusal, the expected one.
    pub outcome: ApplyOutcome,
}

/// Outcome for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ApplyOutcome {
    /// The agent's changes were merged into the user's file.
    Applied,
    /// The user's file already contained the changes.
    Unchanged,
    /// Both have changed the same lines: the user's file contains both versions between conflict markers.
    Conflict,
    /// Both have changed a file that cannot hold conflict markers, such as a binary or deleted one: the user's file did not change, and the
    /// agent's version stays in the copy.
    Kept,
}

/// An isolated session's changes were applied to the user's files. The preceding `files.changed` contain the new states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IsolationApplied {
    /// Files, by path.
    pub files: Vec<AppliedFile>,
}

/// Params of `isolation/discard`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IsolationDiscardParams {
    /// Session.
    pub session_id: SessionId,
}
