//! The plan: what the model means to do, step by step, and how far it is; and whether it may do it already.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the model means to do. Each one replaces the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Its parts, in order.
    pub items: Vec<PlanItem>,
}

/// One part of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far a part of a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// Being worked at.
    InProgress,
    /// Done.
    Completed,
}

/// Whether the model does things or only plans them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WorkMode {
    /// It works.
    #[default]
    Act,
    /// It reads and plans: what would change something is denied until a person accepts its plan.
    Plan,
}
