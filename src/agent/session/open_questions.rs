//! Open approvals and questions, recently closed ones, and the channel through which tools ask.
//!
//! Invariant: the first answer wins, and a later one learns who gave it.

use crate::error::{Action, Error, ErrorKind};
use crate::host::ApprovalReply;
use pintle_protocol::approval::{Approval, ApprovalOutcome, DecidedBy, Decision};
use pintle_protocol::ids::{ApprovalId, ItemId, QuestionId};
use pintle_protocol::question::{AnsweredBy, Question, QuestionOutcome};
use pintle_tools::{AskOutcome, ClientRequest};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// The channel capacity for tool requests. The session takes them immediately; if the channel is full, the tool waits.
const REQUEST_CAPACITY: usize = 16;

/// Open approvals and questions, and the channel on which tools ask.
#[derive(Debug)]
pub(super) struct OpenQuestions {
    pub(super) approvals: Vec<OpenApproval>,
    pub(super) questions: Vec<OpenQuestion>,
    pub(super) closed: ClosedQuestions,
    /// When to stop waiting for a client that can answer.
    absence: Option<Instant>,
    requests_tx: mpsc::Sender<ClientRequest>,
    requests: mpsc::Receiver<ClientRequest>,
}

/// An open question of permission.
#[derive(Debug)]
pub(super) struct OpenApproval {
    pub(super) approval: Approval,
    pub(super) deadline: Instant,
    pub(super) answer: oneshot::Sender<ApprovalReply>,
}

/// An open question of the model.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) question: Question,
    pub(super) deadline: Instant,
    pub(super) answer: oneshot::Sender<Result<AskOutcome, String>>,
}

/// An event of the questions.
#[derive(Debug)]
pub(super) enum QuestionEvent {
    /// A tool asks.
    Requested(ClientRequest),
    /// A question's deadline may have passed.
    Deadline,
}

impl Default for OpenQuestions {
    fn default() -> Self {
        let (requests_tx, requests) = mpsc::channel(REQUEST_CAPACITY);
        let (approvals, questions, closed) = (Vec::new(), Vec::new(), ClosedQuestions::default());
        Self { approvals, questions, closed, absence: None, requests_tx, requests }
    }
}

impl OpenQuestions {
    /// Returns the channel through which tools ask.
    pub(super) fn requests(&self) -> mpsc::Sender<ClientRequest> {
        self.requests_tx.clone()
    }

    /// Waits for the next thing to do. Cancel-safe.
    pub(super) async fn next(&mut self) -> QuestionEvent {
        let approvals = self.approvals.iter().map(|open| open.deadline);
        let deadlines = self.questions.iter().map(|open| open.deadline).chain(approvals);
        let first = deadlines.chain(self.absence).min();
        let deadline = async {
            match first {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            // Never `None`, since a sender is kept here.
            Some(request) = self.requests.recv() => QuestionEvent::Requested(request),
            () = deadline => QuestionEvent::Deadline,
        }
    }

    /// Returns the ids of open questions and approvals.
    pub(super) fn ids(&self) -> Vec<String> {
        let approvals = self.approvals.iter().map(|open| open.approval.approval_id.to_string());
        let questions = self.questions.iter().map(|open| open.question.question_id.to_string());
        approvals.chain(questions).collect()
    }

    /// Returns the open approvals and questions.
    pub(super) fn open(&self) -> (Vec<Approval>, Vec<Question>) {
        (
            self.approvals.iter().map(|open| open.approval.clone()).collect(),
            self.questions.iter().map(|open| open.question.clone()).collect(),
        )
    }

    /// Takes the oldest open approval.
    pub(super) fn take_first_approval(&mut self) -> Option<OpenApproval> {
        (!self.approvals.is_empty()).then(|| self.approvals.remove(0))
    }

    /// Takes the oldest open question.
    pub(super) fn take_first_question(&mut self) -> Option<OpenQuestion> {
        (!self.questions.is_empty()).then(|| self.questions.remove(0))
    }

    /// Takes the approval that a call waits for.
    pub(super) fn take_approval_of(&mut self, item_id: &ItemId) -> Option<OpenApproval> {
        let at = self.approvals.iter().position(|open| open.approval.item_id == *item_id)?;
        Some(self.approvals.remove(at))
    }

    /// Takes an open approval, to be answered.
    pub(super) fn take_approval(&mut self, id: &ApprovalId) -> Option<OpenApproval> {
        let place = self.approvals.iter().position(|open| open.approval.approval_id == *id)?;
        Some(self.approvals.remove(place))
    }

    /// Takes an open question of the model, to be answered.
    pub(super) fn take_question(&mut self, id: &QuestionId) -> Option<OpenQuestion> {
        let place = self.questions.iter().position(|open| open.question.question_id == *id)?;
        Some(self.questions.remove(place))
    }

    /// Records whether any client can now answer open questions.
    pub(super) fn set_answerable(&mut self, is_answerable: bool, timeout: Duration) {
        let now = Instant::now();
        self.absence = (!is_answerable).then(|| self.absence.unwrap_or_else(|| now + timeout));
    }

    /// Returns true once no client was able to answer for the configured time.
    pub(super) fn is_absence_over(&self) -> bool {
        self.absence.is_some_and(|end| end <= Instant::now())
    }

    /// Takes the approvals whose deadline has passed.
    pub(super) fn take_expired_approvals(&mut self) -> Vec<OpenApproval> {
        let now = Instant::now();
        self.approvals.extract_if(.., |open| open.deadline <= now).collect()
    }

    /// Removes and returns the expired questions.
    pub(super) fn take_expired(&mut self) -> Vec<OpenQuestion> {
        let now = Instant::now();
        self.questions.extract_if(.., |open| open.deadline <= now).collect()
    }
}

/// The number of closed questions to remember, so that a late answer can receive their outcome.
const MAX_REMEMBERED: usize = 256;

/// Closed questions, oldest first, each with a description of its outcome.
#[derive(Debug, Default)]
pub(super) struct ClosedQuestions(VecDeque<(String, String)>);

impl ClosedQuestions {
    fn remember(&mut self, id: &str, words: String) {
        if self.0.len() == MAX_REMEMBERED {
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
            DecidedBy::NoApprover => "no client could answer".to_owned(),
            DecidedBy::Deadline => "the time to answer ran out".to_owned(),
            DecidedBy::Interrupt => "the turn was interrupted".to_owned(),
        };
        self.remember(outcome.approval_id.as_str(), words);
    }

    pub(super) fn note_question(&mut self, outcome: &QuestionOutcome) {
        let words = match outcome.by {
            AnsweredBy::Client => "a client answered it",
            AnsweredBy::Dismissed => "a client closed it",
            AnsweredBy::Deadline => "its time ran out, and its default applies",
            AnsweredBy::NoClient => "no client could answer",
            AnsweredBy::Interrupt => "the turn was interrupted",
        };
        self.remember(outcome.question_id.as_str(), words.to_owned());
    }

    /// Returns the error for an answer to a question that is not open.
    pub(super) fn refusal(&self, what: &str, id: &str) -> Error {
        match self.0.iter().find(|(over, _)| over == id) {
            Some((_, words)) => {
                Error::new(ErrorKind::Conflict, format!("{what} {id} is no longer open: {words}"))
                    .hint("the first answer counts; it is in the session's events")
            }
            None => Error::new(ErrorKind::NotFound, format!("no open {what} {id}"))
                .hint(Action::ListQuestions),
        }
    }
}
