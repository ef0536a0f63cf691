//! Sessions: creation, opening, listing, reading and titles.

use crate::approval::{Approval, PermissionMode};
use crate::content::Usage;
use crate::context::ContextUsage;
use crate::event::{EventRecord, Parent, QueuedInput, SessionState};
use crate::ids::{SessionId, TurnId};
use crate::isolation::{Isolation, IsolationRequest};
use crate::mcp::McpServer;
use crate::plan::{Plan, WorkMode};
use crate::question::Question;
pub use crate::session_events::{SessionMoved, SessionUpdated, TitledBy};
use crate::subscription::EventFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// Session settings. Omitted ones come from the user's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionConfig {
    /// Model, as `provider/id` or `provider/id:effort`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Permission mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// Instructions for this session alone, appended to the system prompt; only when the session is created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Tools visible to the model, by name, with `*` for any text; only when the session is created. A name includes every tool with the
    /// same purpose, so `bash` includes `shell`. Client tools are not limited by it. Default: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Work mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkMode>,
    /// Further directories that belong to the work, absolute: changes there need the same permission as in the
    /// working directory, and changes that commands make there are tracked. The session does not keep them: pass them
    /// again when you open it. Absent: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_directories: Option<Vec<String>>,
    /// MCP (Model Context Protocol) servers for this session, by name, in addition to those in the user's settings; one with the same name
    /// replaces theirs. The session does not keep them: pass them again when you open it. Absent: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<BTreeMap<String, McpServer>>,
}

/// Params of `session/create`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCreateParams {
    /// Working directory, absolute; default: the directory in which the engine was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Session title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Work in a copy of the project. `isolation/apply` merges the changes into the user's files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<IsolationRequest>,
    /// Settings.
    #[serde(default)]
    pub config: SessionConfig,
    /// Subscribe this connection; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// The events to send.
    #[serde(flatten)]
    pub filter: EventFilter,
    /// Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first
    /// one created, for a month and also after an engine restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Params of `session/open`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionOpenParams {
    /// Session.
    pub session_id: SessionId,
    /// Subscribe this connection; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// Send the events after this number first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<u64>,
    /// Number of last events to send first, if `fromSeq` is omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<u64>,
    /// Another working directory from now on, absolute: for a session whose directory was moved or deleted. Refused with `conflict` while
    /// the session is open elsewhere in another directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Settings from now on.
    #[serde(default)]
    pub config: SessionConfig,
    /// The events to send.
    #[serde(flatten)]
    pub filter: EventFilter,
}

/// Params of a request about one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// Params of `session/subscribe`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSubscribeParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Send the events after this number first; default: only new ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<u64>,
    /// Number of last events to send first, if `fromSeq` is omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<u64>,
    /// The events to send.
    #[serde(flatten)]
    pub filter: EventFilter,
}

/// A snapshot of a session at `seq`. If the connection is subscribed, every later event is sent, and after `session/create` and
/// `session/fork` also those up to `seq`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionResult {
    /// Session.
    pub session_id: SessionId,
    /// Number of its last durable event.
    pub seq: u64,
    /// Working directory.
    pub cwd: String,
    /// Copy of the project in which it works; absent if it works on the user's files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// Permission mode.
    pub permission_mode: PermissionMode,
    /// Sandbox for its commands; absent if there is none, such as on another machine. In `full` mode, commands run outside of it,
    /// unless it is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxState>,
    /// Work mode.
    #[serde(default)]
    pub mode: WorkMode,
    /// Current state.
    pub state: SessionState,
    /// Running turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_turn_id: Option<TurnId>,
    /// Queued messages. Messages that an earlier engine accepted but the model has not read wait here too: they do not start a turn, and
    /// are read before the next prompt.
    #[serde(default)]
    pub queue: Vec<QueuedInput>,
    /// Pending approvals.
    #[serde(default)]
    pub approvals: Vec<Approval>,
    /// Open questions to the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// The model's plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Usage of all its turns, including sub-agents.
    #[serde(default)]
    pub usage: Usage,
    /// Cost of that usage, in billionths of a US dollar; absent if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// Estimated fill level of the model's context window.
    #[serde(default)]
    pub context: ContextUsage,
    /// True if there are too many events after `fromSeq` to send at once. None of them is sent: read them with `session/events`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gap: bool,
}

/// Sandbox that confines commands which run unasked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxState {
    /// Grade that this machine enforces.
    pub grade: SandboxGrade,
    /// Same in human-readable form: `full: Landlock 7, seccomp, namespaces`.
    pub level: String,
    /// Human-readable parts of the confinement that this machine does not enforce.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// True if every command runs in it or not at all, in each permission mode.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// Grade to which a sandbox is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SandboxGrade {
    /// Too little to rely on: commands require approval as if there were none.
    None,
    /// Commands that run unasked are confined, but none runs unasked for the sandbox's sake.
    Partial,
    /// Everything is enforced.
    Full,
}

/// Params of `session/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionListParams {
    /// Only sessions with this working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// If true, include sub-agents' sessions; default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subagents: bool,
    /// Only sessions with this text in their title or working directory, ignoring case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The `nextCursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// If true, only archived sessions; default false: only the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// Maximum number of sessions, 1 to 1000; default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Page of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionListResult {
    /// Sessions, the last created first.
    pub sessions: Vec<SessionSummary>,
    /// Cursor of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A stored session, as shown in lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// Session.
    pub session_id: SessionId,
    /// Working directory.
    pub cwd: String,
    /// Its title, or the beginning of its first prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Creation time, in milliseconds since 1970.
    pub created_ms: u64,
    /// Time of the last write to its journal, in milliseconds since 1970.
    pub updated_ms: u64,
    /// Directory that contains its journal.
    pub path: String,
    /// Parent, if the session is a sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// Session that it was forked from, which may have been deleted since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<SessionId>,
    /// True if it is archived.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// Params of `session/archive`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionArchiveParams {
    /// Session, open or not.
    pub session_id: SessionId,
    /// True archives it, false returns it to the lists; default true.
    #[serde(default = "crate::yes")]
    pub archived: bool,
}

/// Params of `session/events`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEventsParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Read the events after this number; default 0, from the start.
    #[serde(default)]
    pub after: u64,
    /// Read the last events before this number instead; a number beyond the end selects the session's end. Not together with `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Maximum number of events, 1 to 1000; default 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEventsResult {
    /// Events, in order.
    pub events: Vec<EventRecord>,
    /// Number of the session's last durable event.
    pub last_seq: u64,
    /// True if there are more events after the last one here; with `before`, before the first one.
    pub more: bool,
}

/// Params of `session/update`; omitted fields do not change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Title: one line, at most 200 characters; null or an empty text removes it, and lists show the beginning of the first prompt again.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("x-null" = "removes"))]
    pub title: Option<Option<String>>,
}

/// Result of `session/update`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateResult {
    /// Title; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

#[expect(clippy::option_option, reason = "as the field that it reads")]
fn said<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}
