//! Sessions: made, opened, listed, read and named.

use crate::approval::{Approval, PermissionMode};
use crate::content::Usage;
use crate::context::ContextUsage;
use crate::event::{EventRecord, Parent, QueuedInput, SessionState};
use crate::ids::{SessionId, TurnId};
use crate::plan::{Plan, WorkMode};
use crate::question::Question;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// How a session is to work. What is left out comes from the user's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionConfig {
    /// The model, as `provider/id` or `provider/id:effort`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What needs no question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// Instructions for this session alone, told behind all others; only when it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Whether it plans only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WorkMode>,
    /// Directories that belong to the work beside the working directory, absolute: changes there need no other permission than in it,
    /// and what commands change there is followed. The session does not keep them: say them again when you open it. Absent: as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_directories: Option<Vec<String>>,
}

/// What to make a session with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCreateParams {
    /// The working directory, absolute; default: where the engine was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// A title for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How it is to work.
    #[serde(default)]
    pub config: SessionConfig,
    /// Whether to subscribe; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
}

/// Which session to open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionOpenParams {
    /// The session.
    pub session_id: SessionId,
    /// Whether to subscribe; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// Send the events after this number first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<u64>,
    /// Send so many of the last events first, if `fromSeq` is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<u64>,
    /// How it is to work from now on.
    #[serde(default)]
    pub config: SessionConfig,
}

/// Names a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// From where to send events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSubscribeParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Send the events after this number first; default: only new ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<u64>,
    /// Send so many of the last events first, if `fromSeq` is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<u64>,
}

/// A session as it stands at `seq`; every event after that is sent if the connection is subscribed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionResult {
    /// The session.
    pub session_id: SessionId,
    /// The number of its last durable event.
    pub seq: u64,
    /// The working directory.
    pub cwd: String,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// What needs no question.
    pub permission_mode: PermissionMode,
    /// Whether it plans only.
    #[serde(default)]
    pub mode: WorkMode,
    /// What it does at the moment.
    pub state: SessionState,
    /// The running turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_turn_id: Option<TurnId>,
    /// Messages that the model has not read yet.
    #[serde(default)]
    pub queue: Vec<QueuedInput>,
    /// Questions of permission that are open.
    #[serde(default)]
    pub approvals: Vec<Approval>,
    /// Questions to a person that are open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// What the model means to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The tokens of all its turns, and of its sub-agents'.
    #[serde(default)]
    pub usage: Usage,
    /// What all that cost, in billionths of a US dollar; absent where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// How full the model's window is, about.
    #[serde(default)]
    pub context: ContextUsage,
    /// The events after `fromSeq` were too many to send at once: read them with `session/events`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gap: bool,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionListParams {
    /// Only those with this working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Also those of sub-agents; default: not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subagents: bool,
    /// Only those with this in their title or working directory, in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The most to return, 1 to 1000; default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionListResult {
    /// The sessions, newest first.
    pub sessions: Vec<SessionSummary>,
    /// Send it back to get the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A stored session, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    /// The session.
    pub session_id: SessionId,
    /// The working directory.
    pub cwd: String,
    /// The title it was given, else the beginning of its first prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: u64,
    /// When its journal was last written, in milliseconds since 1970.
    pub updated_ms: u64,
    /// The folder that holds its journal.
    pub path: String,
    /// Whose sub-agent it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
}

/// Which events to read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEventsParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Read the events after this number; default 0, from the start.
    #[serde(default)]
    pub after: u64,
    /// Read the last events before this number instead; a number beyond the end gives the end of the session. Not together with `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// The most to return, 1 to 1000; default 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionEventsResult {
    /// The events, in order.
    pub events: Vec<EventRecord>,
    /// The number of the session's last durable event.
    pub last_seq: u64,
    /// There are more after the last one here; with `before`, more before the first one.
    pub more: bool,
}

/// A session has another title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdated {
    /// The title; absent when it was taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who gave it.
    pub by: TitledBy,
    /// The tokens that it took to make, where a model made it; they belong to no turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What that cost, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// Who gave a session its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TitledBy {
    /// A person. A model never changes such a title.
    Person,
    /// A model, once, after the first turn.
    Model,
}

/// What to change of a session; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Its title: one line, at most 200 characters; null or an empty text takes it away, and lists show the beginning of the first
    /// prompt again.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub title: Option<Option<String>>,
}

/// A session as it is called now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateResult {
    /// Its title; absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

#[expect(clippy::option_option, reason = "as the field that it reads")]
fn said<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}
