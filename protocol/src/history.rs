//! A session's history: going back in it, going on from another place, naming places.
//!
//! A session's events stand in one line, and their tree follows from it: each event comes after the one before, except
//! `history.rewound`, which comes after the event that it names. The way from the last event back to the first is what the model
//! reads; what lies beside it stays in the journal and can be gone back to.

use crate::content::Input;
use crate::files::{FileFate, RewindScope};
use crate::ids::{ItemId, SessionId, TurnId};
use crate::item::Item;
use crate::methods::SessionConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in a session's history: exactly one of its fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPoint {
    /// Before this message of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// After the end of this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// After the event with this number, also one on a way that was left; 0 is the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

/// The session goes on from another place of its history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryRewound {
    /// The event after which it goes on; 0 is the beginning.
    pub to_seq: u64,
    /// Items that the model does not know any more; a client takes them out of its view.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<ItemId>,
    /// Items that it knows again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<ItemId>,
    /// The next events come from a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedFrom>,
}

/// Where the next events come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergedFrom {
    /// The fork. What was used there is not counted here.
    pub session_id: SessionId,
    /// The last event there that is part of this session's history now.
    pub seq: u64,
    /// The number of the last event here that was copied from there.
    pub copied_seq: u64,
}

/// A place of the history has another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelChanged {
    /// The event that is the place.
    pub seq: u64,
    /// The name; absent when it was taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Where a session that began with a part of another one's history comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// The other session.
    pub session_id: SessionId,
    /// The last event there that is part of this session's history.
    pub seq: u64,
    /// The number of the last event here that was copied from there.
    pub copied_seq: u64,
}

/// Where to go back to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRewindParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The place.
    pub to: HistoryPoint,
    /// Whether the conversation goes there, the files, or both.
    #[serde(default)]
    pub scope: RewindScope,
    /// Files that are put back although somebody else has changed them, by their absolute paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overwrite: Vec<String>,
    /// Have the model sum up what it will not know any more, and tell it that. It takes a turn of its own, whose answer is nothing but the summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summarize: bool,
    /// Only say what would happen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// What became of it, or would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRewindResult {
    /// The event after which the session goes on.
    pub to_seq: u64,
    /// Where it stood before: going there undoes this.
    pub from_seq: u64,
    /// Items that the model does not know any more.
    pub dropped: Vec<ItemId>,
    /// Items that it knows again.
    pub restored: Vec<ItemId>,
    /// The message that was gone back before, to be edited and sent again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<Input>,
    /// The turn that sums up what was left, where that was wanted and there is something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_turn_id: Option<TurnId>,
    /// What became of the files that were changed since; empty where only the conversation goes back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileFate>,
}

/// Which session to go on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionForkParams {
    /// The session; it stays as it is, and need not be open.
    pub session_id: SessionId,
    /// How far its history is taken over; all of it when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<HistoryPoint>,
    /// A title for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How the new session is to work; what is left out is as in the other one.
    #[serde(default)]
    pub config: SessionConfig,
    /// Whether to subscribe to the new session; default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
}

/// Which fork comes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMergeParams {
    /// The session that takes it; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The fork, made of that session by `session/fork`; it stays as it is, and need not be open.
    pub fork_id: SessionId,
}

/// What became of it. The events that were copied follow as `session/event`, behind a `history.rewound`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMergeResult {
    /// The event after which what was copied begins.
    pub to_seq: u64,
    /// Where the session stood before: going there undoes this.
    pub from_seq: u64,
    /// The number of the last event that was copied; the session stands there now.
    pub copied_seq: u64,
    /// Items that the model does not know any more.
    pub dropped: Vec<ItemId>,
    /// Items that it knows again.
    pub restored: Vec<ItemId>,
    /// Items that came from the fork.
    pub added: Vec<ItemId>,
}

/// Which place to name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLabelParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The place.
    pub at: HistoryPoint,
    /// The name, at most 200 characters; left out, the place has none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The place that has another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLabelResult {
    /// The event that is the place.
    pub seq: u64,
}

/// The ways that a session's history has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionTreeResult {
    /// Messages of people and named places, oldest first.
    pub nodes: Vec<HistoryNode>,
    /// The last event.
    pub leaf_seq: u64,
}

/// A place where the history may branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryNode {
    /// The event.
    pub seq: u64,
    /// The node before it on its way; absent for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_seq: Option<u64>,
    /// The message, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The beginning of the message.
    pub text: String,
    /// When it was, in milliseconds since 1970.
    pub ts_ms: u64,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// It lies on the way that the model knows.
    pub is_current: bool,
}

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAnchorsParams {
    /// The session, open or not; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// The points between which a session's items can be listed and searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAnchorsResult {
    /// In the order of their events.
    pub anchors: Vec<Anchor>,
}

/// A point of a session at which something begins or is handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Anchor {
    /// The event.
    pub seq: u64,
    /// What it is.
    pub kind: AnchorKind,
    /// The name that a place was given, or the beginning of the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The session that what was copied came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<SessionId>,
    /// When it was, in milliseconds since 1970.
    pub ts_ms: u64,
    /// It lies on the way that the model knows.
    pub is_current: bool,
}

/// What an anchor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AnchorKind {
    /// The session begins.
    Start,
    /// What a fork took over ends, or what came back from a fork.
    Copied,
    /// The conversation was summed up to make room.
    Compaction,
    /// What going back has left was summed up and told.
    HandOver,
    /// It was named by hand.
    Label,
}

/// Which items of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionItemsParams {
    /// The session, open or not; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The items before this event; the last ones when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Only items after this event, such as an anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// At most so many, 1 to 1,000; default 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Items as they are now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionItemsResult {
    /// In the order of their last events, on the way that the model knows. What has not ended is in the newest page.
    pub items: Vec<ItemAt>,
    /// There are more; ask for those before the first one's `seq`.
    pub more: bool,
}

/// An item, and the last event that told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemAt {
    /// The event.
    pub seq: u64,
    /// The item.
    pub item: Item,
}

/// Which item to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemReadParams {
    /// The session, open or not; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The item.
    pub item_id: ItemId,
}

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointListParams {
    /// The session, open or not; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}

/// The places to which files can go back: the beginning and the end of each turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointListResult {
    /// Oldest first.
    pub checkpoints: Vec<Checkpoint>,
}

/// A place to which files can go back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkpoint {
    /// The event after which it is; 0 is the beginning.
    pub seq: u64,
    /// The turn that ended there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// When it was, in milliseconds since 1970.
    pub ts_ms: u64,
    /// The paths that have changed since the checkpoint before, absolute.
    pub changed: Vec<String>,
    /// The name of the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Which places to compare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDiffParams {
    /// The session, open or not; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The one place.
    pub from: HistoryPoint,
    /// The other; what the journal says of now when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<HistoryPoint>,
}

/// What differs in files between two places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointDiffResult {
    /// A patch for `git apply` in the session's working directory, with everybody's changes.
    pub text: String,
    /// Changed files that are not in it: outside of that folder, or with a content that was not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
