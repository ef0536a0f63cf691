//! Hooks and tools of a client: what the engine asks at a point of its work, and what may be answered.
//!
//! A hook of the config file reads [`HookRun`] as one JSON document from its input and prints a [`HookAnswer`]; a client gets the same with
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
    /// A person's message, before the model reads it. May deny it or change its text.
    InputReceived,
    /// A turn begins; its messages are read. May deny it or add context.
    BeforeAgent,
    /// What the model is to read next is complete. May add context.
    ContextBuilt,
    /// The model is asked next. May deny it, which ends the turn.
    BeforeModelRequest,
    /// The model replied. Changes nothing.
    AfterModelResponse,
    /// A tool call, before permission is asked and before it runs. May deny it or change its arguments.
    BeforeToolCall,
    /// A tool call that ran. May change its result.
    AfterToolCall,
    /// The conversation is summed up next. May deny it; where that was not asked for, old results are taken out instead.
    SessionCompact,
    /// A session was made or opened. Changes nothing; not for clients.
    SessionStart,
    /// A session was made of another one's history. Comes beside `sessionStart`. Changes nothing; not for clients.
    SessionFork,
    /// A session goes on from another place of its history. Changes nothing; not for clients.
    SessionSwitch,
    /// A session is being closed. Changes nothing; not for clients.
    SessionEnd,
}

/// What a hook is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookRun {
    /// Where the engine is.
    pub point: HookPoint,
    /// The session.
    pub session_id: SessionId,
    /// The turn; absent at points of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The session's working directory.
    pub cwd: String,
    /// The message, at `inputReceived`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The tool call, at `beforeToolCall` and `afterToolCall`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<HookCall>,
    /// What the call returned, at `afterToolCall`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<HookResult>,
    /// What the model said, at `afterModelResponse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<HookResponse>,
    /// How many messages the model is to read, at `contextBuilt` and `beforeModelRequest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// What of the model's plan is not done, at `beforeAgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_todos: Option<String>,
}

/// A tool call, for a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookCall {
    /// Its item.
    pub item_id: ItemId,
    /// The tool's name.
    pub tool_name: String,
    /// What kind of act it is.
    pub kind: ToolKind,
    /// One line for a person.
    pub title: String,
    /// The arguments, as hooks before this one left them.
    pub arguments: Value,
    /// Files it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
}

/// What a call returned, for a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookResult {
    /// What the model is to read. Pictures are not shown to hooks, and stay.
    pub text: String,
    /// The call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// What the model said, for a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookResponse {
    /// Its text.
    pub text: String,
    /// The tools that it calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// What a hook answers. `{}`, and nothing at all, leaves everything as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookAnswer {
    /// Whether it may go on; default `allow`. Permission is asked for all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<HookDecision>,
    /// Why not, as the model or the person reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Another text of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Other arguments of the call, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Another result of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<HookResult>,
    /// What the model is to read besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Whether something may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HookDecision {
    /// It may.
    Allow,
    /// It may not.
    Deny,
}

/// What holds when a hook fails at a point where it may deny.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OnFailure {
    /// It counts as a denial.
    #[default]
    Closed,
    /// It counts as no answer.
    Open,
}

/// A hook of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookRegisterParams {
    /// Where it runs.
    pub points: Vec<HookPoint>,
    /// Only for calls of these tools: names, with `*` for any text. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// How long it may take, in milliseconds; default 60000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What holds when it fails; default `closed`.
    #[serde(default)]
    pub on_failure: OnFailure,
}

/// A tool of a client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRegisterParams {
    /// Its name, as the model calls it: letters, digits, `_` and `-`, at most 64. The newest of a name wins, also over a built-in tool.
    pub name: String,
    /// What it does and how to use it, for the model.
    pub description: String,
    /// JSON Schema of the arguments, an object schema.
    pub parameters: Value,
}

/// A call of a tool of this client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallParams {
    /// The session.
    pub session_id: SessionId,
    /// The call's item.
    pub item_id: ItemId,
    /// The tool's name.
    pub tool_name: String,
    /// The arguments, as the model wrote them; nobody checked them against the schema.
    pub arguments: Value,
}

/// What a tool of a client returned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallResult {
    /// What the model reads.
    pub content: Vec<Content>,
    /// The call failed; the content says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}
