//! Approvals: requests for permission, with their options, answers and outcomes.

use crate::diff::FileChange;
use crate::ids::{ApprovalId, ItemId, SessionId, TurnId};
use crate::item::{Location, ToolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request for permission to run one tool call. The same value is logged in `approval.requested` and sent with the
/// request `approval/request`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Approval id.
    pub approval_id: ApprovalId,
    /// Session it belongs to.
    pub session_id: SessionId,
    /// Turn that waits.
    pub turn_id: TurnId,
    /// Tool call that waits.
    pub item_id: ItemId,
    /// Tool name.
    pub tool_name: String,
    /// Kind of tool.
    pub kind: ToolKind,
    /// One line for the user: `bash: rm -r build`.
    pub title: String,
    /// Reason why permission is needed, in a sentence.
    pub reason: String,
    /// The tool's complete arguments: the command, or the text to write.
    pub input: Value,
    /// The files concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// Human-readable rule or default that requires approval.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decided_by: String,
    /// Everything to be approved, in full, for the user to read: the command, the paths, the content. A client shows every part, or denies
    /// the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<ApprovalDetail>,
    /// File changes that the call would make, computed from the current files. Omitted if the call changes no file or its changes are not
    /// known in advance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// True if the answer may contain `edits`. Older engines ignore them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub editable: bool,
    /// Options to choose from.
    pub options: Vec<ApprovalOption>,
    /// Deadline after which the call is denied, in milliseconds since 1970; 0 in sessions of older engines, which had none.
    #[serde(default)]
    pub deadline_ms: u64,
}

impl Approval {
    /// Checks an answer's edits.
    ///
    /// # Errors
    /// Fails if the approval accepts no edits, the answer does not allow the call, or a path is not a text file that the call would write.
    pub fn check_edits(&self, answer: &ApprovalAnswer) -> Result<(), String> {
        if answer.edits.is_empty() {
            return Ok(());
        }
        if !self.editable {
            return Err("this call's changes cannot be edited".to_owned());
        }
        let chosen =
            |option: &&ApprovalOption| answer.option_id.as_ref() == Some(&option.option_id);
        let chosen = self.options.iter().find(chosen);
        if answer.dismissed || chosen.is_none_or(|option| option.decision != Decision::Allow) {
            return Err("`edits` require an option that allows the call".to_owned());
        }
        for (at, edit) in answer.edits.iter().enumerate() {
            let path = &edit.path;
            if !self.changes.iter().any(|change| change.path == *path && change.is_editable()) {
                return Err(format!("`{path}` is not a text file that the call would write"));
            }
            if answer.edits.iter().take(at).any(|other| other.path == *path) {
                return Err(format!("`{path}` has more than one edit"));
            }
        }
        Ok(())
    }
}

/// Part of a call that requires the user's approval. Control characters, and characters that are invisible or change the text direction,
/// are drawn as signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalDetail {
    /// Kind of text.
    pub kind: DetailKind,
    /// Complete text, with its line ends.
    pub text: String,
}

/// Kind of text shown with an approval request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DetailKind {
    /// A command of the shell.
    Command,
    /// Resolved file path.
    Path,
    /// The text that is written or inserted.
    Content,
    /// A change of a file, as a diff or a patch.
    Diff,
    /// An address on the network.
    Address,
    /// Tool arguments as JSON.
    Arguments,
    /// A description by the model itself, which may be wrong.
    ModelText,
}

impl DetailKind {
    /// User-facing heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Command => "Command",
            Self::Path => "File",
            Self::Content => "Content",
            Self::Diff => "Change",
            Self::Address => "Address",
            Self::Arguments => "Arguments",
            Self::ModelText => "In the model's words",
        }
    }
}

/// Option offered to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOption {
    /// Id to send back.
    pub option_id: String,
    /// Label to show.
    pub label: String,
    /// Decision that this option represents.
    pub decision: Decision,
    /// Scope in which the decision holds.
    pub scope: Scope,
    /// Human-readable rules that the option adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// A decision about a tool call. A reader never takes an unknown value as permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// The call may run.
    Allow,
    /// The call does not run; the turn continues and the model is informed.
    Deny,
    /// The call does not run and the turn ends.
    Abort,
}

/// Decision scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// This call.
    Once,
    /// Calls like this one until the turn ends.
    Turn,
    /// Calls like this one until the session is closed.
    Session,
    /// Calls like this one in this project, also in later sessions.
    Project,
    /// Calls like this one everywhere.
    User,
}

/// Answer to `approval/request`: `optionId` or `dismissed`. An answer with neither, or with an option that was not offered, denies this one
/// call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswer {
    /// Chosen option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_id: Option<String>,
    /// A message for the model, sent with a denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// True if the dialog was closed without a choice, which denies this one call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dismissed: bool,
    /// The user's edits to the proposed files, applied after the call. They require an `editable` approval and an option that allows the
    /// call. The model receives the difference. If an edit cannot be applied, a `proposalNotEdited` notice names the file that has its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<ProposalEdit>,
}

/// The user's edit to a proposed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposalEdit {
    /// Path of one of the approval's `changes`. Deleted files cannot be edited.
    pub path: String,
    /// The complete text that the call would have written, as shown to the user. If the file turns out different, the edit is merged.
    pub proposed: String,
    /// The complete text to write instead.
    pub text: String,
}

/// Answer to an approval, sent as a client request. If it selects no offered option, it is refused, and the approval stays pending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswerParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Approval.
    pub approval_id: ApprovalId,
    /// The answer.
    #[serde(flatten)]
    pub answer: ApprovalAnswer,
}

/// Approval outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOutcome {
    /// Approval.
    pub approval_id: ApprovalId,
    /// Tool call.
    pub item_id: ItemId,
    /// Decision.
    pub decision: Decision,
    /// Scope in which the decision holds.
    pub scope: Scope,
    /// Origin of the decision.
    pub by: DecidedBy,
    /// The user's message to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// Paths of the proposed files that the user edited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<String>,
}

/// Origin of an approval decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DecidedBy {
    /// A client.
    Client,
    /// No client could answer.
    NoApprover,
    /// The deadline passed.
    Deadline,
    /// The turn was interrupted while it waited.
    Interrupt,
}

/// Permission mode: which tool calls run without asking. Rules are applied on top. Ordered from the strictest to the widest.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Reading in the workspace and harmless commands run; changes and other commands are denied.
    #[serde(alias = "read-only")]
    ReadOnly,
    /// Reading in the workspace and harmless commands run; everything else requires approval.
    #[default]
    Ask,
    /// File changes in the workspace also run without approval, as do commands in the sandbox. Without a sandbox, commands require
    /// approval.
    #[serde(alias = "auto-edit")]
    AutoEdit,
    /// Nothing requires approval unless a rule demands it.
    Full,
}

impl PermissionMode {
    /// All modes, with their names on the command line and in `config.toml`.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("read-only", Self::ReadOnly),
        ("ask", Self::Ask),
        ("auto-edit", Self::AutoEdit),
        ("full", Self::Full),
    ];

    /// Returns the mode with a name of the protocol, the command line or `config.toml`.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .map(|(_, mode)| *mode)
            .find(|mode| mode.name() == name || mode.wire_name() == name)
    }

    /// The name in the protocol.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::ReadOnly => "readOnly",
            Self::Ask => "ask",
            Self::AutoEdit => "autoEdit",
            Self::Full => "full",
        }
    }

    /// The name on the command line and in `config.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Ask => "ask",
            Self::AutoEdit => "auto-edit",
            Self::Full => "full",
        }
    }
}
