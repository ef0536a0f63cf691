//! Turns: starting, steering and interrupting them.

use crate::content::Input;
use crate::event::{QueuedInput, TurnLimits};
use crate::ids::{ItemId, SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Params of `turn/start`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Prompt.
    pub input: Vec<Input>,
    /// Action while a turn runs; default `reject`.
    #[serde(default)]
    pub when_busy: WhenBusy,
    /// Turn budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<TurnLimits>,
    /// JSON Schema that the turn's final message must satisfy. The model receives it, and a message that does not satisfy it is requested
    /// again, twice; then the turn fails with the code `outputInvalid`. `turn.completed` carries the value as `structured`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Trace that requests to models belong to from this prompt on, in the `traceparent` format of W3C Trace Context. A malformed or empty
    /// value ends the trace that was set before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the
    /// first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Handling of a prompt while a turn runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WhenBusy {
    /// Refuse it with the error `busy`. If the turn has been interrupted and has not ended yet, the prompt is queued instead.
    #[default]
    Reject,
    /// Queue it as a follow-up.
    Queue,
}

/// A prompt was accepted; it is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartResult {
    /// Turn that it starts, now or later.
    pub turn_id: TurnId,
    /// Id of its `userMessage` item.
    pub item_id: ItemId,
    /// Disposition of the prompt.
    pub disposition: Disposition,
}

/// Disposition of an accepted prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Disposition {
    /// Its turn starts now.
    Started,
    /// Its turn starts when the earlier ones have ended.
    Queued,
}

/// Params of `turn/steer`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnSteerParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Refuse with `conflict` unless this turn is the running one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn_id: Option<TurnId>,
    /// Message.
    pub input: Vec<Input>,
    /// Action while no turn runs; default `reject`.
    #[serde(default)]
    pub when_idle: WhenIdle,
    /// A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the
    /// first one and has no second effect, also after the engine was restarted; with another input it is refused with `conflict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Handling of a steer while no turn runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WhenIdle {
    /// Refuse it with the error `noActiveTurn`.
    #[default]
    Reject,
    /// Keep it in the queue; it is read with the next prompt, before it.
    Hold,
}

/// A steer was accepted; it is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnSteerResult {
    /// Outcome.
    pub outcome: SteerOutcome,
    /// Id of its `userMessage` item.
    pub item_id: ItemId,
    /// The turn that receives it: the running turn, or the next one to start.
    pub turn_id: TurnId,
}

/// Steer outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SteerOutcome {
    /// Accepted for the running turn. If the turn ends before its next gap, the message starts a separate turn.
    Accepted,
    /// No turn runs; the message waits in the queue for the next prompt.
    Held,
}

/// Params of `turn/interrupt`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnInterruptParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Refuse with `conflict` unless this turn is the running one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn_id: Option<TurnId>,
    /// Handling of queued messages; default `return`.
    #[serde(default)]
    pub queue: QueuePolicy,
}

/// Handling of queued messages when a turn is interrupted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueuePolicy {
    /// Remove them from the queue and return them in `input.removed`.
    #[default]
    Return,
    /// Let them start their turns after this one has ended.
    Keep,
}

/// Result of `turn/interrupt`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnInterruptResult {
    /// Interrupted turn; absent when none runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Returned messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<QueuedInput>,
}
