//! Client hooks and tools: the engine's calls and the client's results.
//!
//! A config file hook reads [`HookRun`] as one JSON document from its input and prints a [`HookAnswer`]; a client gets the same with
//! `hook/run`.

use crate::content::Content;
use crate::ids::{ItemId, SessionId, TurnId};
use crate::item::{Location, ToolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A point of the engine's work at which hooks run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum HookPoint {
    /// A user message, before the model reads it. A hook may deny it, handle it in the model's place, or change its text.
    InputReceived,
    /// Start of a turn. A hook may deny it, add context, and change the prompt and the system prompt.
    BeforeAgent,
    /// The model's context is complete. A hook may add to it or replace its messages, for the next request alone.
    ContextBuilt,
    /// Before a request to the model. A hook may deny it, which ends the turn.
    BeforeModelRequest,
    /// After a reply of the model. A hook changes nothing.
    AfterModelResponse,
    /// A tool call, before permission is requested and before it runs. A hook may deny it or change its arguments.
    BeforeToolCall,
    /// A tool call that ran. A hook may change its result.
    AfterToolCall,
    /// Before a compaction. A hook may deny it; an automatic compaction then removes old results instead.
    SessionCompact,
    /// A session was created or opened. A hook changes nothing; not for clients.
    SessionStart,
    /// Before a fork of this session is created. A hook may deny it; not for clients.
    SessionFork,
    /// Before the session continues from another point of its history, or a fork is merged into it. A hook may deny it; not for clients.
    SessionSwitch,
    /// A session is being closed. A hook changes nothing; not for clients.
    SessionEnd,
}

/// Hook input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookRun {
    /// Point.
    pub point: HookPoint,
    /// Session.
    pub session_id: SessionId,
    /// Turn; absent at points of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The session's working directory.
    pub cwd: String,
    /// Text of the message, at `inputReceived`; of the turn's last message, at `beforeAgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Images of the message, at `inputReceived` and `beforeAgent`, and of the result, at `afterToolCall`. They are kept regardless of the
    /// answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Content>,
    /// System prompt, at `beforeAgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Messages of the model's context, at `contextBuilt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Vec<HookMessage>>,
    /// Event after which the session or its fork is to continue, at `sessionSwitch` and `sessionFork`; absent for a fork of the current
    /// state, and when a fork is merged back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_seq: Option<u64>,
    /// Tool call, at `beforeToolCall` and `afterToolCall`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<HookCall>,
    /// The call's result, at `afterToolCall`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<HookResult>,
    /// The model's reply, at `afterModelResponse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<HookResponse>,
    /// Number of messages in the model's context, at `contextBuilt` and `beforeModelRequest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Unfinished parts of the model's plan, at `beforeAgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_todos: Option<String>,
}

/// A tool call, for a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookCall {
    /// Its item.
    pub item_id: ItemId,
    /// Tool name.
    pub tool_name: String,
    /// Kind of tool.
    pub kind: ToolKind,
    /// One line for the user.
    pub title: String,
    /// Arguments, as hooks before this one left them. A shell's command line is always `command`.
    pub arguments: Value,
    /// The files concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
}

/// Tool call result, for a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookResult {
    /// Text for the model.
    pub text: String,
    /// True if the call failed.
    #[serde(default, rename = "failed", skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// A reply of the model, for a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookResponse {
    /// Its text.
    pub text: String,
    /// Names of the tools that it calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// A message of the model's context, for a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HookMessage {
    /// Message of the user or the engine.
    User {
        /// Position in the context, from 0. A message that is returned unchanged with its position keeps data that hooks do not see, such
        /// as reasoning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// The content.
        content: Vec<Content>,
    },
    /// A reply of the model.
    Assistant {
        /// Position in the context, from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// Text.
        #[serde(default)]
        text: String,
        /// Calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<HookMessageCall>,
    },
    /// Result of a call.
    ToolResult {
        /// Position in the context, from 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<u64>,
        /// The call.
        call_id: String,
        /// The tool's name.
        tool_name: String,
        /// The content.
        content: Vec<Content>,
        /// True if the call failed.
        #[serde(default, rename = "failed", skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

impl HookMessage {
    /// Returns the position in the context.
    pub fn index(&self) -> Option<u64> {
        match self {
            Self::User { index, .. }
            | Self::Assistant { index, .. }
            | Self::ToolResult { index, .. } => *index,
        }
    }
}

/// A call in a message of the model's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookMessageCall {
    /// Id, which the call's result repeats.
    pub id: String,
    /// Tool name.
    pub name: String,
    /// Arguments, as the model wrote them: JSON text.
    pub arguments: String,
}

/// Hook answer. `{}` and an empty output change nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookAnswer {
    /// Decision; default `allow`. Permission is still requested if required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<HookDecision>,
    /// Reason for a denial, for the model or the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// New text of the message, at `inputReceived` and `beforeAgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// New system prompt of the turn, at `beforeAgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Messages of the next request, at `contextBuilt`. They apply to that request only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Vec<HookMessage>>,
    /// The call's complete new arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// New result of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<HookResult>,
    /// Additional context for the model: kept in the conversation at `beforeAgent`, for one request at `contextBuilt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Hook decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HookDecision {
    /// Continue.
    Allow,
    /// Do not continue.
    Deny,
    /// The hook has handled the message, at `inputReceived`: the model does not read it, and it is not returned for resending. `reason` is
    /// shown to the user.
    Handled,
}

/// Effect of a hook's failure at a point that allows denial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnFailure {
    /// The failure counts as a denial.
    #[default]
    Closed,
    /// The failure is ignored.
    Open,
}

/// A hook of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookRegisterParams {
    /// Points at which it runs.
    pub points: Vec<HookPoint>,
    /// Tools whose calls it sees: names, with `*` for any text. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Timeout in milliseconds; default 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Effect of a failure; default `closed`.
    #[serde(default)]
    pub on_failure: OnFailure,
}

/// A tool of a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRegisterParams {
    /// Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest tool of a name wins,
    /// also over a built-in one.
    pub name: String,
    /// Its purpose and usage, for the model.
    pub description: String,
    /// JSON Schema of the arguments, an object schema.
    pub parameters: Value,
}

/// A tool that the client takes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolUnregisterParams {
    /// Its name.
    pub name: String,
}

/// A call of a tool that the client registered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallParams {
    /// Session.
    pub session_id: SessionId,
    /// Call item.
    pub item_id: ItemId,
    /// Tool name.
    pub tool_name: String,
    /// Arguments, as the model wrote them. They match the schema; other calls are refused.
    pub arguments: Value,
}

/// Result of a client-registered tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallResult {
    /// Content for the model.
    pub content: Vec<Content>,
    /// True if the call failed; the content gives the reason.
    #[serde(default, rename = "failed", skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}
