//! What a step takes: while its reply streams, and when that is over.

use crate::content::Usage;
use crate::event::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a model reply ended and what it cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepCompleted {
    /// The step within the turn, from 1.
    pub step: u32,
    /// Why the model stopped; absent when it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// The tokens of this reply.
    pub usage: Usage,
    /// The tokens of the turn so far.
    pub turn_usage: Usage,
    /// What this reply cost, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// What the turn has cost so far, in billionths of a US dollar; absent where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_cost_nano_usd: Option<u64>,
}

/// What a reply has taken so far. `step.completed` has the final count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepUsage {
    /// The step within the turn, from 1.
    pub step: u32,
    /// Its tokens so far.
    pub usage: Usage,
    /// What they cost, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}
