//! Session history: rewinding it, continuing from another point, forks, labels and outlines.
//!
//! A session's events form one sequence, from which their tree follows: an event's parent is the preceding event, except for
//! `history.rewound`, whose parent is the event that it specifies. The path from the last event back to the first is the current path,
//! which the model reads. Events off this path stay in the journal and can be returned to.

use crate::content::Input;
use crate::files::{FileFate, RewindScope};
use crate::ids::{ItemId, SessionId, TurnId};
use crate::item::Item;
use crate::session::SessionConfig;
pub use crate::session_events::{ForkedFrom, HistoryRewound, LabelChanged, MergedFrom};
use crate::subscription::EventFilter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A point in a session's history: exactly one of its fields is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPoint {
    /// Before this user message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// After the end of this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// After the event with this number, which may be off the current path; 0 is the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

/// Params of `session/rewind`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRewindParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Point to return to.
    pub to: HistoryPoint,
    /// Scope: the conversation, the files, or both.
    #[serde(default)]
    pub scope: RewindScope,
    /// Absolute paths of files to restore even if they were changed by others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overwrite: Vec<String>,
    /// If true, the model summarizes the part of the history that it loses, and the summary stays in its context. This takes a separate
    /// turn, whose reply is nothing but the summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summarize: bool,
    /// If true, only report the effect, without changing anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// Rewind result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRewindResult {
    /// Event after which the session continues.
    pub to_seq: u64,
    /// Last event before the rewind: rewinding to it undoes this rewind.
    pub from_seq: u64,
    /// Items that leave the model's context.
    pub dropped: Vec<ItemId>,
    /// Items that return to the model's context.
    pub restored: Vec<ItemId>,
    /// Message before which the session was rewound, to be edited and sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<Input>,
    /// Turn that writes the summary, if one was requested and there is something to summarize.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_turn_id: Option<TurnId>,
    /// Effect on the files that were changed since; empty when only the conversation is rewound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileFate>,
}

/// Params of `session/fork`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionForkParams {
    /// Session to fork; it does not change, and need not be open.
    pub session_id: SessionId,
    /// Point up to which its history is copied; all of it by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<HistoryPoint>,
    /// Title of the new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Working directory of the new session, absolute; that of the other one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Settings of the new session; omitted settings are copied.
    #[serde(default)]
    pub config: SessionConfig,
    /// Subscribe this connection to the new session; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// The events to send.
    #[serde(flatten)]
    pub filter: EventFilter,
    /// Client-chosen text, such as a UUID, at most 200 characters. A repeated request with the same key opens the session that the first
    /// one created, for a month and also after an engine restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Params of `session/merge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMergeParams {
    /// Session that receives the events; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Fork, created from that session by `session/fork`; it does not change, and need not be open.
    pub fork_id: SessionId,
}

/// Merge result. The copied events follow as `session/event`, after a `history.rewound`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMergeResult {
    /// Event after which the copied events are inserted.
    pub to_seq: u64,
    /// Last event before the merge: rewinding to it undoes the merge.
    pub from_seq: u64,
    /// Number of the last copied event, now the session's current position.
    pub copied_seq: u64,
    /// Items that leave the model's context.
    pub dropped: Vec<ItemId>,
    /// Items that return to the model's context.
    pub restored: Vec<ItemId>,
    /// Items copied from the fork.
    pub added: Vec<ItemId>,
}

/// Params of `session/label`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLabelParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Point.
    pub at: HistoryPoint,
    /// Label, at most 200 characters; absent to remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Any data about the point, at most 16 KB of JSON; kept with the label, and returned with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

/// Point whose label changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLabelResult {
    /// Event of the point.
    pub seq: u64,
}

/// Params of `session/note`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionNoteParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Text, at most 64 KB. May be empty if there is data and the model does not read the note.
    #[serde(default)]
    pub text: String,
    /// Client-chosen name for this kind of note, at most 64 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Any data, at most 64 KB of JSON. The model does not read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// True if the model reads the text at its next turn; default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_model: bool,
    /// True if clients do not show it to the user; default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key adds nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// History tree of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionTreeResult {
    /// User messages and labelled points, oldest first.
    pub nodes: Vec<HistoryNode>,
    /// Last event.
    pub leaf_seq: u64,
}

/// A node of the history tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryNode {
    /// Event.
    pub seq: u64,
    /// Event of the parent node; absent for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_seq: Option<u64>,
    /// Message item, if the node is a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// Turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Beginning of the message.
    pub text: String,
    /// Time, in milliseconds since 1970.
    pub ts_ms: u64,
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// True if it is on the current path.
    #[serde(rename = "current")]
    pub is_current: bool,
}

/// Params of `session/outline`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionOutlineParams {
    /// Session, open or not; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// A session's outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionOutlineResult {
    /// Entries, in the order of their events.
    pub entries: Vec<OutlineEntry>,
}

/// A point at which a section of a session begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlineEntry {
    /// Event.
    pub seq: u64,
    /// Kind.
    pub kind: OutlineKind,
    /// Label, or the beginning of the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The client's data about a labelled point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// Session from which events were copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SessionId>,
    /// Time, in milliseconds since 1970.
    pub ts_ms: u64,
    /// True if it is on the current path.
    #[serde(rename = "current")]
    pub is_current: bool,
}

/// Kind of an outline entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OutlineKind {
    /// The session begins.
    Start,
    /// End of the events copied into a fork or merged from one.
    Copied,
    /// A compaction of the conversation.
    Compaction,
    /// A summary of the history that a rewind left behind.
    RewindSummary,
    /// A label.
    Label,
}

/// Params of `session/items`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionItemsParams {
    /// Session, open or not; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only items before this event; the last items by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Only items after this event, such as an entry of `session/outline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Maximum number of items, 1 to 1,000; default 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Current values of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionItemsResult {
    /// Items of the current path, ordered by their last events. Items that have not ended are in the newest page.
    pub items: Vec<ItemAt>,
    /// True if there are more items; request those before the first one's `seq`.
    pub more: bool,
}

/// An item with the last event that concerns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemAt {
    /// Event.
    pub seq: u64,
    /// Item.
    pub item: Item,
}

/// Params of `item/read`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemReadParams {
    /// Session, open or not; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Item.
    pub item_id: ItemId,
}

/// Params of `item/cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemCancelParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The `toolCall` item.
    pub item_id: ItemId,
}

/// Params of `checkpoint/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointListParams {
    /// Session, open or not; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// Points to which files can be restored: the start and the end of each turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointListResult {
    /// Checkpoints, oldest first.
    pub checkpoints: Vec<Checkpoint>,
}

/// A point to which files can be restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// Event after which the checkpoint lies; 0 is the beginning.
    pub seq: u64,
    /// Turn that ended there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Time, in milliseconds since 1970.
    pub ts_ms: u64,
    /// Paths that changed since the checkpoint before, absolute.
    pub changed: Vec<String>,
    /// Label of the point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Params of `checkpoint/diff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDiffParams {
    /// Session, open or not; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// First point.
    pub from: HistoryPoint,
    /// Second point; the journal's present state by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<HistoryPoint>,
}

/// Difference of files between two points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDiffResult {
    /// Patch for `git apply` in the session's working directory, with the changes of all authors.
    pub text: String,
    /// Changed files that the patch leaves out: outside of that directory, or with a content that was not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
