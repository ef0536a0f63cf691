//! Outcomes that no client decides: those of unanswered approvals and questions, and of ended sub-agents. Pure.

use pintle_protocol::approval::{Approval, ApprovalOutcome, DecidedBy, Decision, Scope};
use pintle_protocol::item::{ItemStatus, SubagentState};
use pintle_protocol::question::{AnsweredBy, Question, QuestionKind, QuestionOutcome};

/// Returns the outcome if no client can decide an approval: the call is denied.
pub fn without_client(approval: &Approval, by: DecidedBy) -> ApprovalOutcome {
    ApprovalOutcome {
        approval_id: approval.approval_id.clone(),
        item_id: approval.item_id.clone(),
        decision: Decision::Deny,
        scope: Scope::Once,
        by,
        feedback: None,
        edited: Vec::new(),
    }
}

/// Returns the outcome if a question is unanswered. A plan is never accepted without the user.
pub fn without_answer(question: &Question, by: AnsweredBy) -> QuestionOutcome {
    let first = question.options.first().map(|option| option.option_id.clone());
    let option_ids = match (by, question.kind) {
        (AnsweredBy::Deadline, QuestionKind::Choice) => first.into_iter().collect(),
        (
            AnsweredBy::Deadline
            | AnsweredBy::Client
            | AnsweredBy::Dismissed
            | AnsweredBy::NoClient
            | AnsweredBy::Interrupt,
            _,
        ) => Vec::new(),
    };
    QuestionOutcome {
        question_id: question.question_id.clone(),
        item_id: question.item_id.clone(),
        option_ids,
        text: None,
        by,
    }
}

/// Returns true if the user accepted a plan unchanged.
pub fn accepts_plan(question: &Question, outcome: &QuestionOutcome) -> bool {
    let first = question.options.first().map(|option| &option.option_id);
    question.kind == QuestionKind::Plan
        && outcome.by == AnsweredBy::Client
        && first.is_some()
        && outcome.option_ids.first() == first
}

/// Returns the final status of a sub-agent's item.
pub fn closed(state: SubagentState, result: Option<&str>) -> ItemStatus {
    match state {
        SubagentState::Done => ItemStatus::Completed,
        SubagentState::Failed => ItemStatus::Failed,
        SubagentState::Closed if result.is_some() => ItemStatus::Completed,
        SubagentState::Closed | SubagentState::Working => ItemStatus::Cancelled,
    }
}
