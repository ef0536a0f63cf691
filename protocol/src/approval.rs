//! Approvals: a question of permission, its options and its answer.

use crate::ids::{ApprovalId, ItemId, SessionId, TurnId};
use crate::item::{Location, ToolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question of permission about one tool call. The same value is logged in
/// `approval.requested` and sent with the request `approval/request`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// The question's id.
    pub approval_id: ApprovalId,
    /// The session it stands in.
    pub session_id: SessionId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// The tool call that waits.
    pub item_id: ItemId,
    /// The tool's name.
    pub tool_name: String,
    /// What kind of act it is.
    pub kind: ToolKind,
    /// One line for a person: `bash: rm -r build`.
    pub title: String,
    /// Why it is asked, in a sentence.
    pub reason: String,
    /// The tool's arguments, whole: the command, or the text to write.
    pub input: Value,
    /// Files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// The answers to choose from.
    pub options: Vec<ApprovalOption>,
}

/// One answer a person can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOption {
    /// What to send back.
    pub option_id: String,
    /// What to show.
    pub label: String,
    /// What it decides.
    pub decision: Decision,
    /// How long it holds.
    pub scope: Scope,
}

/// What an answer decides. A reader never takes a value it does not know for a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// The call may run.
    Allow,
    /// The call does not run; the turn goes on and the model is told.
    Deny,
    /// The call does not run and the turn ends.
    Abort,
}

/// How long a decision holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// For this call.
    Once,
    /// For calls like this until the session is closed.
    Session,
}

/// The answer to `approval/request`. One of `optionId` and `dismissed` is expected; an answer with
/// neither, or with an option that was not offered, counts as a denial of this one call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswer {
    /// The chosen option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_id: Option<String>,
    /// What the model should read with a denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The question was closed without a choice: deny once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dismissed: bool,
}

/// An answer to a question of permission that is sent by itself. One that names no offered option is refused, and the question
/// stays open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswerParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The question.
    pub approval_id: ApprovalId,
    /// The answer.
    #[serde(flatten)]
    pub answer: ApprovalAnswer,
}

/// How a question of permission ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOutcome {
    /// The question.
    pub approval_id: ApprovalId,
    /// The tool call.
    pub item_id: ItemId,
    /// What was decided.
    pub decision: Decision,
    /// How long it holds.
    pub scope: Scope,
    /// Who decided.
    pub by: DecidedBy,
    /// What the person said with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
}

/// Who answered a question of permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DecidedBy {
    /// A client.
    Client,
    /// Nobody was there who could answer.
    NoApprover,
    /// The turn was interrupted while it waited.
    Interrupt,
}

/// What needs no question. Finer rules come on top of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Reading is free; writing and running ask.
    #[default]
    Ask,
    /// Nothing asks.
    Full,
}
