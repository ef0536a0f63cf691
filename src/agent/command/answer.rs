//! Answers to requests that this engine sent to a client.

use crate::clients::CallId;
use pintle_protocol::approval::ApprovalAnswer;
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::QuestionAnswer;
use serde_json::Value;

/// An answer to a question, or to a call.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A response that is no answer: the approval is denied, or the question dismissed, with a notice.
    Unreadable {
        /// The approval's or question's id.
        id: String,
        /// The reason.
        why: String,
    },
    /// To a question of permission.
    Approval {
        /// The question.
        approval_id: ApprovalId,
        /// The answer.
        answer: ApprovalAnswer,
    },
    /// To a call of a hook or a tool.
    Call {
        /// The call.
        call_id: CallId,
        /// The result, or an error message.
        outcome: Result<Value, String>,
    },
    /// To a question of the model.
    Question {
        /// The question.
        question_id: QuestionId,
        /// The answer.
        answer: QuestionAnswer,
    },
}
