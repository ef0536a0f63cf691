//! Review: agent changes that have not been accepted yet, and the user's decisions about them.
//!
//! Lines are counted from 1. Lines within a hunk are counted within it, so that edits elsewhere in the file move nothing.

use crate::diff::Side;
use crate::ids::{HunkId, ItemId, SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run of changed lines: its text in the baseline (at the last accepted point) and its text now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// Hunk id, stable while the file changes elsewhere and never reused.
    pub id: HunkId,
    /// The file's absolute path.
    pub path: String,
    /// Kind: lines, or the entire file.
    pub kind: HunkKind,
    /// State.
    pub state: HunkState,
    /// Lines in the baseline.
    pub before: LineSpan,
    /// Lines in the present file.
    pub after: LineSpan,
    /// Text of those lines in the baseline, with line ends; empty if the file is not text.
    pub old_text: String,
    /// Text of those lines in the present file.
    pub new_text: String,
    /// Last event that changed its text. A decision that refers to an older one is refused.
    pub changed_seq: u64,
    /// Calls that created or changed it, in order.
    pub made_by: Vec<Maker>,
    /// Set if the author of the change is unknown: ``unknown, while `make` ran``. Since the hunk may be the user's work, undoing a turn or
    /// everything skips it; undo the hunk or its file instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Comments on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// Decision that closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<u64>,
    /// Number of a queued decision about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
    /// Hunk that absorbed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absorbed_by: Option<HunkId>,
    /// Hunk that it was split from, when a decision covered only some of its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<HunkId>,
}

/// Hunk kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HunkKind {
    /// Lines of a text.
    Lines,
    /// The entire file: created, deleted, not text, or too large for lines.
    File,
    /// The file's mode bits alone.
    Mode,
}

/// Hunk state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HunkState {
    /// Undecided.
    Pending,
    /// Undecided, and edited by the user.
    Modified,
    /// An undo was refused because it would have removed lines that the user wrote.
    Conflict,
    /// Accepted.
    Kept,
    /// Undone.
    Undone,
    /// Absorbed by another hunk.
    Absorbed,
    /// Reverted by the agent or by a rewind.
    Gone,
}

/// A span of lines in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineSpan {
    /// First line, from 1. For an empty span: the line before which it lies.
    pub start: u64,
    /// Number of lines.
    pub count: u64,
}

/// Call that created or changed a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Maker {
    /// Turn.
    pub turn_id: TurnId,
    /// Tool call.
    pub item_id: ItemId,
    /// Set if the change may not be the call's: the command that ran while the file changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub while_ran: Option<String>,
}

/// User comment on a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// Event that added it.
    pub seq: u64,
    /// Side: the baseline or the present file.
    pub side: Side,
    /// Lines within the hunk; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineSpan>,
    /// Comment text.
    pub text: String,
}

/// User action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReviewAction {
    /// Accept the hunks: the baseline takes their lines. The file does not change.
    Keep {
        /// The hunks concerned.
        target: ReviewTarget,
    },
    /// Undo the hunks: the file gets the baseline's lines again.
    Undo {
        /// The hunks concerned.
        target: ReviewTarget,
        /// If true, also remove lines that the user wrote into a hunk; otherwise such a hunk is a conflict.
        #[serde(default)]
        discard_edits: bool,
    },
    /// Revert a decision, or withdraw a queued one.
    Revert {
        /// Event of the decision.
        decision: u64,
    },
    /// Comment on a hunk.
    Comment {
        /// The hunk.
        hunk: HunkId,
        /// The side: the baseline or the present file.
        side: Side,
        /// Lines within the hunk; absent for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<LineSpan>,
        /// The comment's text.
        text: String,
    },
}

/// Hunks that a decision concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReviewTarget {
    /// One hunk.
    Hunk {
        /// Its id.
        hunk: HunkId,
        /// The `changedSeq` that was shown; the decision is refused when it has changed since.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed_seq: Option<u64>,
    },
    /// Some lines of a hunk.
    Lines {
        /// Its id.
        hunk: HunkId,
        /// The `changedSeq` that was shown; the lines are counted in that text.
        changed_seq: u64,
        /// The selected lines.
        lines: LineSelection,
    },
    /// All open hunks of a file.
    File {
        /// Its absolute path.
        path: String,
    },
    /// All open hunks that a turn created or changed.
    Turn {
        /// The turn.
        turn_id: TurnId,
    },
    /// All open hunks.
    All,
}

/// A selection of lines of a hunk, counted within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineSelection {
    /// Lines of the baseline's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<LineSpan>,
    /// Lines of the present text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<LineSpan>,
}

/// Decision with its effect, complete enough to serve as an entire event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewDecision {
    /// Requested action.
    pub action: ReviewAction,
    /// Effect on each hunk.
    pub parts: Vec<DecisionPart>,
    /// Number under which it was queued, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<u64>,
}

/// Queue of decisions that wait for a gap between two calls of the running turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewQueue {
    /// Queued decisions, in order.
    pub waiting: Vec<QueuedDecision>,
    /// A decision that left the queue without being applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedDecision>,
}

/// A queued decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedDecision {
    /// Its number: the event that queued it.
    pub id: u64,
    /// Requested action.
    pub action: ReviewAction,
}

/// A decision that was not applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedDecision {
    /// Its number.
    pub id: u64,
    /// User-facing reason.
    pub reason: String,
}

/// Effect of a decision on one hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionPart {
    /// Hunk.
    pub hunk: HunkId,
    /// Its file's absolute path.
    pub path: String,
    /// Effect.
    pub effect: Effect,
    /// Affected lines; absent for the entire hunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineSelection>,
    /// Outcome.
    pub outcome: Outcome,
    /// For a conflict in text: the agent's lines, the present lines and the wanted ones, between conflict markers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
    /// Set if the hunk was skipped because the change's author is unknown (`cause` of the hunk).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// Effect of a decision on a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// The baseline takes its lines.
    Keep,
    /// The file gets the baseline's lines.
    Undo,
    /// A kept or undone hunk is open again.
    Reopen,
    /// A comment is added.
    Comment,
    /// A comment is removed.
    Withdraw,
}

/// Outcome of a decision for a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Applied.
    Applied,
    /// Not applied: the lines have changed.
    Conflict,
}

/// Review events that have not been reported to the model yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewNote {
    /// Events that the note covers; each is reported only once.
    pub seqs: Vec<u64>,
    /// Entries, in event order. Empty if everything was reverted in the meantime.
    pub entries: Vec<NoteEntry>,
}

/// Change of a hunk's state, as reported to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteEntry {
    /// The file's absolute path.
    pub path: String,
    /// Lines in the present file.
    pub lines: LineSpan,
    /// Kind of change.
    pub what: NoteKind,
    /// The user's text, the removed lines, or the comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Kind of a note's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NoteKind {
    /// Accepted.
    Kept,
    /// Undone.
    Undone,
    /// Edited by the user.
    Modified,
    /// Open again.
    Reopened,
    /// Commented on by the user.
    Comment,
}

/// Params of `review/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewListParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only hunks of this file, by its absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only hunks that this turn created or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// If true, include closed hunks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

/// Hunks by path and line, followed by closed ones, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewListResult {
    /// Hunks.
    pub hunks: Vec<Hunk>,
    /// Last event that the list takes into account.
    pub seq: u64,
}

/// Params of `review/decide`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewDecideParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Requested action.
    pub action: ReviewAction,
}

/// Result of `review/decide`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewDecideResult {
    /// Event of the decision, by which it can be reverted. For a queued decision, its number: reverting that withdraws it.
    pub seq: u64,
    /// Effect on each hunk; for a queued decision, the effect that it would have now.
    pub decision: ReviewDecision,
    /// True if the decision is queued until the next gap between two calls, or the end of the turn. Then `review.decided` announces that it
    /// was applied, or `review.queued` why not.
    #[serde(default, rename = "queued", skip_serializing_if = "std::ops::Not::not")]
    pub is_queued: bool,
}

/// Params of `review/baseline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewBaselineParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// File, by its absolute path.
    pub path: String,
}

/// A file at its last accepted point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewBaselineResult {
    /// True if the file existed.
    pub exists: bool,
    /// Text; absent if there was no file or it was not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Params of `review/patch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPatchParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// If true, only open hunks; otherwise all agent changes that were not undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// A patch for `git apply` in the session's working directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPatchResult {
    /// Patch; empty when nothing was changed.
    pub text: String,
    /// Changed files outside of the working directory, which the patch leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
