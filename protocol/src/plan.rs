//! The model's plan with its progress, and the mode in which the model only plans.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model's plan. Each plan replaces the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Plan steps, in order.
    pub items: Vec<PlanItem>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    /// Step description.
    pub content: String,
    /// Status.
    pub status: PlanStatus,
}

/// Step status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// In progress.
    InProgress,
    /// Done.
    Completed,
}

/// Work mode: act or plan only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WorkMode {
    /// The model acts.
    #[default]
    Act,
    /// The model reads and plans: calls that would change something are denied until the user accepts its plan.
    Plan,
}
