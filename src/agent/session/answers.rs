//! Answers sent as separate requests: late, or from a client that was not asked.
//!
//! They are checked more strictly than replies to a question, since their sender receives an error response. Invariant: the first answer
//! wins, and a later one learns who gave it.

use super::Session;
use crate::command::Reply;
use crate::error::{Error, ErrorKind};
use crate::session::question_rules;
use crate::turn::approval;
use pintle_protocol::approval::{Approval, ApprovalAnswer, ApprovalOutcome};
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::{Question, QuestionAnswer, QuestionOutcome};

impl Session {
    /// Takes an answer to a question of permission. The answer to it comes before the event that it causes.
    pub(super) fn answer_approval(
        &mut self,
        id: &ApprovalId,
        answer: ApprovalAnswer,
        reply: Reply<ApprovalOutcome>,
    ) {
        let mut open = self.questions.approvals.iter().map(|open| &open.approval);
        let checked = match open.find(|approval| approval.approval_id == *id) {
            Some(approval) => check_approval(approval, &answer),
            None => Err(self.questions.closed.refusal("approval", id.as_str()).at("/approvalId")),
        };
        if let Err(error) = checked {
            let _ = reply.send(Err(error));
            return;
        }
        let Some(open) = self.questions.take_approval(id) else { return };
        let outcome = approval::outcome(&open.approval, &answer);
        let _ = reply.send(Ok(outcome.clone()));
        self.resolve_approval(open, outcome, answer.edits);
    }

    /// Takes an answer to a question of the model. The answer to it comes before the event that it causes.
    pub(super) fn answer_question(
        &mut self,
        id: &QuestionId,
        answer: &QuestionAnswer,
        reply: Reply<QuestionOutcome>,
    ) {
        let mut open = self.questions.questions.iter().map(|open| &open.question);
        let checked = match open.find(|question| question.question_id == *id) {
            Some(question) => check_question(question, answer),
            None => Err(self.questions.closed.refusal("question", id.as_str()).at("/questionId")),
        };
        if let Err(error) = checked {
            let _ = reply.send(Err(error));
            return;
        }
        let Some(open) = self.questions.take_question(id) else { return };
        let outcome = question_rules::outcome(&open.question, answer);
        let _ = reply.send(Ok(outcome.clone()));
        self.resolve_question(open, outcome);
    }
}

fn check_approval(approval: &Approval, answer: &ApprovalAnswer) -> Result<(), Error> {
    let offered = approval.options.iter().map(|option| option.option_id.as_str());
    match &answer.option_id {
        _ if answer.dismissed => check_edits(approval, answer),
        Some(chosen) if offered.clone().any(|id| id == chosen) => check_edits(approval, answer),
        Some(chosen) => Err(not_offered("/optionId", chosen, offered)),
        None => Err(says_nothing("send `optionId`, or `dismissed`")),
    }
}

fn check_edits(approval: &Approval, answer: &ApprovalAnswer) -> Result<(), Error> {
    approval.check_edits(answer).map_err(|why| {
        Error::new(ErrorKind::Invalid, why)
            .hint("edit files of `changes` that are not deleted, and allow the call")
            .at("/edits")
    })
}

fn check_question(question: &Question, answer: &QuestionAnswer) -> Result<(), Error> {
    let offered = question.options.iter().map(|option| option.option_id.as_str());
    let unknown = answer.option_ids.iter().find(|id| !offered.clone().any(|one| one == **id));
    let has_text = answer.text.as_deref().is_some_and(|text| !text.trim().is_empty());
    match (answer.dismissed, unknown) {
        (false, Some(unknown)) => Err(not_offered("/optionIds", unknown, offered)),
        (false, None) if answer.option_ids.len() > 1 && !question.multiple => {
            Err(Error::new(ErrorKind::Invalid, "only one option can be chosen")
                .hint("send one of `optionIds`")
                .at("/optionIds"))
        }
        (false, None) if answer.option_ids.is_empty() && !has_text => {
            Err(says_nothing("send `optionIds`, a `text`, or `dismissed`"))
        }
        (true, _) | (false, None) => Ok(()),
    }
}

fn not_offered<'a>(
    field: &'static str,
    chosen: &str,
    offered: impl Iterator<Item = &'a str>,
) -> Error {
    let offered: Vec<&str> = offered.collect();
    let hint = match offered.as_slice() {
        [] => "send a `text`: no options are offered".to_owned(),
        offered => format!("the options are {}", offered.join(", ")),
    };
    Error::new(ErrorKind::Invalid, format!("unknown option `{chosen}`")).hint(hint).at(field)
}

fn says_nothing(hint: &str) -> Error {
    Error::new(ErrorKind::Invalid, "the answer is empty").hint(hint)
}
