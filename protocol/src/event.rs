//! Events: what happened in a session, in the order in which it happened.

use crate::approval::{Approval, ApprovalOutcome, PermissionMode};
use crate::content::{Input, Usage};
pub use crate::context::ContextPruned;
use crate::context::ContextUsage;
use crate::files::FilesChanged;
use crate::history::{ForkedFrom, HistoryRewound, LabelChanged};
use crate::ids::{AgentId, ItemId, SessionId, TurnId};
use crate::item::Item;
use crate::plan::{Plan, WorkMode};
pub use crate::prompt::{AgentRole, PromptMade, PromptSource, PromptSourceKind};
use crate::question::{Question, QuestionOutcome};
use crate::review::{ReviewQueue, Verdict};
use crate::session::SessionUpdated;
pub use crate::step::{StepCompleted, StepUsage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A durable event with its place in the session's log. It was written to the journal before it
/// was sent anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventRecord {
    /// The session.
    pub session_id: SessionId,
    /// The event's number in its session: from 1, each one more than the last, no gaps.
    pub seq: u64,
    /// When it happened, in milliseconds since 1970.
    pub ts_ms: u64,
    /// The turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// What happened.
    pub event: Event,
}

/// A transient event: never in the journal, may be merged with its neighbours or left out, never needed for correctness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransientRecord {
    /// The session.
    pub session_id: SessionId,
    /// The number of the last durable event before it.
    pub after: u64,
    /// The turn it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// What happened.
    pub event: TransientEvent,
}

/// The params of `session/event`: durable if there is a `seq`, transient if there is an `after`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AnyRecord {
    /// A durable event.
    Durable(Box<EventRecord>),
    /// A transient event.
    Transient(TransientRecord),
}

/// Durable events, told apart by `type`. A reader skips a type it does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum Event {
    /// The session was made.
    #[serde(rename = "session.created")]
    SessionCreated(SessionCreated),
    /// The session was closed in order; it can be opened again.
    #[serde(rename = "session.closed")]
    SessionClosed {},
    /// The session has another title, or none any more.
    #[serde(rename = "session.updated")]
    SessionUpdated(SessionUpdated),
    /// A person's message was taken and is on disk. It is in the queue until a `userMessage` item
    /// with the same id is completed, or `input.removed` names it.
    #[serde(rename = "input.accepted")]
    InputAccepted(QueuedInput),
    /// Messages left the queue without being read by the model; they are handed back here, whole.
    #[serde(rename = "input.removed")]
    InputRemoved {
        /// The messages.
        inputs: Vec<QueuedInput>,
    },
    /// Messages in the queue were edited or put in another order. This is the whole queue.
    #[serde(rename = "queue.changed")]
    QueueChanged {
        /// The messages, in the order in which the model will read them.
        queue: Vec<QueuedInput>,
    },
    /// A turn began.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The model that answers, as `provider/id`.
        model: String,
    },
    /// The model was given its system prompt. It stays the same, byte for byte, until the model of the session is another one;
    /// what changes meanwhile in the files that it was made of is told in an `engineMessage`.
    #[serde(rename = "prompt.made")]
    PromptMade(PromptMade),
    /// A turn ended. It is the turn's last event and there is exactly one for each turn, also
    /// after a crash. A job that it began may go on; what happens to that belongs to no turn.
    #[serde(rename = "turn.completed")]
    TurnCompleted(TurnCompleted),
    /// An item began.
    #[serde(rename = "item.started")]
    ItemStarted {
        /// The item as it is now.
        item: Item,
    },
    /// An item changed; this is its whole new value.
    #[serde(rename = "item.updated")]
    ItemUpdated {
        /// The item as it is now.
        item: Item,
    },
    /// An item ended; this is its whole final value.
    #[serde(rename = "item.completed")]
    ItemCompleted {
        /// The item as it stays.
        item: Item,
    },
    /// A question of permission is open.
    #[serde(rename = "approval.requested")]
    ApprovalRequested(Approval),
    /// A question of permission was answered or withdrawn.
    #[serde(rename = "approval.resolved")]
    ApprovalResolved(ApprovalOutcome),
    /// A question to a person is open.
    #[serde(rename = "question.requested")]
    QuestionRequested(Question),
    /// A question to a person was answered, or is not asked any more.
    #[serde(rename = "question.resolved")]
    QuestionResolved(QuestionOutcome),
    /// The model changed its plan; this is the whole of it.
    #[serde(rename = "plan.updated")]
    PlanUpdated(Plan),
    /// A model reply is over, whole or cut; its tool calls, if any, run now.
    #[serde(rename = "step.completed")]
    StepCompleted(StepCompleted),
    /// The provider failed and is asked again after a wait. What was shown of a cut reply stays as it is, its open items are
    /// cancelled, and the model says it anew.
    #[serde(rename = "retry.scheduled")]
    RetryScheduled(RetryScheduled),
    /// Old results were taken out of what the model reads, to make room. The journal keeps them.
    #[serde(rename = "context.pruned")]
    ContextPruned(ContextPruned),
    /// The session works in another way from the next turn on.
    #[serde(rename = "config.changed")]
    ConfigChanged(ConfigChanged),
    /// Files were changed. It comes with the end of the call that did it.
    #[serde(rename = "files.changed")]
    FilesChanged(FilesChanged),
    /// A person decided about hunks.
    #[serde(rename = "review.decided")]
    ReviewDecided(Verdict),
    /// A verdict waits for the next gap between two calls, or one waits no more.
    #[serde(rename = "review.queued")]
    ReviewQueued(ReviewQueue),
    /// The session goes on from another place of its history. What came since stays in the journal; the model knows it no more.
    #[serde(rename = "history.rewound")]
    HistoryRewound(HistoryRewound),
    /// A place of the history has another name.
    #[serde(rename = "label.changed")]
    LabelChanged(LabelChanged),
    /// Something a person should know.
    #[serde(rename = "notice")]
    Notice(Notice),
}

/// Transient events, told apart by `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum TransientEvent {
    /// A field of an item grew.
    #[serde(rename = "item.delta")]
    ItemDelta(ItemDelta),
    /// The session does something else now.
    #[serde(rename = "state")]
    State(SessionState),
    /// How full the model's window is, after each reply.
    #[serde(rename = "context")]
    Context(ContextUsage),
    /// What the reply that streams has taken so far, where its provider tells it on the way.
    #[serde(rename = "step.usage")]
    StepUsage(StepUsage),
    /// Something a person should know that could not be written to the journal.
    #[serde(rename = "notice")]
    Notice(Notice),
}

/// A piece of text for the end of an item's field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemDelta {
    /// The item.
    pub item_id: ItemId,
    /// The field that grew.
    pub field: DeltaField,
    /// Which text of the arguments grew, as a JSON Pointer such as `/content`; only with the field `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The piece's number within item and field, from 0.
    pub n: u64,
    /// The last piece's number where neighbours were merged into this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u64>,
    /// The text to append.
    pub text: String,
}

/// The fields that stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum DeltaField {
    /// The text of a message or of reasoning.
    #[serde(rename = "text")]
    Text,
    /// The arguments of a tool call, as JSON text.
    #[serde(rename = "args")]
    Args,
    /// One text of a tool call's arguments, named by `path`, without JSON's quotes and escapes: a file while it is being written.
    #[serde(rename = "input")]
    Input,
    /// What a running tool prints.
    #[serde(rename = "output")]
    Output,
}

/// What the session was made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCreated {
    /// The working directory, absolute.
    pub cwd: String,
    /// The model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// What needs no question.
    pub permission_mode: PermissionMode,
    /// Whether it plans only.
    #[serde(default)]
    pub mode: WorkMode,
    /// The title, if it was given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whose sub-agent it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// Which named agent it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<AgentRole>,
    /// Instructions for this session alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Whose history it began with, if it is a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkedFrom>,
}

/// Whose sub-agent a session is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Parent {
    /// The session that made it.
    pub session_id: SessionId,
    /// The name by which the model there speaks of it.
    pub agent_id: AgentId,
}

/// How a session works from the next turn on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigChanged {
    /// The model, as `provider/id` or `provider/id:effort`.
    pub model: String,
    /// What needs no question.
    pub permission_mode: PermissionMode,
    /// Whether it plans only.
    #[serde(default)]
    pub mode: WorkMode,
}

/// A person's message, accepted and not yet read by the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedInput {
    /// The id that the `userMessage` item will have.
    pub item_id: ItemId,
    /// The turn it belongs to: the running one for a steer, its own for a prompt or a follow-up.
    pub turn_id: TurnId,
    /// How it is to be delivered.
    pub delivery: Delivery,
    /// The blocks, as sent.
    pub content: Vec<Input>,
    /// How much the turn that it starts may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<TurnLimits>,
}

/// How much a turn may take. A limit that is reached ends the turn in order, with the stop reason `limit` and a notice. The
/// user's settings may be stricter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnLimits {
    /// The most model replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// The most tokens, of input and output together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The most it may cost, in billionths of a US dollar; never reached where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// The longest it may take, in milliseconds; looked at between replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// How a person's message reaches the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Delivery {
    /// Starts a turn at once.
    Prompt,
    /// Goes into the running turn at its next gap.
    Steer,
    /// Starts a turn when the running one and those before it in the queue are over.
    FollowUp,
}

/// A provider that failed is asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryScheduled {
    /// Which retry this is, from 1.
    pub attempt: u32,
    /// How many there are at most.
    pub of: u32,
    /// How long the wait is, from this event on, in milliseconds.
    pub delay_ms: u64,
    /// Why, as in [`TurnError`].
    pub code: String,
    /// What happened, for a person.
    pub message: String,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnCompleted {
    /// Whether it reached its end.
    pub status: TurnStatus,
    /// Why the model stopped, when it was the model that ended the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// What went wrong, when something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TurnError>,
    /// The turn's tokens, those of sub-agents that ended a turn meanwhile among them.
    pub usage: Usage,
    /// What all that cost, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
    /// How many model replies it took.
    pub steps: u32,
    /// Tool calls that were denied.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub denials: u32,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Whether a turn reached its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TurnStatus {
    /// The model stopped by itself.
    Completed,
    /// Somebody stopped it.
    Interrupted,
    /// It could not go on; `error` says why.
    Failed,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// It asked for tools.
    ToolUse,
    /// It reached its output limit.
    MaxTokens,
    /// It declined to answer.
    Refusal,
    /// The engine ended the turn at a limit or because the model went in circles; a notice says which.
    Limit,
    /// It said something this engine does not know; taken as done.
    Other,
}

/// Why a turn failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnError {
    /// A stable name. From a provider: `auth`, `billing`, `rateLimit`, `overloaded`, `overflow`, `invalidRequest`,
    /// `contentFilter`, `network`, `timeout`, `protocol`, `replay`. From the engine: `journal`, `engineRestarted`. More may come.
    pub code: String,
    /// What happened, for a person.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Trying the same again may help.
    #[serde(default)]
    pub retryable: bool,
    /// The provider's HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
}

/// What a session does at the moment. A reader never takes a value it does not know for idle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionState {
    /// The state.
    pub value: StateValue,
    /// The questions it waits for, when it is blocked: ids of approvals and of questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_on: Vec<String>,
    /// The items of jobs that run in the background, also while the session is idle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<ItemId>,
}

/// What a session does at the moment, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StateValue {
    /// Waits for a prompt.
    Idle,
    /// A turn runs.
    Running,
    /// A turn waits for a person.
    Blocked,
    /// The provider failed, and the turn waits until it asks again.
    Retrying,
    /// The conversation is being summed up.
    Compacting,
}

/// Something a person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// How bad it is.
    pub level: NoticeLevel,
    /// A stable name.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How bad a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Something is not as it should be.
    Warning,
    /// Something failed.
    Error,
}
