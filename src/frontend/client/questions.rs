//! Approvals and questions that wait for the client's answer, keyed by the protocol's request ids. Pure.
//!
//! Sessions report which of their questions are open, all of them at each change: [`Questions::update`] compares that with the requests. So a
//! replay asks nothing, missed events lose nothing, and equal ids in a session and its fork are distinct.

use pintle_agent::{Answer, SessionHandle, SessionQuestions};
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::ids::SessionId;
use pintle_protocol::question::{Question, QuestionAnswer};
use pintle_protocol::session::SessionResult;
use std::collections::{BTreeMap, BTreeSet};

/// A question for the user.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UserQuestion {
    /// A request for permission.
    Approval(Box<Approval>),
    /// A question of the model.
    Question(Box<Question>),
}

impl UserQuestion {
    /// Returns the questions that are open in a session.
    pub(crate) fn in_session(snapshot: &SessionResult) -> Vec<Self> {
        Self::all(&snapshot.approvals, &snapshot.questions)
    }

    /// Returns the questions that a session reports as open.
    pub(crate) fn open_in(now: &SessionQuestions) -> Vec<Self> {
        Self::all(&now.approvals, &now.questions)
    }

    fn all(approvals: &[Approval], questions: &[Question]) -> Vec<Self> {
        let approvals = approvals.iter().cloned().map(Box::new).map(Self::Approval);
        let questions = questions.iter().cloned().map(Box::new).map(Self::Question);
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
                let answer = ApprovalAnswer {
                    option_id,
                    feedback: text,
                    dismissed,
                    ..ApprovalAnswer::default()
                };
                Answer::Approval { approval_id: approval.approval_id.clone(), answer }
            }
            Self::Question(question) => {
                let answer = QuestionAnswer { option_ids, text, dismissed };
                Answer::Question { question_id: question.question_id.clone(), answer }
            }
        }
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

impl<T> Open<T> {
    fn key(&self) -> (SessionId, String) {
        (self.session.id.clone(), self.asked.id().to_owned())
    }
}

/// Questions without an answer, by request.
#[derive(Debug)]
pub(crate) struct Questions<T = ()> {
    prefix: &'static str,
    count: u64,
    open: BTreeMap<u64, Open<T>>,
    /// Questions whose answer is on its way to their sessions.
    answered: BTreeSet<(SessionId, String)>,
}

/// What changes for a client when a session's open questions change.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The request ids to withdraw.
    pub(crate) over: Vec<String>,
    /// The questions to ask.
    pub(crate) new: Vec<UserQuestion>,
}

impl<T> Questions<T> {
    /// Request ids are this prefix and a number.
    pub(crate) fn new(prefix: &'static str) -> Self {
        Self { prefix, count: 0, open: BTreeMap::new(), answered: BTreeSet::new() }
    }

    /// Returns a new request id.
    pub(crate) fn next_id(&mut self) -> String {
        self.count += 1;
        format!("{}{}", self.prefix, self.count)
    }

    /// Returns true if the session's question is open here.
    pub(crate) fn is_open(&self, session: &SessionId, asked: &UserQuestion) -> bool {
        self.open.values().any(|open| open.session.id == *session && open.asked.id() == asked.id())
    }

    /// Compares a session's open questions with the requests, and removes obsolete requests.
    pub(crate) fn update(&mut self, now: &SessionQuestions) -> Changes {
        let session = &now.session_id;
        let mut asked = UserQuestion::open_in(now);
        let is_listed = |id: &str| asked.iter().any(|asked| asked.id() == id);
        let over = self.forget(|open| open.session.id == *session && !is_listed(open.asked.id()));
        self.answered.retain(|(of, id)| of != session || is_listed(id));
        asked.retain(|asked| {
            let answered = (session.clone(), asked.id().to_owned());
            !self.is_open(session, asked) && !self.answered.contains(&answered)
        });
        Changes { over, new: asked }
    }

    /// Adds a question and returns its request id.
    pub(crate) fn ask(&mut self, open: Open<T>) -> (String, &Open<T>) {
        let id = self.next_id();
        self.answered.remove(&open.key());
        (id, self.open.entry(self.count).or_insert(open))
    }

    fn number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(self.prefix)?.parse().ok()
    }

    /// Iterates over the open questions and their request ids, oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (String, &Open<T>)> {
        self.open.iter().map(|(number, open)| (format!("{}{number}", self.prefix), open))
    }

    /// Removes and returns a request's question, which is answered and not asked again.
    pub(crate) fn take(&mut self, id: &str) -> Option<Open<T>> {
        let open = self.open.remove(&self.number(id)?)?;
        self.answered.insert(open.key());
        Some(open)
    }

    /// Restores a question that stays open.
    pub(crate) fn put_back(&mut self, id: &str, open: Open<T>) {
        if let Some(number) = self.number(id) {
            self.answered.remove(&open.key());
            self.open.insert(number, open);
        }
    }

    /// Removes the matching questions, and returns the request ids to withdraw.
    fn forget(&mut self, is_over: impl Fn(&Open<T>) -> bool) -> Vec<String> {
        let prefix = self.prefix;
        let over = self.open.extract_if(.., |_, open| is_over(open));
        over.map(|(number, _)| format!("{prefix}{number}")).collect()
    }

    /// Removes the questions of sessions left by the client, and returns the request ids to withdraw. Sessions keep their questions, and ask
    /// them again if the client returns.
    pub(crate) fn leave(&mut self, is_left: impl Fn(&SessionId) -> bool) -> Vec<String> {
        self.answered.retain(|(session, _)| !is_left(session));
        self.forget(|open| is_left(&open.session.id))
    }

    /// Closes the open requests, as if they were answered.
    pub(crate) fn give_up(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.answered.extend(open.values().map(Open::key));
    }

    /// Forgets all of them: the same questions are asked again.
    pub(crate) fn clear(&mut self) {
        self.open.clear();
        self.answered.clear();
    }
}
