//! Requests to the client of this connection, withdrawn once no response is needed.

use super::connection::Connection;
use crate::connection::Outbox;
use pintle_agent::{Answer, CallBody, CallId, ClientCall, SessionHandle};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::{ApprovalId, QuestionId, SessionId};
use pintle_protocol::methods::{
    ApprovalRequest, CancelParams, CancelRequest, HookRunRequest, Notification, QuestionRequest,
    Request, ToolCallRequest,
};
use pintle_protocol::question::{Question, QuestionAnswer};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A question for a person.
#[derive(Debug, Clone)]
pub(super) enum OpenQuestion {
    /// A request for permission.
    Approval(Approval),
    /// A question of the model.
    Question(Question),
}

/// The subject of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum About {
    Approval(ApprovalId),
    Question(QuestionId),
    Call(CallId),
}

impl OpenQuestion {
    fn about(&self) -> About {
        match self {
            Self::Approval(approval) => About::Approval(approval.approval_id.clone()),
            Self::Question(question) => About::Question(question.question_id.clone()),
        }
    }
}

/// Requests without a response, by id.
#[derive(Debug, Default)]
pub(super) struct Questions {
    count: u64,
    open: BTreeMap<String, (About, SessionHandle)>,
}

impl Questions {
    /// Sends a question, unless it is open here already.
    pub(super) fn ask(
        &mut self,
        session: SessionHandle,
        question: &OpenQuestion,
        outbox: &mut Outbox,
    ) {
        let about = question.about();
        if self.open.values().any(|(open, _)| *open == about) {
            return;
        }
        self.count += 1;
        let id = format!("s{}", self.count);
        outbox.push(match question {
            OpenQuestion::Approval(approval) => {
                envelope::request(&id, ApprovalRequest::METHOD, approval)
            }
            OpenQuestion::Question(question) => {
                envelope::request(&id, QuestionRequest::METHOD, question)
            }
        });
        self.open.insert(id, (about, session));
    }

    /// Sends and withdraws questions according to the session's events.
    pub(super) fn watch(
        &mut self,
        record: &EventRecord,
        connection: &Connection,
        outbox: &mut Outbox,
    ) {
        let question = match &record.event {
            Event::ApprovalRequested(approval) => OpenQuestion::Approval(approval.clone()),
            Event::QuestionRequested(question) => OpenQuestion::Question(question.clone()),
            Event::ApprovalResolved(outcome) => {
                return self.withdraw(&About::Approval(outcome.approval_id.clone()), outbox);
            }
            Event::QuestionResolved(outcome) => {
                return self.withdraw(&About::Question(outcome.question_id.clone()), outbox);
            }
            _ => return,
        };
        if connection.takes(&question)
            && let Some(session) = connection.find(&record.session_id)
        {
            self.ask(session, &question, outbox);
        }
    }

    /// Calls a hook or a tool of the client's.
    pub(super) fn call(&mut self, call: &ClientCall, connection: &Connection, outbox: &mut Outbox) {
        let Some(session) = connection.find(&call.session_id) else { return };
        self.count += 1;
        let id = format!("s{}", self.count);
        outbox.push(match &call.body {
            CallBody::Hook(run) => envelope::request(&id, HookRunRequest::METHOD, &**run),
            CallBody::Tool(call) => envelope::request(&id, ToolCallRequest::METHOD, call),
        });
        self.open.insert(id, (About::Call(call.id.clone()), session));
    }

    /// Withdraws a call whose response is no longer needed.
    pub(super) fn withdraw_call(&mut self, id: &CallId, outbox: &mut Outbox) {
        self.withdraw(&About::Call(id.clone()), outbox);
    }

    /// Withdraws the questions of a session, which stay open there. Calls of the client's hooks and tools stay its own.
    pub(super) fn withdraw_all(&mut self, session: &SessionId, outbox: &mut Outbox) {
        self.withdraw_where(
            |(about, asker)| asker.id == *session && !matches!(about, About::Call(_)),
            outbox,
        );
    }

    fn withdraw(&mut self, about: &About, outbox: &mut Outbox) {
        self.withdraw_where(|(open, _)| open == about, outbox);
    }

    fn withdraw_where(
        &mut self,
        is_over: impl Fn(&(About, SessionHandle)) -> bool,
        outbox: &mut Outbox,
    ) {
        let over: Vec<String> =
            self.open.iter().filter(|(_, open)| is_over(open)).map(|(id, _)| id.clone()).collect();
        for id in over {
            self.open.remove(&id);
            let params = CancelParams { id: Value::String(id) };
            outbox.push(envelope::notification(CancelRequest::METHOD, &params));
        }
    }

    /// Takes a response. A malformed one dismisses the question.
    pub(super) fn answered(
        &mut self,
        id: &Id,
        outcome: Result<Box<RawValue>, String>,
    ) -> Option<(SessionHandle, Answer)> {
        let Id::Str(id) = id else { return None };
        let (about, session) = self.open.remove(id)?;
        let answer = match about {
            About::Approval(approval_id) => Answer::Approval {
                approval_id,
                answer: read(outcome)
                    .unwrap_or(ApprovalAnswer { dismissed: true, ..ApprovalAnswer::default() }),
            },
            About::Call(call_id) => Answer::Call {
                call_id,
                outcome: outcome.and_then(|raw| {
                    serde_json::from_str(raw.get()).map_err(|error| error.to_string())
                }),
            },
            About::Question(question_id) => Answer::Question {
                question_id,
                answer: read(outcome)
                    .unwrap_or(QuestionAnswer { dismissed: true, ..QuestionAnswer::default() }),
            },
        };
        Some((session, answer))
    }
}

fn read<T: DeserializeOwned>(outcome: Result<Box<RawValue>, String>) -> Option<T> {
    outcome.ok().and_then(|raw| serde_json::from_str(raw.get()).ok())
}
