//! Events about a session as a whole: its directory, its title, its labels, and the path through its history.

use crate::content::Usage;
use crate::ids::{ItemId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The session works in another directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMoved {
    /// Working directory until now.
    pub from: String,
    /// Working directory from now on.
    pub cwd: String,
    /// True if the previous directory was a discarded copy, whose files were not moved.
    #[serde(default, rename = "discarded", skip_serializing_if = "std::ops::Not::not")]
    pub is_discarded: bool,
}

/// The session's title changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdated {
    /// Title; absent when it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Author of the title.
    pub by: TitledBy,
    /// Usage of the request that generated it, if a model did; it belongs to no turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Cost of that usage, in billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// Author of a session's title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TitledBy {
    /// The user. A model never replaces such a title.
    User,
    /// A model, once, after the first turn.
    Model,
}

/// The session continues from another point of its history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRewound {
    /// Event after which it continues; 0 is the beginning.
    pub to_seq: u64,
    /// Items that leave the model's context; a client removes them from its view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<ItemId>,
    /// Items that return to the model's context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<ItemId>,
    /// Origin of the next events, when they are merged from a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedFrom>,
}

/// Origin of merged events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergedFrom {
    /// Fork. Its usage is not counted in this session.
    pub session_id: SessionId,
    /// Last event of the fork that is now part of this session's history.
    pub seq: u64,
    /// Number of the last copied event in this session.
    pub copied_seq: u64,
}

/// Change of a history point's label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelChanged {
    /// Event of the point.
    pub seq: u64,
    /// Label; absent when it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The client's data about the point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

/// Origin of a forked session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// Session that was forked.
    pub session_id: SessionId,
    /// Last event of that session that is part of this session's history.
    pub seq: u64,
    /// Number of the last copied event in this session.
    pub copied_seq: u64,
}
