//! Capabilities: objects on both sides; a present object means that the thing is supported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A capability with nothing to configure: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Supported {}

/// What a client can do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    /// The client answers `approval/request`. Without it what would ask is denied, and the model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvals: Option<Supported>,
    /// The client answers `question/request`. Without it the model is told that nobody can answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Supported>,
    /// The client answers `workspace/applyEdit`. Without it a document with unsaved text is read, and never changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply_edit: Option<Supported>,
}

/// What this engine can do.
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
    /// Documents that an editor has open are read and changed through it. Absent where files are on another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<Supported>,
    /// Sessions go back, fork and merge: `session/rewind`, `session/fork`, `session/merge`, `session/tree`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Supported>,
    /// What the agent changed is decided about hunk by hunk: `review/…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Supported>,
    /// Stored sessions are searched, read, exported and deleted: `session/search` and its neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Supported>,
}
