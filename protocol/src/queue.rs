//! The queue of messages that the model has not read yet.

use crate::content::Input;
use crate::event::{Delivery, QueuedInput};
use crate::ids::{ItemId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of queued messages that are delivered at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueueMode {
    /// All queued messages.
    #[default]
    All,
    /// Only the first; the others wait for the next gap or turn.
    One,
}

/// Queued messages, in the order in which the model will read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueResult {
    /// Messages.
    pub queue: Vec<QueuedInput>,
}

/// Change of a queued message; omitted fields do not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueUpdate {
    /// Message.
    pub item_id: ItemId,
    /// New content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<Input>>,
    /// New delivery: `steer` puts it into the running turn at its next gap, `followUp` starts a separate turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// Move it before this message of the same delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ItemId>,
    /// If true, move it behind all messages of the same delivery.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_end: bool,
}

/// Params of `queue/update`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueUpdateParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The change.
    #[serde(flatten)]
    pub update: QueueUpdate,
}

/// Params of `queue/remove`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueRemoveParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Messages to remove; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_ids: Option<Vec<ItemId>>,
}

/// Removed messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueRemoveResult {
    /// Complete messages.
    pub removed: Vec<QueuedInput>,
}
