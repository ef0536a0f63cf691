//! Review: what the agent changed and nobody has accepted yet, and what a person decides about it.
//!
//! Lines are counted from 1. Lines within a hunk are counted within it, so that edits elsewhere in the file move nothing.

use crate::diff::Side;
use crate::ids::{HunkId, ItemId, SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A run of changed lines: what stood there at the last accepted point, and what stands there now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// Stays the same while the file changes elsewhere, and never names another hunk.
    pub id: HunkId,
    /// The file's absolute path.
    pub path: String,
    /// Whether it is about lines or about the file.
    pub kind: HunkKind,
    /// What became of it.
    pub state: HunkState,
    /// Its lines in the baseline.
    pub before: LineSpan,
    /// Its lines in the file now.
    pub after: LineSpan,
    /// Those lines in the baseline, with their line ends; empty where the file is no text.
    pub old_text: String,
    /// Those lines in the file now.
    pub new_text: String,
    /// The last event that changed its text: a decision that names it is refused when the hunk has changed since.
    pub changed_seq: u64,
    /// Who made it, the first one first.
    pub made_by: Vec<Maker>,
    /// What was said about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// The verdict that closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<u64>,
    /// A verdict about it waits, under this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
    /// The hunk that it became a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absorbed_by: Option<HunkId>,
    /// The hunk that it was a part of, when only some lines were decided about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<HunkId>,
}

/// What a hunk is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HunkKind {
    /// Lines of a text.
    Lines,
    /// The whole file: it came, it went, or it is no text, or too large for lines.
    File,
    /// The file's mode bits alone.
    Mode,
}

/// What became of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HunkState {
    /// Nobody has decided.
    Pending,
    /// Nobody has decided, and a person has edited it.
    Modified,
    /// It was to be undone, and that would have taken lines that a person wrote.
    Conflict,
    /// Accepted.
    Kept,
    /// Taken back.
    Undone,
    /// It has become a part of another one.
    Absorbed,
    /// The agent or a rewind has taken it back.
    Gone,
}

/// Some lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineSpan {
    /// The first line, from 1. Of no lines: the line that they stand before.
    pub start: u64,
    /// How many.
    pub count: u64,
}

/// A call that made or changed a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Maker {
    /// The turn.
    pub turn_id: TurnId,
    /// The tool call.
    pub item_id: ItemId,
}

/// What a person says about a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// The event that brought it.
    pub seq: u64,
    /// About the lines before or now.
    pub side: Side,
    /// About these lines of the hunk; absent: about all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineSpan>,
    /// What is said.
    pub text: String,
}

/// What a person wants done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReviewAction {
    /// Accept: the baseline takes the lines. The disk stays as it is.
    Keep {
        /// What.
        target: ReviewTarget,
    },
    /// Take back: the file gets the lines of the baseline again.
    Undo {
        /// What.
        target: ReviewTarget,
        /// Take lines back that a person wrote into a hunk as well; without it such a hunk is a conflict.
        #[serde(default)]
        discard_edits: bool,
    },
    /// Undo a verdict, or withdraw one that waits.
    Revert {
        /// The event of the verdict.
        verdict: u64,
    },
    /// Say something about a hunk.
    Comment {
        /// The hunk.
        hunk: HunkId,
        /// About the lines before or now.
        side: Side,
        /// About these lines of the hunk; absent: about all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lines: Option<LineSpan>,
        /// What.
        text: String,
    },
}

/// What a decision is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReviewTarget {
    /// One hunk.
    Hunk {
        /// Its id.
        hunk: HunkId,
        /// Its `changedSeq` as it was shown; the decision is refused when it is another one by now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed_seq: Option<u64>,
    },
    /// Some lines of a hunk.
    Lines {
        /// Its id.
        hunk: HunkId,
        /// Its `changedSeq` as it was shown; the lines are counted in that text.
        changed_seq: u64,
        /// Which lines.
        lines: LineSelection,
    },
    /// All open hunks of a file.
    File {
        /// Its absolute path.
        path: String,
    },
    /// All open hunks that a turn made or changed.
    Turn {
        /// The turn.
        turn_id: TurnId,
    },
    /// All open hunks.
    All,
}

/// Lines of a hunk, counted within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LineSelection {
    /// Of the lines before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<LineSpan>,
    /// Of the lines now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<LineSpan>,
}

/// What was decided and what came of it: all that an event has to hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// What was asked.
    pub action: ReviewAction,
    /// What it does to each hunk.
    pub parts: Vec<VerdictPart>,
    /// It had waited, under this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<u64>,
}

/// The verdicts that wait for a gap between two calls of the running turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewQueue {
    /// All of them, in order.
    pub waiting: Vec<WaitingVerdict>,
    /// One that waits no more and was not carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedVerdict>,
}

/// A verdict that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingVerdict {
    /// Its number: the event with which it began to wait.
    pub id: u64,
    /// What is wanted.
    pub action: ReviewAction,
}

/// A verdict that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedVerdict {
    /// Its number.
    pub id: u64,
    /// Why, for people.
    pub reason: String,
}

/// What a verdict does to one hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerdictPart {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file's absolute path.
    pub path: String,
    /// What is done to it.
    pub effect: Effect,
    /// Only to these lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineSelection>,
    /// Whether it was done.
    pub outcome: Outcome,
    /// For a conflict in text: what the agent wrote, what stands there and what should, between conflict markers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
}

/// What is done to a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// The baseline takes its lines.
    Keep,
    /// The file gets the lines of the baseline.
    Undo,
    /// A hunk that was kept or undone is open again.
    Reopen,
    /// A comment is added.
    Comment,
    /// A comment is taken away.
    Withdraw,
}

/// Whether something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It was.
    Applied,
    /// It was not: the lines are others by now.
    Conflict,
}

/// What the model has not been told yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewNote {
    /// The events that this is about: once they are told, they are not told again.
    pub seqs: Vec<u64>,
    /// What became of hunks, in the order of the events. Empty when everything was taken back meanwhile.
    pub entries: Vec<NoteEntry>,
}

/// What became of a hunk, for the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteEntry {
    /// The file's absolute path.
    pub path: String,
    /// The lines as the file stands now.
    pub lines: LineSpan,
    /// What happened.
    pub what: NoteKind,
    /// The person's text, the lines that were taken back, or the comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What happened to a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NoteKind {
    /// It was accepted.
    Kept,
    /// It was taken back.
    Undone,
    /// A person edited it.
    Modified,
    /// It is open again.
    Reopened,
    /// A person said something about it.
    Comment,
}

/// Which hunks to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewListParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only those of this file, by its absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only those that this turn made or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Also those that were decided about, or are no more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

/// The hunks, by path and line; closed ones behind them, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewListResult {
    /// The hunks.
    pub hunks: Vec<Hunk>,
    /// The last event that this takes into account.
    pub seq: u64,
}

/// What to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewDecideParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// What is wanted.
    pub action: ReviewAction,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewDecideResult {
    /// The event of the verdict, by which it can be undone. Of one that waits, its number: to revert that is to withdraw it.
    pub seq: u64,
    /// What was done to which hunk; of one that waits, what would be done now.
    pub verdict: Verdict,
    /// It waits for the next gap between two calls, or for the end of the turn. Then `review.decided` says that it was carried out, or
    /// `review.queued` why not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_queued: bool,
}

/// Which file's baseline to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewBaselineParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The file, by its absolute path.
    pub path: String,
}

/// What the file held at the last accepted point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewBaselineResult {
    /// Whether there was a file.
    pub exists: bool,
    /// Its text; absent where there was no file or it was no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Which patch to make.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPatchParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only what is still open; otherwise all that the agent did and that was not taken back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// A patch for `git apply` in the session's working directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewPatchResult {
    /// The patch; empty when nothing was changed.
    pub text: String,
    /// Changed files outside of the working directory: they are not in the patch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
