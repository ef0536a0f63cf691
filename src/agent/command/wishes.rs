//! What is asked of a session's history and of what was done in it.

use super::Reply;
use pintle_protocol::files::RewindScope;
use pintle_protocol::history::HistoryPoint;
use pintle_protocol::ids::TurnId;
use pintle_protocol::review::{
    ReviewAction, ReviewBaselineResult, ReviewDecideResult, ReviewListResult, ReviewPatchResult,
};

/// What a client wants of the review.
#[derive(Debug)]
pub enum ReviewWish {
    /// The open hunks.
    List {
        /// Only those of this file.
        path: Option<String>,
        /// Only those of this turn.
        turn_id: Option<TurnId>,
        /// Also those that are closed.
        closed: bool,
        /// The answer.
        reply: Reply<ReviewListResult>,
    },
    /// A verdict.
    Decide {
        /// What.
        action: ReviewAction,
        /// The answer.
        reply: Reply<ReviewDecideResult>,
    },
    /// What a file held at the last accepted point.
    Baseline {
        /// The file.
        path: String,
        /// The answer.
        reply: Reply<ReviewBaselineResult>,
    },
    /// A patch of what the agent did.
    Patch {
        /// Only what is still open.
        open: bool,
        /// The answer.
        reply: Reply<ReviewPatchResult>,
    },
}

/// Where to go in the history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewind {
    /// The place.
    pub to: HistoryPoint,
    /// Conversation, files, or both.
    pub scope: RewindScope,
    /// Files that are put back although somebody else has changed them.
    pub overwrite: Vec<String>,
    /// Have the model sum up what it will not know any more.
    pub is_summed_up: bool,
    /// Only say what that would do.
    pub is_dry_run: bool,
}
