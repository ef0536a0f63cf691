//! Events: the record of a session, in chronological order.
//!
//! # Example
//!
//! The params of a `session/event` notification:
//!
//! ```
//! use pintle_protocol::event::{AnyRecord, Event};
//!
//! let params = r#"{
//!     "sessionId": "s1", "seq": 4, "tsMs": 1767225600000, "turnId": "t1",
//!     "event": { "type": "turn.started", "model": "anthropic/claude-sonnet-4-6" }
//! }"#;
//! let AnyRecord::Durable(record) = serde_json::from_str(params)? else {
//!     panic!("a record with `seq` is durable");
//! };
//! let text = match &record.event {
//!     Event::TurnStarted { model } => format!("{}: {model}", record.seq),
//!     other => format!("{}: {}", record.seq, other.kind()),
//! };
//! assert_eq!(text, "4: anthropic/claude-sonnet-4-6");
//! # Ok::<(), serde_json::Error>(())
//! ```

use crate::approval::{Approval, ApprovalOutcome, PermissionMode};
use crate::content::{Input, Usage};
pub use crate::context::ContextPruned;
use crate::context::ContextUsage;
use crate::files::FilesChanged;
use crate::ids::{AgentId, ItemId, SessionId, TurnId};
use crate::isolation::IsolationApplied;
use crate::item::Item;
use crate::plan::{Plan, WorkMode};
pub use crate::prompt::{AgentRole, PromptMade, PromptSource, PromptSourceKind};
use crate::question::{Question, QuestionOutcome};
use crate::review::{ReviewDecision, ReviewQueue};
use crate::session_events::{
    ForkedFrom, HistoryRewound, LabelChanged, SessionMoved, SessionUpdated,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A durable event with its position in the session's log. It was written to the journal before it was sent anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventRecord {
    /// Session.
    pub session_id: SessionId,
    /// The event's sequence number in its session, from 1, without gaps.
    pub seq: u64,
    /// Time, in milliseconds since 1970.
    pub ts_ms: u64,
    /// Turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Client request that directly caused the event; absent for actions initiated by the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Event.
    pub event: Event,
}

/// Request that an event follows from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// Client that sent it: its `id` of `initialize`, or else its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The `key` of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A transient event: never journalled, possibly merged with its neighbours or dropped, never needed for correctness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransientRecord {
    /// Session.
    pub session_id: SessionId,
    /// Sequence number of the last durable event before it.
    pub after: u64,
    /// Turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Event.
    pub event: TransientEvent,
}

/// Params of `session/event`: durable if `seq` is present, transient if `after` is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AnyRecord {
    /// A durable event.
    Durable(Box<EventRecord>),
    /// A transient event.
    Transient(TransientRecord),
}

/// Durable events, distinguished by `type`. A reader skips unknown types.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Event {
    /// The session was created.
    #[serde(rename = "session.created")]
    SessionCreated(SessionCreated),
    /// The session was closed cleanly; it can be opened again.
    #[serde(rename = "session.closed")]
    SessionClosed {},
    /// The session works in another directory from now on. Earlier events keep their original paths.
    #[serde(rename = "session.moved")]
    SessionMoved(SessionMoved),
    /// The session's title changed or was removed.
    #[serde(rename = "session.updated")]
    SessionUpdated(SessionUpdated),
    /// A user message was accepted and is on disk. It stays in the queue until its turn starts, a `userMessage` item with the same id is
    /// completed, or `input.removed` lists it.
    #[serde(rename = "input.accepted")]
    InputAccepted(QueuedInput),
    /// Messages left the queue unread by the model. They are returned here in full.
    #[serde(rename = "input.removed")]
    InputRemoved {
        /// The messages.
        inputs: Vec<QueuedInput>,
        /// True if a hook has handled them, so they must not be sent again.
        #[serde(default, rename = "handled", skip_serializing_if = "std::ops::Not::not")]
        is_handled: bool,
    },
    /// Messages in the queue were edited or reordered. This is the full queue.
    #[serde(rename = "queue.changed")]
    QueueChanged {
        /// The messages, in the order in which the model will read them.
        queue: Vec<QueuedInput>,
    },
    /// A turn began.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The turn's model, as `provider/id`.
        model: String,
    },
    /// The system prompt was built. It stays the same, byte for byte, until the session's model changes; later
    /// changes of the files that it was built from are announced in an `engineMessage`.
    #[serde(rename = "prompt.made")]
    PromptMade(PromptMade),
    /// A turn ended. This is the turn's last event, and there is exactly one for each turn, also after a crash. A job
    /// that the turn started may continue; its later events belong to no turn.
    #[serde(rename = "turn.completed")]
    TurnCompleted(TurnCompleted),
    /// An item started.
    #[serde(rename = "item.started")]
    ItemStarted {
        /// The item's current value.
        item: Item,
    },
    /// An item changed; this is its full new value.
    #[serde(rename = "item.updated")]
    ItemUpdated {
        /// The item's current value.
        item: Item,
    },
    /// An item ended; this is its full final value.
    #[serde(rename = "item.completed")]
    ItemCompleted {
        /// The item's final value.
        item: Item,
    },
    /// An approval is requested.
    #[serde(rename = "approval.requested")]
    ApprovalRequested(Approval),
    /// An approval was answered or withdrawn.
    #[serde(rename = "approval.resolved")]
    ApprovalResolved(ApprovalOutcome),
    /// The user is asked a question.
    #[serde(rename = "question.requested")]
    QuestionRequested(Question),
    /// A question was answered or withdrawn.
    #[serde(rename = "question.resolved")]
    QuestionResolved(QuestionOutcome),
    /// The model changed its plan; this is the full plan.
    #[serde(rename = "plan.updated")]
    PlanUpdated(Plan),
    /// A model reply ended, complete or cut off; its tool calls, if any, run now.
    #[serde(rename = "step.completed")]
    StepCompleted(StepCompleted),
    /// The provider failed, and the request is retried after a delay. The part of the interrupted reply that was shown stays, its open
    /// items are cancelled, and the model replies again.
    #[serde(rename = "retry.scheduled")]
    RetryScheduled(RetryScheduled),
    /// Old results were removed from the model's context to make room. The journal keeps them.
    #[serde(rename = "context.pruned")]
    ContextPruned(ContextPruned),
    /// The session's settings changed, with effect from the next turn.
    #[serde(rename = "config.changed")]
    ConfigChanged(ConfigChanged),
    /// Files were changed. The event is emitted after the call that changed them has ended.
    #[serde(rename = "files.changed")]
    FilesChanged(FilesChanged),
    /// An isolated session's changes were applied to the user's files, as the preceding `files.changed` report.
    #[serde(rename = "isolation.applied")]
    IsolationApplied(IsolationApplied),
    /// The user decided about hunks.
    #[serde(rename = "review.decided")]
    ReviewDecided(ReviewDecision),
    /// The queue of decisions that wait for the next gap between two calls changed.
    #[serde(rename = "review.queued")]
    ReviewQueued(ReviewQueue),
    /// The session continues from another point of its history. Later events stay in the journal, but no longer in
    /// the model's context.
    #[serde(rename = "history.rewound")]
    HistoryRewound(HistoryRewound),
    /// Label of a point in the history changed.
    #[serde(rename = "label.changed")]
    LabelChanged(LabelChanged),
    /// Notice for the user.
    #[serde(rename = "session.notice")]
    Notice(Notice),
}

impl Event {
    /// Returns the item that the event starts, updates or completes.
    pub fn item(&self) -> Option<&Item> {
        if let Self::ItemStarted { item }
        | Self::ItemUpdated { item }
        | Self::ItemCompleted { item } = self
        {
            Some(item)
        } else {
            None
        }
    }
}

/// Transient events, distinguished by `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum TransientEvent {
    /// A field of an item grew.
    #[serde(rename = "item.delta")]
    ItemDelta(ItemDelta),
    /// The session's state changed.
    #[serde(rename = "session.state")]
    State(SessionState),
    /// The fill level of the model's context window, sent after each reply.
    #[serde(rename = "session.context")]
    Context(ContextUsage),
    /// Usage so far of the streaming reply, if its provider reports it before the end.
    #[serde(rename = "step.usage")]
    StepUsage(StepUsage),
    /// Notice for the user that could not be written to the journal.
    #[serde(rename = "session.notice")]
    Notice(Notice),
}

/// A piece of text to append to a field of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemDelta {
    /// Item.
    pub item_id: ItemId,
    /// Field that grew.
    pub field: DeltaField,
    /// Argument string that grew, as a JSON Pointer such as `/content`; only with the field `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The piece's number within item and field, from 0. All paths of the field `input` share one sequence: 0 discards the text of each.
    pub n: u64,
    /// Number of the last piece merged into this one, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// Text to append.
    pub text: String,
}

/// Fields that stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum DeltaField {
    /// Text of a message or of reasoning.
    #[serde(rename = "text")]
    Text,
    /// Tool call arguments, as JSON text.
    #[serde(rename = "args")]
    Args,
    /// One string of a tool call's arguments, named by `path`, without JSON's quotes and escapes: a file while it is
    /// being written.
    #[serde(rename = "input")]
    Input,
    /// Output of a running tool.
    #[serde(rename = "output")]
    Output,
}

/// Settings that the session was created with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCreated {
    /// Working directory, absolute.
    pub cwd: String,
    /// Model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// Permission mode.
    pub permission_mode: PermissionMode,
    /// Work mode.
    #[serde(default)]
    pub mode: WorkMode,
    /// Title, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Parent, if the session is a sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// Named agent whose instructions it follows, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<AgentRole>,
    /// Instructions for this session alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Names of the tools visible to its model; all tools if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Origin of its initial history, if it is a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkedFrom>,
}

/// Parent of a sub-agent's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Parent {
    /// Parent session.
    pub session_id: SessionId,
    /// Sub-agent id in the parent's session.
    pub agent_id: AgentId,
}

/// A session's settings from the next turn on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigChanged {
    /// Model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// Permission mode.
    pub permission_mode: PermissionMode,
    /// Work mode.
    #[serde(default)]
    pub mode: WorkMode,
}

/// User message that is accepted and not yet read by the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedInput {
    /// Id that the `userMessage` item will have.
    pub item_id: ItemId,
    /// Turn that it belongs to: the running turn for a steer, a separate turn for a prompt or a follow-up.
    pub turn_id: TurnId,
    /// The way it is delivered.
    pub delivery: Delivery,
    /// Blocks, as sent.
    pub content: Vec<Input>,
    /// Budget of the turn that it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<TurnLimits>,
    /// JSON Schema that the final message of the turn that it starts must satisfy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// Turn budget. Reaching a limit ends the turn cleanly, with the stop reason `limit` and a notice. The user's settings may be stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnLimits {
    /// Maximum number of model replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Maximum number of tool calls, checked between replies; those of sub-agents are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    /// Maximum number of tokens, input and output together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Maximum cost, in billionths of a US dollar; never reached if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// Maximum duration in milliseconds, checked between replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Delivery of a user message to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// Starts a turn at once.
    Prompt,
    /// Goes into the running turn at its next gap.
    Steer,
    /// Starts a turn after the running turn and the earlier messages of the queue.
    FollowUp,
}

/// A retry of a failed request to a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryScheduled {
    /// Number of this retry, from 1.
    pub attempt: u32,
    /// Maximum number of retries.
    pub of: u32,
    /// Delay in milliseconds, counted from this event.
    pub delay_ms: u64,
    /// Error code, as in `TurnError`.
    pub code: String,
    /// User-facing message.
    pub message: String,
}

/// End of a model reply, with its usage and cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepCompleted {
    /// Step within the turn, from 1.
    pub step: u32,
    /// Reason why the model stopped; absent when it was interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// Usage of this reply.
    pub usage: Usage,
    /// Usage of the turn so far.
    pub turn_usage: Usage,
    /// Cost of this reply, in billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// Cost of the turn so far, in billionths of a US dollar; absent if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_cost_nano_usd: Option<u64>,
}

/// Usage of a streaming reply. `step.completed` has the final count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepUsage {
    /// Step within the turn, from 1.
    pub step: u32,
    /// Usage so far.
    pub usage: Usage,
    /// Cost so far, in billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// Turn outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnCompleted {
    /// Final status.
    pub status: TurnStatus,
    /// Reason why the model stopped, when the model ended the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// Error, when the turn failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// The turn's usage, including that of sub-agents whose turns ended meanwhile.
    pub usage: Usage,
    /// Cost of that usage, in billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// Number of model replies.
    pub steps: u32,
    /// Number of denied tool calls.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub denials: u32,
    /// Final message as a JSON value that satisfies the turn's `outputSchema`; absent without a schema, and if a limit or the user ended
    /// the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// Duration in milliseconds.
    pub duration_ms: u64,
}

/// Final status of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TurnStatus {
    /// The model stopped by itself.
    Completed,
    /// The turn was interrupted.
    Interrupted,
    /// The turn could not continue; `error` gives the reason.
    Failed,
}

/// Reason why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The model finished.
    EndTurn,
    /// The model called tools.
    ToolUse,
    /// The model reached its output limit.
    MaxTokens,
    /// The model declined to answer.
    Refusal,
    /// The provider paused a long reply; the engine then requests its continuation.
    Paused,
    /// The engine ended the turn at a limit or because the model repeated itself; a notice identifies which.
    Limit,
    /// A reason that this engine does not know; treated as finished.
    Other,
}

/// Error that ended a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnError {
    /// A stable code. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`,
    /// `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`.
    /// More may be added.
    pub code: String,
    /// User-facing message.
    pub message: String,
    /// Suggested next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// True if a retry may succeed.
    #[serde(default)]
    pub retryable: bool,
    /// The provider's HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
}

/// Current state of a session. A reader never takes an unknown value for idle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionState {
    /// State.
    pub value: StateValue,
    /// Ids of the approvals and questions that it is waiting for, when it is blocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_on: Vec<String>,
    /// Items of background jobs that run, also while the session is idle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<ItemId>,
}

/// Session state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StateValue {
    /// Waiting for a prompt.
    Idle,
    /// A turn runs.
    Running,
    /// A turn waits for the user.
    Blocked,
    /// A request to the provider failed and will be retried.
    Retrying,
    /// A compaction runs.
    Compacting,
}

/// Notice for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Severity.
    pub level: NoticeLevel,
    /// A stable code.
    pub code: String,
    /// Message.
    pub message: String,
    /// Suggested next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Notice severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NoticeLevel {
    /// For information.
    Info,
    /// A problem that does not stop the work.
    Warning,
    /// Something failed.
    Error,
}
