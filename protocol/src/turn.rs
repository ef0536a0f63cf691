//! Turns: started, steered, interrupted.

use crate::content::Input;
use crate::event::{QueuedInput, TurnLimits};
use crate::ids::{ItemId, SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The prompt.
    pub input: Vec<Input>,
    /// What to do while a turn runs; default `reject`.
    #[serde(default)]
    pub when_busy: WhenBusy,
    /// How much the turn may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<TurnLimits>,
    /// The trace that requests to models belong to from this prompt on, as the `traceparent` of W3C Trace Context; one that is not
    /// well-formed ends what was said before, as an empty one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

/// What to do with a prompt while a turn runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WhenBusy {
    /// Answer with the error `busy`.
    #[default]
    Reject,
    /// Queue it as a follow-up.
    Queue,
}

/// A prompt was accepted; it is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStartResult {
    /// The turn it starts, or will start.
    pub turn_id: TurnId,
    /// The id of its `userMessage` item.
    pub item_id: ItemId,
    /// What became of it.
    pub disposition: Disposition,
}

/// What became of an accepted prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Disposition {
    /// Its turn begins now.
    Started,
    /// Its turn begins when those before it are over.
    Queued,
}

/// A message for the running turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnSteerParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Refuse with `conflict` unless this turn is the running one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_turn_id: Option<TurnId>,
    /// The message.
    pub input: Vec<Input>,
}

/// What became of a steer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnSteerResult {
    /// What became of it.
    pub outcome: SteerOutcome,
    /// The id of its `userMessage` item, when it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The turn it goes into, when it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
}

/// What became of a steer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SteerOutcome {
    /// Accepted for the running turn. Should the turn end before its next gap, it starts a turn of its own.
    Accepted,
    /// No turn runs; nothing was kept. Send it with `turn/start`.
    NoActiveTurn,
}

/// Which turn to stop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnInterruptParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Refuse with `conflict` unless this turn is the running one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// What to do with messages that the model has not read yet; default `return`.
    #[serde(default)]
    pub queue: QueuePolicy,
}

/// What an interrupt does with messages that the model has not read yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueuePolicy {
    /// Takes them out of the queue and hands them back in `input.removed`.
    #[default]
    Return,
    /// Lets them start their turns after this one has ended.
    Keep,
}

/// What became of an interrupt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnInterruptResult {
    /// The turn that is being stopped; absent when none runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The messages that were handed back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<QueuedInput>,
}
