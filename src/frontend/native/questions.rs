//! Requests to this connection's client: questions, calls of its hooks and tools, and edits. They are withdrawn once no response is needed.

use crate::client::{self, Changes, Client, Edits, Open, UserQuestion};
use crate::connection::Outbox;
use crate::methods::connection::Connection;
use pintle_agent::{
    Answer, CallBody, CallId, ClientCall, EditCall, SessionHandle, SessionQuestions,
};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{
    ApplyEdit, ApprovalRequest, CancelParams, CancelRequest, HookRunRequest, Notification,
    QuestionRequest, Request, ToolCallRequest,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Requests without a response, by id.
#[derive(Debug)]
pub(super) struct Questions {
    asked: client::Questions,
    calls: BTreeMap<String, (CallId, SessionHandle)>,
    pub(super) edits: Edits,
}

impl Questions {
    pub(super) fn new(client: &Client) -> Self {
        let asked = client::Questions::new("s");
        Self { asked, calls: BTreeMap::new(), edits: Edits::new(client) }
    }

    fn ask(&mut self, session: SessionHandle, asked: UserQuestion, outbox: &mut Outbox) {
        let (id, open) = self.asked.ask(Open { asked, session, note: () });
        outbox.push(match &open.asked {
            UserQuestion::Approval(approval) => {
                envelope::request(&id, ApprovalRequest::METHOD, &**approval)
            }
            UserQuestion::Question(question) => {
                envelope::request(&id, QuestionRequest::METHOD, &**question)
            }
        });
    }

    /// Sends a session's new questions and withdraws obsolete ones.
    pub(super) fn update(
        &mut self,
        now: &SessionQuestions,
        connection: &Connection,
        outbox: &mut Outbox,
    ) {
        let Changes { over, new } = self.asked.update(now);
        for id in over {
            withdraw(id, outbox);
        }
        let Some(session) = connection.find(&now.session_id) else { return };
        for asked in new.into_iter().filter(|asked| connection.takes(asked)) {
            self.ask(session.clone(), asked, outbox);
        }
    }

    /// Calls a hook or a tool of the client's.
    pub(super) fn call(&mut self, call: &ClientCall, connection: &Connection, outbox: &mut Outbox) {
        let Some(session) = connection.find(&call.session_id) else { return };
        let id = self.asked.next_id();
        outbox.push(match &call.body {
            CallBody::Hook(run) => envelope::request(&id, HookRunRequest::METHOD, &**run),
            CallBody::Tool(call) => envelope::request(&id, ToolCallRequest::METHOD, call),
        });
        self.calls.insert(id, (call.id.clone(), session));
    }

    /// Withdraws a call whose response is no longer needed.
    pub(super) fn withdraw_call(&mut self, call: &CallId, outbox: &mut Outbox) {
        self.calls.retain(|id, (open, _)| {
            let is_kept = open != call;
            if !is_kept {
                withdraw(id.clone(), outbox);
            }
            is_kept
        });
    }

    /// Withdraws questions by sessions left by the client. Calls of the client's hooks and tools remain the client's.
    pub(super) fn leave(&mut self, sessions: &[SessionId], outbox: &mut Outbox) {
        for id in self.asked.leave(|id| sessions.contains(id)) {
            withdraw(id, outbox);
        }
    }

    /// Sends an edit to the client, or its withdrawal.
    pub(super) fn edit(&mut self, call: EditCall, outbox: &mut Outbox) {
        match call {
            EditCall::Make { id, params, reply } => {
                let id = format!("e{id}");
                outbox.push(envelope::request(&id, ApplyEdit::METHOD, &params));
                self.edits.insert(id, (), reply);
            }
            // Editors of this protocol send their texts without a request, so they are never asked to read one.
            EditCall::Read { reply, .. } => drop(reply),
            EditCall::Withdraw(id) => {
                let id = format!("e{id}");
                if self.edits.take(&Id::Str(id.clone())).is_some() {
                    withdraw(id, outbox);
                }
            }
        }
    }

    /// Takes a response and returns the answer for a session.
    pub(super) fn responded(
        &mut self,
        id: &Id,
        outcome: Result<Box<RawValue>, String>,
    ) -> Option<(SessionHandle, Answer)> {
        if let Some(((), reply)) = self.edits.take(id) {
            let read =
                |raw: Box<RawValue>| serde_json::from_str(raw.get()).map_err(|e| e.to_string());
            // The caller may be gone by now.
            let _ = reply.send(outcome.and_then(read));
            return None;
        }
        let Id::Str(id) = id else {
            tracing::debug!("response to an unknown request: {id:?}");
            return None;
        };
        if let Some((call_id, session)) = self.calls.remove(id) {
            let outcome = outcome
                .and_then(|raw| serde_json::from_str(raw.get()).map_err(|error| error.to_string()));
            return Some((session, Answer::Call { call_id, outcome }));
        }
        let Some(Open { asked, session, .. }) = self.asked.take(id) else {
            tracing::debug!("response to an unknown request: {id}");
            return None;
        };
        let answer = match &asked {
            UserQuestion::Approval(approval) => {
                let answer = read(outcome).and_then(|answer| offered(approval, answer));
                let approval_id = approval.approval_id.clone();
                answer.map(|answer| Answer::Approval { approval_id, answer })
            }
            UserQuestion::Question(question) => {
                let question_id = question.question_id.clone();
                read(outcome).map(|answer| Answer::Question { question_id, answer })
            }
        };
        let unreadable = |why| Answer::Unreadable { id: asked.id().to_owned(), why };
        let answer = answer.unwrap_or_else(unreadable);
        Some((session, answer))
    }
}

fn withdraw(id: String, outbox: &mut Outbox) {
    let params = CancelParams { id: Value::String(id) };
    outbox.push(envelope::notification(CancelRequest::METHOD, &params));
}

fn read<T: DeserializeOwned>(outcome: Result<Box<RawValue>, String>) -> Result<T, String> {
    outcome.and_then(|raw| serde_json::from_str(raw.get()).map_err(|error| error.to_string()))
}

/// Returns the answer if its option was offered.
fn offered(approval: &Approval, answer: ApprovalAnswer) -> Result<ApprovalAnswer, String> {
    let is_offered =
        |chosen: &String| approval.options.iter().any(|option| option.option_id == *chosen);
    approval.check_edits(&answer)?;
    match &answer.option_id {
        _ if answer.dismissed => Ok(answer),
        Some(chosen) if is_offered(chosen) => Ok(answer),
        Some(chosen) => Err(format!("unknown option `{chosen}`")),
        None => Err("no `optionId`".to_owned()),
    }
}
