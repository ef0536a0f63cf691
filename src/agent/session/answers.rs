//! Answers that came by a request of their own: late, or from a client that was not asked.
//!
//! They are checked more strictly than those that come back to a question, since whoever sends them can be told what is wrong.
//! Invariant: the first answer holds, and a later one learns who gave it.

use super::Session;
use crate::agent::command::{AnswerCommand, Reply};
use crate::agent::error::{Error, ErrorKind};
use crate::agent::session::question_rules;
use crate::agent::turn::approval;
use pintle_protocol::approval::{Approval, ApprovalAnswer, ApprovalOutcome, DecidedBy, Decision};
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::{AnsweredBy, Question, QuestionAnswer, QuestionOutcome};
use std::collections::VecDeque;

/// How many questions that are over are remembered, to tell a late answer what became of them.
const MOST_REMEMBERED: usize = 256;

/// Questions that are over, oldest first, each with what became of it in words.
#[derive(Debug, Default)]
pub(super) struct Over(VecDeque<(String, String)>);

impl Over {
    fn note(&mut self, id: &str, words: String) {
        if self.0.len() == MOST_REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((id.to_owned(), words));
    }

    pub(super) fn note_approval(&mut self, outcome: &ApprovalOutcome) {
        let verb = match outcome.decision {
            Decision::Allow => "allowed it",
            Decision::Deny => "denied it",
            Decision::Abort => "denied it and ended the turn",
        };
        let words = match outcome.by {
            DecidedBy::Client => format!("a client {verb}"),
            DecidedBy::NoApprover => "nobody was there who could answer".to_owned(),
            DecidedBy::Interrupt => "the turn was interrupted".to_owned(),
        };
        self.note(outcome.approval_id.as_str(), words);
    }

    pub(super) fn note_question(&mut self, outcome: &QuestionOutcome) {
        let words = match outcome.by {
            AnsweredBy::Client => "a client answered it",
            AnsweredBy::Dismissed => "a client closed it",
            AnsweredBy::Deadline => "its time was over, and its default holds",
            AnsweredBy::NoClient => "nobody was there who could answer",
            AnsweredBy::Interrupt => "the turn was interrupted",
        };
        self.note(outcome.question_id.as_str(), words.to_owned());
    }

    /// Why a question cannot be answered that is not open.
    fn refusal(&self, id: &str) -> Error {
        match self.0.iter().find(|(over, _)| over == id) {
            Some((_, words)) => {
                Error::new(ErrorKind::Conflict, format!("{id} is not open any more: {words}"))
                    .hint("the first answer holds; the session's events tell it")
            }
            None => Error::new(ErrorKind::NotFound, format!("no question {id} is open here"))
                .hint("session/subscribe tells which are; one of a sub-agent needs its sessionId"),
        }
    }
}

impl Session {
    pub(super) fn answer_command(&mut self, command: AnswerCommand) {
        match command {
            AnswerCommand::Returned(answer) => self.answer(&answer),
            AnswerCommand::Approval { id, answer, reply } => {
                self.answer_approval(&id, &answer, reply);
            }
            AnswerCommand::Question { id, answer, reply } => {
                self.answer_question(&id, &answer, reply);
            }
        }
    }

    /// Takes an answer to a question of permission. The answer to it comes before the event that it causes.
    pub(super) fn answer_approval(
        &mut self,
        id: &ApprovalId,
        answer: &ApprovalAnswer,
        reply: Reply<ApprovalOutcome>,
    ) {
        let mut open = self.asked.approvals.iter();
        let Some(place) = open.position(|open| open.approval.approval_id == *id) else {
            let _ = reply.send(Err(self.asked.over.refusal(id.as_str())));
            return;
        };
        let checked = match self.asked.approvals.get(place) {
            Some(open) => check_approval(&open.approval, answer),
            None => return,
        };
        if let Err(error) = checked {
            let _ = reply.send(Err(error));
            return;
        }
        let open = self.asked.approvals.remove(place);
        let outcome = approval::outcome(&open.approval, answer);
        let _ = reply.send(Ok(outcome.clone()));
        self.resolve_approval(open, outcome);
    }

    /// Takes an answer to a question of the model. The answer to it comes before the event that it causes.
    pub(super) fn answer_question(
        &mut self,
        id: &QuestionId,
        answer: &QuestionAnswer,
        reply: Reply<QuestionOutcome>,
    ) {
        let mut open = self.asked.questions.iter();
        let Some(place) = open.position(|open| open.question.question_id == *id) else {
            let _ = reply.send(Err(self.asked.over.refusal(id.as_str())));
            return;
        };
        let checked = match self.asked.questions.get(place) {
            Some(open) => check_question(&open.question, answer),
            None => return,
        };
        if let Err(error) = checked {
            let _ = reply.send(Err(error));
            return;
        }
        let open = self.asked.questions.remove(place);
        let outcome = question_rules::outcome(&open.question, answer);
        let _ = reply.send(Ok(outcome.clone()));
        self.resolve_question(open, outcome);
    }
}

fn check_approval(approval: &Approval, answer: &ApprovalAnswer) -> Result<(), Error> {
    let offered = approval.options.iter().map(|option| option.option_id.as_str());
    match &answer.option_id {
        _ if answer.dismissed => Ok(()),
        Some(chosen) if offered.clone().any(|id| id == chosen) => Ok(()),
        Some(chosen) => Err(not_offered(chosen, offered)),
        None => Err(says_nothing("send `optionId`, or `dismissed`")),
    }
}

fn check_question(question: &Question, answer: &QuestionAnswer) -> Result<(), Error> {
    let offered = question.options.iter().map(|option| option.option_id.as_str());
    let unknown = answer.option_ids.iter().find(|id| !offered.clone().any(|one| one == **id));
    let has_text = answer.text.as_deref().is_some_and(|text| !text.trim().is_empty());
    match (answer.dismissed, unknown) {
        (false, Some(unknown)) => Err(not_offered(unknown, offered)),
        (false, None) if answer.option_ids.len() > 1 && !question.multiple => {
            Err(Error::new(ErrorKind::Invalid, "only one option may be chosen")
                .hint("send one of `optionIds`"))
        }
        (false, None) if answer.option_ids.is_empty() && !has_text => {
            Err(says_nothing("send `optionIds`, a `text`, or `dismissed`"))
        }
        (true, _) | (false, None) => Ok(()),
    }
}

fn not_offered<'a>(chosen: &str, offered: impl Iterator<Item = &'a str>) -> Error {
    let offered: Vec<&str> = offered.collect();
    let hint = match offered.as_slice() {
        [] => "send a `text`: no options are offered".to_owned(),
        offered => format!("offered are {}", offered.join(", ")),
    };
    Error::new(ErrorKind::Invalid, format!("the option `{chosen}` is not offered")).hint(hint)
}

fn says_nothing(hint: &str) -> Error {
    Error::new(ErrorKind::Invalid, "the answer says nothing").hint(hint)
}
