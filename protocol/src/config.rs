//! Settings of an open session.

use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Params of `config/set`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSetParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// New values, by the option's id.
    pub values: BTreeMap<String, String>,
}

/// Session settings, and the outcome of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigResult {
    /// Every option, with its current value.
    pub options: Vec<ConfigOption>,
    /// Ids of the options that were set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applied: Vec<String>,
    /// Values that were rejected, with the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<Rejected>,
}

/// An option of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigOption {
    /// Its id: `model`, `effort`, `permissionMode`, `mode`, `steerMode`, `followUpMode`, `autoCompact`. More may be
    /// added.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Value, effective from the next turn.
    pub value: String,
    /// Possible values; empty if any text is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// A rejected value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    /// Option id, as sent.
    pub id: String,
    /// Reason, and the next step.
    pub reason: String,
}
