//! Answers: to approvals, to questions of the model, and to calls of clients.

use super::Reply;
use crate::clients::CallId;
use pintle_protocol::approval::{ApprovalAnswer, ApprovalOutcome};
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::{QuestionAnswer, QuestionOutcome};
use serde_json::Value;

/// Commands that answer.
#[derive(Debug)]
pub enum AnswerCommand {
    /// The response to a request that this engine sent; one to a request that is not open is ignored.
    Returned(Answer),
    /// Answer an approval by a request of the client's own.
    Approval {
        /// The approval.
        id: ApprovalId,
        /// The answer to it.
        answer: ApprovalAnswer,
        /// Receives the outcome; an error when the approval is not open, or the answer is invalid.
        reply: Reply<ApprovalOutcome>,
    },
    /// Answer a question of the model by a request of the client's own.
    Question {
        /// The question.
        id: QuestionId,
        /// The answer to it.
        answer: QuestionAnswer,
        /// Receives the outcome; an error when the question is not open, or the answer is invalid.
        reply: Reply<QuestionOutcome>,
    },
}

/// An answer to a question, or to a call.
#[derive(Debug, Clone)]
pub enum Answer {
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
        /// The result; an error is what went wrong, in words.
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
