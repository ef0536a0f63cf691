//! Items: the units that a client draws, each started, updated and completed by events.

use crate::approval::PermissionMode;
use crate::content::{Content, Input, Truncation, Usage};
use crate::diff::FileChange;
use crate::ids::{AgentId, ItemId, JobId, SessionId, TurnId};
use crate::plan::WorkMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// Unit that a client can draw. The event that completes an item carries its full value, so the deltas before it are never needed for
/// correctness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Item id.
    pub id: ItemId,
    /// Turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Step (model reply) within the turn, from 1; absent for items that do not come from a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Item status.
    pub status: ItemStatus,
    /// Start time, in milliseconds since 1970; of a call that runs, when it began to run.
    pub started_ms: u64,
    /// Duration in milliseconds; present once the item has ended, unless a crash ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The content, by kind.
    #[serde(flatten)]
    pub body: ItemBody,
}

impl Item {
    /// Returns an item outside turns that starts now.
    pub fn new(id: ItemId, status: ItemStatus, now_ms: u64, body: ItemBody) -> Self {
        Self { id, turn_id: None, step: None, status, started_ms: now_ms, duration_ms: None, body }
    }

    /// Ends the item.
    pub fn end(&mut self, status: ItemStatus, now_ms: u64) {
        self.status = status;
        self.duration_ms = Some(now_ms.saturating_sub(self.started_ms));
    }
}

/// Item status. A reader treats an unknown value as still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ItemStatus {
    /// Announced but not begun; a tool call whose arguments still stream.
    Pending,
    /// In progress.
    Running,
    /// Completed successfully.
    Completed,
    /// Failed; the output gives the reason.
    Failed,
    /// Denied by the user or by the policy; it never ran.
    Declined,
    /// Stopped before its end, or never begun because the turn was stopped.
    Cancelled,
}

/// Item content, distinguished by `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ItemBody {
    /// User message (a prompt, a steer or a follow-up), placed at the point at which the model reads it.
    UserMessage(UserMessage),
    /// A message of the model.
    AgentMessage(TextBody),
    /// The model's reasoning, as far as its provider shows it.
    Reasoning(TextBody),
    /// A tool call.
    ToolCall(Box<ToolCall>),
    /// A background job. It may outlive the turn that started it.
    Job(Box<Job>),
    /// A sub-agent, from its start until it is closed. It may outlive the turn that started it.
    Subagent(Box<Subagent>),
    /// A compaction of the conversation.
    Compaction(Box<Compaction>),
    /// Engine message to the model, placed at the point at which the model reads it.
    EngineMessage(EngineMessage),
}

impl ItemBody {
    /// Returns the user's message, if the item is one.
    pub fn as_user_message(&self) -> Option<&UserMessage> {
        if let Self::UserMessage(message) = self { Some(message) } else { None }
    }

    /// Returns the model's message, if the item is one.
    pub fn as_agent_message(&self) -> Option<&TextBody> {
        if let Self::AgentMessage(message) = self { Some(message) } else { None }
    }

    /// Returns the model's message or reasoning text, if this item is one.
    pub fn as_text(&self) -> Option<&TextBody> {
        if let Self::AgentMessage(body) | Self::Reasoning(body) = self { Some(body) } else { None }
    }

    /// Returns the tool call, if the item is one.
    pub fn as_tool_call(&self) -> Option<&ToolCall> {
        if let Self::ToolCall(call) = self { Some(call) } else { None }
    }

    /// Returns the tool call, if the item is one.
    pub fn as_tool_call_mut(&mut self) -> Option<&mut ToolCall> {
        if let Self::ToolCall(call) = self { Some(call) } else { None }
    }

    /// Returns the background job, if the item is one.
    pub fn as_job(&self) -> Option<&Job> {
        if let Self::Job(job) = self { Some(job) } else { None }
    }

    /// Returns the sub-agent, if the item is one.
    pub fn as_subagent(&self) -> Option<&Subagent> {
        if let Self::Subagent(subagent) = self { Some(subagent) } else { None }
    }

    /// Returns the compaction, if the item is one.
    pub fn as_compaction(&self) -> Option<&Compaction> {
        if let Self::Compaction(compaction) = self { Some(compaction) } else { None }
    }

    /// Returns the engine's message, if the item is one.
    pub fn as_engine_message(&self) -> Option<&EngineMessage> {
        if let Self::EngineMessage(message) = self { Some(message) } else { None }
    }
}

/// User message in the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// Blocks, as sent.
    pub content: Vec<Input>,
}

/// A text that grows while it streams.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextBody {
    /// Full text so far; empty in `item.started`.
    pub text: String,
}

/// A tool call, from the first byte of its arguments to its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// Tool name, as the model calls it.
    pub tool_name: String,
    /// One line for the user: `bash: cargo test`.
    pub title: String,
    /// Kind of tool, for icons and rules.
    pub kind: ToolKind,
    /// True if the model's provider runs the tool itself: no approval is requested, and `item/cancel` does not stop it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_provider: bool,
    /// Files and lines concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// Arguments; absent until they are complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Arguments that a hook put in their place; the call ran with these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_input: Option<Value>,
    /// Result; absent until the call has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<ToolResult>,
}

impl ToolCall {
    /// Returns a call without arguments, titled with the tool's name.
    pub fn new(tool_name: String, kind: ToolKind) -> Self {
        Self {
            title: tool_name.clone(),
            tool_name,
            kind,
            by_provider: false,
            locations: Vec::new(),
            input: None,
            changed_input: None,
            output: None,
        }
    }

    /// Returns the arguments with which the call runs: those of a hook, or the model's.
    pub fn arguments(&self) -> Option<&Value> {
        self.changed_input.as_ref().or(self.input.as_ref())
    }

    /// Returns the command line in the arguments, if there is one.
    pub fn command(&self) -> Option<Cow<'_, str>> {
        self.arguments().and_then(command_in)
    }

    /// Returns the files that the call changed.
    pub fn changes(&self) -> &[FileChange] {
        self.output.as_ref().map_or(&[], |output| &output.details.changes)
    }

    /// Returns the result's text, without images.
    pub fn text(&self) -> String {
        self.output.as_ref().map(|output| Content::texts(&output.content)).unwrap_or_default()
    }
}

/// Returns the command line in a call's arguments, whose name depends on the model's family. Words are joined by spaces.
pub fn command_in(arguments: &Value) -> Option<Cow<'_, str>> {
    match arguments.get("command").or_else(|| arguments.get("cmd"))? {
        Value::String(line) => Some(line.into()),
        Value::Array(words) => {
            Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ").into())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A background job, from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Id that the model and clients use.
    pub job_id: JobId,
    /// One line for the user.
    pub title: String,
    /// Command, as the shell reads it.
    pub command: String,
    /// True if it runs in a terminal, into which `shell/write` types.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_terminal: bool,
    /// True if the user ran it with `shell/run`. The model learns of it only from a note, if at all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_user: bool,
    /// End of the job; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<JobEnd>,
    /// Last part of the output; absent while the job runs, when deltas of the field `output` carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Exit code, signal, and the output's truncation with a reference to the full output.
    #[serde(default, skip_serializing_if = "ToolDetails::is_empty")]
    pub details: ToolDetails,
}

/// Sub-agent: a separate session that works on a part of the task. Its events carry that session's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subagent {
    /// Id that the model and clients use.
    pub agent_id: AgentId,
    /// Sub-agent session.
    pub session_id: SessionId,
    /// Task it was given.
    pub task: String,
    /// Model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// Sub-agent state.
    pub state: SubagentState,
    /// Its last message, as the parent's model reads it; absent until its first turn has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Number of its replies so far.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub turns_used: u64,
    /// The tokens used so far.
    #[serde(default)]
    pub usage: Usage,
    /// Cost so far, in billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// A compaction. Once it is completed, the model reads the summary instead of the earlier messages; the journal keeps
/// them all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// Reason for the compaction.
    pub reason: CompactionReason,
    /// Estimated tokens of the conversation before.
    pub tokens_before: u64,
    /// Estimated tokens afterwards; absent until the compaction is completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<u64>,
    /// Summary. While the compaction runs, deltas of the field `text` carry it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Files that the model has read and changed so far, which the summary lists; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<CompactionFiles>,
    /// Reason for a failure, which leaves the conversation unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Files that a session's model has read and changed, by absolute path in alphabetical order. The latest hundred of each are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionFiles {
    /// Files that it has read and not changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// Files that its calls have changed, created or deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Number of omitted files.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub omitted: u64,
}

/// Reason for a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CompactionReason {
    /// The conversation approaches the model's context window.
    Threshold,
    /// The provider refused the conversation as too long.
    Overflow,
    /// Requested by the user.
    Requested,
}

/// Sub-agent state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SubagentState {
    /// A turn runs.
    Working,
    /// Its last turn completed, and it waits for input.
    Done,
    /// Its last turn was interrupted or failed; `result` gives the reason.
    Failed,
    /// Closed.
    Closed,
}

/// The way a background job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum JobEnd {
    /// The command exited; `details.exitCode` holds the code.
    Exited,
    /// A signal that the engine did not send ended it; `details.signal` names it.
    Signalled,
    /// Its timeout expired.
    TimedOut,
    /// Stopped by the user or the model.
    Stopped,
    /// Stopped because the session ended.
    SessionEnded,
    /// Failed to start; `output` gives the reason.
    Failed,
}

/// A message of the engine to the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineMessage {
    /// Text, as the model reads it.
    pub text: String,
    /// Items of the jobs whose end it reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<ItemId>,
    /// Mode that it announces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkMode>,
    /// Review events that it reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviewed: Vec<u64>,
    /// True if it summarizes the history that a rewind left behind.
    #[serde(default, rename = "summarizesRewound", skip_serializing_if = "std::ops::Not::not")]
    pub summarizes_rewound: bool,
    /// Client note that it carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<ClientNote>,
}

/// A note that a client has put into the history with `session/note`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientNote {
    /// Client-chosen name for this kind of note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The client's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// True if the model does not read it.
    #[serde(default, rename = "unread", skip_serializing_if = "std::ops::Not::not")]
    pub is_unread: bool,
    /// True if clients do not show it to the user.
    #[serde(default, rename = "hidden", skip_serializing_if = "std::ops::Not::not")]
    pub is_hidden: bool,
}

/// A reference from a tool call to a background job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobRef {
    /// Job id.
    pub job_id: JobId,
    /// Job item.
    pub item_id: ItemId,
    /// True if the result reports how the job ended.
    #[serde(default, rename = "ended", skip_serializing_if = "std::ops::Not::not")]
    pub has_ended: bool,
}

/// Tool call kind; the names are those of the Agent Client Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolKind {
    /// Reads files or directories.
    Read,
    /// Changes files.
    Edit,
    /// Deletes files.
    Delete,
    /// Moves files.
    Move,
    /// Searches.
    Search,
    /// Runs a command.
    Execute,
    /// Fetches from the network.
    Fetch,
    /// Reasons or plans.
    Think,
    /// Anything else.
    Other,
}

/// A position in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// Absolute path.
    pub path: String,
    /// Line, 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// Tool result: content for the model, and details that a client may draw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// Content for the model.
    pub content: Vec<Content>,
    /// True if the tool failed, was declined or was cancelled; the content gives the reason.
    #[serde(default, rename = "failed", skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Details for clients.
    #[serde(default, skip_serializing_if = "ToolDetails::is_empty")]
    pub details: ToolDetails,
}

/// Details of a tool's result that only clients need.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolDetails {
    /// Files it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// A command's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Name of the signal that ended a command, such as `SIGKILL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// Record of the output's truncation, if it was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    /// File with the full output, if it was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// Full output for `blob/read`, if it was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output: Option<FullOutput>,
    /// Background jobs concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobRef>,
    /// Sub-agent that it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Sandbox that the command ran in; absent if it was not confined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxReport>,
    /// Reason why the permissions denied the call; absent if they did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denial: Option<Denial>,
}

/// Denial by the permissions, and the mode and rules that would have allowed the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Denial {
    /// Human-readable rule, mode or list that decided.
    pub decided_by: String,
    /// Narrowest permission mode in which the call would have run, together with `rules` if any are given; absent if no mode is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// Human-readable rules that would have allowed it; with `mode`, both are needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
}

/// Sandbox of a command that ran confined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxReport {
    /// Human-readable level that the kernel enforced: `full: Landlock 7, seccomp, namespaces`.
    pub level: String,
    /// True if the sandbox is the likely cause of the command's failure. Repeating the same command requests approval to run outside of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
    /// Protected files that the command created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<String>,
    /// Hosts that a failed command was refused, in rule syntax: `docs.rs`, `localhost:8080`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_hosts: Vec<String>,
}

/// Reference to a full output that the session keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FullOutput {
    /// Its name for `blob/read`.
    pub r#ref: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl ToolDetails {
    /// Returns true if no detail is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
