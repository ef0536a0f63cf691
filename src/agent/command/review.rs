//! The review: hunks, verdicts, baselines, patches.

use super::Reply;
use pintle_protocol::ids::TurnId;
use pintle_protocol::review::{
    ReviewAction, ReviewBaselineResult, ReviewDecideResult, ReviewListResult, ReviewPatchResult,
};

/// Commands about the review.
#[derive(Debug)]
pub enum ReviewCommand {
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
        /// The action.
        action: ReviewAction,
        /// The answer.
        reply: Reply<ReviewDecideResult>,
    },
    /// Read a file's baseline: its content when it was last accepted.
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
