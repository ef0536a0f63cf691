//! The messages that the model has not read yet.

use crate::content::Input;
use crate::event::{Delivery, QueuedInput};
use crate::ids::{ItemId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many waiting messages go to the model at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QueueMode {
    /// All that wait.
    #[default]
    All,
    /// The first alone; the others wait for the next gap or turn.
    One,
}

/// The messages that wait, in the order in which the model will read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueResult {
    /// The messages.
    pub queue: Vec<QueuedInput>,
}

/// A change of one waiting message; what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueUpdate {
    /// The message.
    pub item_id: ItemId,
    /// Its new blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<Input>>,
    /// How it is to be delivered: `steer` goes into the running turn at its next gap, `followUp` starts a turn of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// Put it before this one of the same delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ItemId>,
    /// Put it behind all of the same delivery.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_end: bool,
}

/// A change of one waiting message in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueUpdateParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The change.
    #[serde(flatten)]
    pub update: QueueUpdate,
}

/// Which waiting messages to hand back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueRemoveParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The messages; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_ids: Option<Vec<ItemId>>,
}

/// The messages that were handed back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueRemoveResult {
    /// The messages, whole.
    pub removed: Vec<QueuedInput>,
}
