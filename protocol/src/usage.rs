//! Usage of a session: tokens and money.

use crate::content::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Usage of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageReadResult {
    /// Usage of all turns, including sub-agents, and of generated titles.
    pub total: UsageCount,
    /// Usage of each model in the session's turns, in order of first use. A turn's sub-agents count for the turn's model.
    pub models: Vec<ModelUsage>,
    /// Part of titles, which belong to no turn.
    pub titles: UsageCount,
}

/// Counted tokens and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageCount {
    /// Number of turns.
    pub turns: u64,
    /// Number of model replies in these turns.
    pub steps: u64,
    /// Tokens.
    pub usage: Usage,
    /// Cost, in billionths of a US dollar, as far as prices are known; absent if none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// Cost that the same tokens would have had without the provider's cache, at today's prices, in billionths of a US dollar; absent if a
    /// price is not known, and for titles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncached_cost_nano_usd: Option<u64>,
    /// Duration of the turns in milliseconds.
    pub duration_ms: u64,
}

/// Usage of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    /// Model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// Its count.
    #[serde(flatten)]
    pub count: UsageCount,
}
