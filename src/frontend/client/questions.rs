//! Approvals and questions that wait for the client's answer, keyed by the protocol's request ids. Pure.

use pintle_agent::{Answer, SessionHandle};
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::event::Event;
use pintle_protocol::question::{Question, QuestionAnswer};
use pintle_protocol::session::SessionResult;
use std::collections::BTreeMap;

/// A question for the user.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UserQuestion {
    /// A request for permission.
    Approval(Box<Approval>),
    /// A question of the model.
    Question(Box<Question>),
}

impl UserQuestion {
    /// Returns the question that an event asks.
    pub(crate) fn by(event: &Event) -> Option<Self> {
        match event {
            Event::ApprovalRequested(approval) => Some(Self::Approval(Box::new(approval.clone()))),
            Event::QuestionRequested(question) => Some(Self::Question(Box::new(question.clone()))),
            _ => None,
        }
    }

    /// Returns the questions that are open in a session.
    pub(crate) fn in_session(snapshot: &SessionResult) -> Vec<Self> {
        let approvals = snapshot.approvals.iter().cloned().map(Box::new).map(Self::Approval);
        let questions = snapshot.questions.iter().cloned().map(Box::new).map(Self::Question);
        approvals.chain(questions).collect()
    }

    /// Returns the approval's or question's id.
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Approval(approval) => approval.approval_id.as_str(),
            Self::Question(question) => question.question_id.as_str(),
        }
    }

    /// Returns the options, each with its id and label.
    pub(crate) fn options(&self) -> Vec<(&str, &str)> {
        match self {
            Self::Approval(approval) => approval
                .options
                .iter()
                .map(|it| (it.option_id.as_str(), it.label.as_str()))
                .collect(),
            Self::Question(question) => question
                .options
                .iter()
                .map(|it| (it.option_id.as_str(), it.label.as_str()))
                .collect(),
        }
    }

    /// Returns an answer with these options and the user's text. An approval takes the first option.
    pub(crate) fn answer(
        &self,
        option_ids: Vec<String>,
        text: Option<String>,
        dismissed: bool,
    ) -> Answer {
        match self {
            Self::Approval(approval) => {
                let option_id = option_ids.into_iter().next();
                let answer = ApprovalAnswer { option_id, feedback: text, dismissed };
                Answer::Approval { approval_id: approval.approval_id.clone(), answer }
            }
            Self::Question(question) => {
                let answer = QuestionAnswer { option_ids, text, dismissed };
                Answer::Question { question_id: question.question_id.clone(), answer }
            }
        }
    }
}

/// Returns the approval or question that an event resolves, by id.
pub(crate) fn resolved(event: &Event) -> Option<&str> {
    match event {
        Event::ApprovalResolved(outcome) => Some(outcome.approval_id.as_str()),
        Event::QuestionResolved(outcome) => Some(outcome.question_id.as_str()),
        _ => None,
    }
}

/// A question without an answer.
#[derive(Debug)]
pub(crate) struct Open<T> {
    pub(crate) asked: UserQuestion,
    /// The session that asks: the client's or a sub-agent's.
    pub(crate) session: SessionHandle,
    /// The frontend's data.
    pub(crate) note: T,
}

/// Questions without an answer, by request.
#[derive(Debug)]
pub(crate) struct Questions<T = ()> {
    prefix: &'static str,
    count: u64,
    open: BTreeMap<u64, Open<T>>,
}

impl<T> Questions<T> {
    /// Request ids are this prefix and a number.
    pub(crate) fn new(prefix: &'static str) -> Self {
        Self { prefix, count: 0, open: BTreeMap::new() }
    }

    /// Returns a new request id.
    pub(crate) fn next_id(&mut self) -> String {
        self.count += 1;
        format!("{}{}", self.prefix, self.count)
    }

    /// Returns true if the question is open.
    pub(crate) fn is_open(&self, asked: &UserQuestion) -> bool {
        self.open.values().any(|open| open.asked.id() == asked.id())
    }

    /// Adds a question and returns its request id.
    pub(crate) fn ask(&mut self, open: Open<T>) -> (String, &Open<T>) {
        let id = self.next_id();
        (id, self.open.entry(self.count).or_insert(open))
    }

    fn number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(self.prefix)?.parse().ok()
    }

    /// Iterates over the open questions and their request ids, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (String, &Open<T>)> {
        self.open.iter().map(|(number, open)| (format!("{}{number}", self.prefix), open))
    }

    /// Removes and returns a request's question.
    pub(crate) fn take(&mut self, id: &str) -> Option<Open<T>> {
        self.open.remove(&self.number(id)?)
    }

    /// Restores a question that stays open.
    pub(crate) fn put_back(&mut self, id: &str, open: Open<T>) {
        if let Some(number) = self.number(id) {
            self.open.insert(number, open);
        }
    }

    /// Removes the question that an event resolves, and returns the request id to withdraw.
    pub(crate) fn resolve(&mut self, event: &Event) -> Option<String> {
        let resolved = resolved(event)?;
        self.forget(|open| open.asked.id() == resolved).pop()
    }

    /// Removes the matching questions, and returns the request ids to withdraw.
    pub(crate) fn forget(&mut self, is_over: impl Fn(&Open<T>) -> bool) -> Vec<String> {
        let over: Vec<String> =
            self.iter().filter(|(_, open)| is_over(open)).map(|(id, _)| id).collect();
        for id in &over {
            self.take(id);
        }
        over
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }
}
