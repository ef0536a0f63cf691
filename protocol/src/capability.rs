//! Capabilities of both sides. An object that is present means that the capability is supported.

use crate::subscription::DeltaCapability;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A capability with nothing to configure: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Supported {}

/// Client capabilities.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    /// The client answers `approval/request`. Otherwise calls that require approval are denied, and the model is informed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<Supported>,
    /// The client answers `question/request`. Otherwise the model is informed that questions cannot be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Supported>,
    /// The client answers `workspace/applyEdit`. Otherwise a document with unsaved text is only read, never changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply_edit: Option<Supported>,
    /// Deltas that the client wants. Otherwise it receives all of them, each at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deltas: Option<DeltaCapability>,
}

/// Capabilities of this engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineCapabilities {
    /// Running turns can be steered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steer: Option<Supported>,
    /// Follow-ups wait in a queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<Supported>,
    /// Durable events can be read again from any `seq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Supported>,
    /// Subscriptions can leave out events and hold deltas back: `include`, `exclude`, `maxLatencyMs`, and the client's capability `deltas`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<Supported>,
    /// Documents that an editor has open are read and changed through the editor. Absent if the files are on another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<Supported>,
    /// Sessions can be rewound, forked and merged: `session/rewind`, `session/fork`, `session/merge`, `session/tree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Supported>,
    /// Changes of the agent can be reviewed hunk by hunk: `review/…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Supported>,
    /// Stored sessions can be searched, read, exported and deleted: `session/search` and related methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Supported>,
}
