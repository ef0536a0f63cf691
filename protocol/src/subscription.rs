//! Subscriptions: which events of a session a client receives, and how soon.

use crate::event::{DeltaField, Event, TransientEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Events that a subscription sends; by default all of them at once. It also applies to the session's sub-agents.
///
/// Omitted events keep their numbers, so the numbers of those that are sent have gaps. Approvals and questions are requested in any case.
/// `session/events` reads all events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventFilter {
    /// Types of the events to send, durable or transient, such as `item.completed`; a `*` at the end matches any text, as in `turn.*`.
    /// Default: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    /// Types of the events not to send, in the same form; it takes precedence over `include`. `item.delta` leaves out all deltas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Vec<String>>,
    /// Maximum time that deltas may be held back and then sent merged, in milliseconds, up to 10000; any other event first sends the deltas
    /// held back. Default: `coalesceMs` of the client's capability `deltas`, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_latency_ms: Option<u64>,
}

/// Deltas that a client wants in all of its subscriptions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeltaCapability {
    /// Fields whose deltas are sent; none if it is empty. Default: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<DeltaField>>,
    /// Default `maxLatencyMs` of subscriptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coalesce_ms: Option<u64>,
}

/// The types of all events.
pub const EVENT_TYPES: [&str; 33] = [
    "session.created",
    "session.closed",
    "session.moved",
    "session.updated",
    "input.accepted",
    "input.removed",
    "queue.changed",
    "turn.started",
    "prompt.made",
    "turn.completed",
    "item.started",
    "item.updated",
    "item.completed",
    "approval.requested",
    "approval.resolved",
    "question.requested",
    "question.resolved",
    "plan.updated",
    "step.completed",
    "retry.scheduled",
    "context.pruned",
    "config.changed",
    "files.changed",
    "isolation.applied",
    "review.decided",
    "review.queued",
    "history.rewound",
    "label.changed",
    "session.notice",
    "item.delta",
    "session.state",
    "session.context",
    "step.usage",
];

impl Event {
    /// The event's `type`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::SessionCreated(_) => "session.created",
            Self::SessionClosed {} => "session.closed",
            Self::SessionMoved(_) => "session.moved",
            Self::SessionUpdated(_) => "session.updated",
            Self::InputAccepted(_) => "input.accepted",
            Self::InputRemoved { .. } => "input.removed",
            Self::QueueChanged { .. } => "queue.changed",
            Self::TurnStarted { .. } => "turn.started",
            Self::PromptMade(_) => "prompt.made",
            Self::TurnCompleted(_) => "turn.completed",
            Self::ItemStarted { .. } => "item.started",
            Self::ItemUpdated { .. } => "item.updated",
            Self::ItemCompleted { .. } => "item.completed",
            Self::ApprovalRequested(_) => "approval.requested",
            Self::ApprovalResolved(_) => "approval.resolved",
            Self::QuestionRequested(_) => "question.requested",
            Self::QuestionResolved(_) => "question.resolved",
            Self::PlanUpdated(_) => "plan.updated",
            Self::StepCompleted(_) => "step.completed",
            Self::RetryScheduled(_) => "retry.scheduled",
            Self::ContextPruned(_) => "context.pruned",
            Self::ConfigChanged(_) => "config.changed",
            Self::FilesChanged(_) => "files.changed",
            Self::IsolationApplied(_) => "isolation.applied",
            Self::ReviewDecided(_) => "review.decided",
            Self::ReviewQueued(_) => "review.queued",
            Self::HistoryRewound(_) => "history.rewound",
            Self::LabelChanged(_) => "label.changed",
            Self::Notice(_) => "session.notice",
        }
    }
}

impl TransientEvent {
    /// The event's `type`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ItemDelta(_) => "item.delta",
            Self::State(_) => "session.state",
            Self::Context(_) => "session.context",
            Self::StepUsage(_) => "step.usage",
            Self::Notice(_) => "session.notice",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the types in an event enum's schema.
    fn types(schema: &schemars::Schema) -> BTreeSet<String> {
        let variants = schema.as_value()["oneOf"].as_array().unwrap();
        variants
            .iter()
            .map(|variant| variant["properties"]["type"]["const"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn the_list_of_types_is_the_schemas() {
        let mut all = types(&schemars::schema_for!(Event));
        all.extend(types(&schemars::schema_for!(TransientEvent)));
        assert_eq!(all, EVENT_TYPES.into_iter().map(str::to_owned).collect());
    }
}
