//! The usage of a step: while its reply streams, and when it has ended.

use crate::content::Usage;
use crate::event::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The end of a model reply, with its usage and cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepCompleted {
    /// The step within the turn, from 1.
    pub step: u32,
    /// The reason why the model stopped; absent when it was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// The usage of this reply.
    pub usage: Usage,
    /// The usage of the turn so far.
    pub turn_usage: Usage,
    /// The cost of this reply, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// The cost of the turn so far, in billionths of a US dollar; absent where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_cost_nano_usd: Option<u64>,
}

/// The usage of a reply that streams. `step.completed` has the final count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepUsage {
    /// The step within the turn, from 1.
    pub step: u32,
    /// The usage so far.
    pub usage: Usage,
    /// The cost so far, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}
