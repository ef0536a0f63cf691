//! Items: the things a client draws, each started, updated and completed by events.

use crate::content::{Content, Input, Truncation, Usage};
use crate::diff::FileChange;
use crate::ids::{AgentId, ItemId, JobId, SessionId, TurnId};
use crate::plan::WorkMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something a client can draw. The event that completes an item carries its whole value, so the
/// deltas in between are never needed for correctness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The item's id.
    pub id: ItemId,
    /// The turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The step (model reply) within the turn, from 1; absent for what no model made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Where the item stands.
    pub status: ItemStatus,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
    /// How long it took, in milliseconds; present once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What it is.
    #[serde(flatten)]
    pub body: ItemBody,
}

/// Where an item stands. A reader treats a value it does not know as still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ItemStatus {
    /// Announced, not begun; a tool call whose arguments still stream.
    Pending,
    /// Going on.
    Running,
    /// Ended well.
    Completed,
    /// Ended badly; the output says why.
    Failed,
    /// A person or the policy said no; it never ran.
    Declined,
    /// Stopped before its end, or never begun because the turn was.
    Cancelled,
}

/// What an item is, told apart by `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ItemBody {
    /// What a person said: a prompt, a steer or a follow-up, at the place where the model reads it.
    UserMessage(UserMessage),
    /// What the model said.
    AgentMessage(TextBody),
    /// What the model thought, as far as its provider shows it.
    Reasoning(TextBody),
    /// A call of a tool.
    ToolCall(Box<ToolCall>),
    /// A command in the background. It may end after the turn that began it.
    Job(Box<Job>),
    /// A sub-agent, from its start until it is closed. It may outlive the turn that began it.
    Subagent(Box<Subagent>),
    /// A conversation that became too long is summed up.
    Compaction(Box<Compaction>),
    /// What the engine told the model, at the place where the model reads it.
    EngineMessage(EngineMessage),
}

/// A person's message in the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    /// The blocks, as sent.
    pub content: Vec<Input>,
}

/// Text that grew while it streamed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextBody {
    /// The whole text so far; empty in `item.started`.
    pub text: String,
}

/// A tool call from its first argument byte to its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The tool's name, as the model calls it.
    pub tool_name: String,
    /// One line for a person: `bash: cargo test`.
    pub title: String,
    /// What kind of act it is, for icons and rules.
    pub kind: ToolKind,
    /// Files and lines it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// The arguments; absent until they have arrived whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The arguments that a hook put in their place; these ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed_input: Option<Value>,
    /// The result; absent until there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<ToolResult>,
}

/// A command in the background, from its start to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// The id by which model and client speak of it.
    pub job_id: JobId,
    /// One line for a person.
    pub title: String,
    /// The command, as the shell reads it.
    pub command: String,
    /// How it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<JobEnd>,
    /// The end of what it printed; absent while it runs. Deltas of the field `output` come before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Exit code, signal, what was cut from the output and where all of it is.
    #[serde(default, skip_serializing_if = "ToolDetails::is_empty")]
    pub details: ToolDetails,
}

/// A sub-agent: a session of its own that works at a part of the task. Its events come under its own session's id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subagent {
    /// The name by which model and client speak of it.
    pub agent_id: AgentId,
    /// Its session.
    pub session_id: SessionId,
    /// What it was told first.
    pub task: String,
    /// Its model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// Whether it works.
    pub state: SubagentState,
    /// What it said last, as the model reads it; absent until its first turn has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Its tokens so far.
    #[serde(default)]
    pub usage: Usage,
    /// What it has cost so far, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// A summing up. Once it is completed, the model reads the summary in the place of what was before; the journal keeps all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// Why.
    pub reason: CompactionReason,
    /// The tokens of the conversation before, about.
    pub tokens_before: u64,
    /// And after; absent until it is completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<u64>,
    /// What the model reads in the place of what was before; while it runs, deltas of the field `text` come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Why it failed, when it did: the conversation is then as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Why a conversation is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CompactionReason {
    /// It comes near the end of the model's window.
    Threshold,
    /// The provider refused it as too long.
    Overflow,
    /// A person asked for it.
    Requested,
}

/// What a sub-agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SubagentState {
    /// It works.
    Working,
    /// Its last turn reached its end, and it waits for input.
    Done,
    /// Its last turn was stopped or could not go on; `result` says why.
    Failed,
    /// It was closed.
    Closed,
}

/// How a background job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum JobEnd {
    /// By itself; `details.exitCode` says how.
    Exited,
    /// By a signal that did not come from the engine; `details.signal` names it.
    Signalled,
    /// Its time was over.
    TimedOut,
    /// A person or the model stopped it.
    Stopped,
    /// It was stopped because the session ended.
    SessionEnded,
    /// It could not be started; `output` says why.
    Failed,
}

/// What the engine told the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineMessage {
    /// The text, as the model reads it.
    pub text: String,
    /// The items of the jobs whose end it tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<ItemId>,
    /// The mode that it tells of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkMode>,
    /// The events about the review that it tells of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviewed: Vec<u64>,
    /// It sums up what a conversation that went back has left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sums_up_left: bool,
}

/// Which background job a call was about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobRef {
    /// The job.
    pub job_id: JobId,
    /// Its item.
    pub item_id: ItemId,
    /// The result tells how it ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_ended: bool,
}

/// The kind of a tool call; the names are those of the Agent Client Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolKind {
    /// Reads files or folders.
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
    /// Thinks or plans.
    Think,
    /// Anything else.
    Other,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    /// The absolute path.
    pub path: String,
    /// The line, 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// What a tool returned: what the model reads, and what a client may draw besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// What the model reads.
    pub content: Vec<Content>,
    /// The tool failed, was declined or was cancelled; the content says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Facts for a client.
    #[serde(default, skip_serializing_if = "ToolDetails::is_empty")]
    pub details: ToolDetails,
}

/// Facts about a tool's result that only a client needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolDetails {
    /// Files it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// A command's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The name of the signal that ended a command, such as `SIGKILL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// What was cut from the output, when something was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    /// A file that holds the whole output, when it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// The whole output for `blob/read`, when it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output: Option<FullOutput>,
    /// The background jobs it was about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobRef>,
}

/// A whole output that is kept with the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FullOutput {
    /// Its name for `blob/read`.
    pub r#ref: String,
    /// Its size in bytes.
    pub bytes: u64,
}

impl ToolDetails {
    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
