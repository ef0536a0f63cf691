//! Questions of permission on this connection: asked as requests, withdrawn when somebody else answered.

use super::connection::Connection;
use super::outbox::Outbox;
use crate::agent::{Answer, SessionHandle};
use crate::transport::envelope;
use jsonrpsee::types::Id;
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::ApprovalId;
use pintle_protocol::methods::{
    ApprovalRequest, CancelParams, CancelRequest, Notification, Request,
};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Requests of ours that wait for an answer, by their id.
#[derive(Debug, Default)]
pub(super) struct Questions {
    asked: u64,
    open: BTreeMap<String, (ApprovalId, SessionHandle)>,
}

impl Questions {
    /// Sends a question unless it is open here already.
    pub(super) fn ask(&mut self, session: SessionHandle, approval: &Approval, outbox: &mut Outbox) {
        if self.open.values().any(|(open, _)| *open == approval.approval_id) {
            return;
        }
        self.asked += 1;
        let id = format!("s{}", self.asked);
        outbox.push(envelope::request(&id, ApprovalRequest::METHOD, approval));
        self.open.insert(id, (approval.approval_id.clone(), session));
    }

    /// Asks and withdraws as the session's events say.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only events about approvals matter here")]
    pub(super) fn watch(
        &mut self,
        record: &EventRecord,
        connection: &Connection,
        outbox: &mut Outbox,
    ) {
        match &record.event {
            Event::ApprovalRequested(approval) if connection.can_approve() => {
                if let Some(session) = connection.find(&record.session_id) {
                    self.ask(session, approval, outbox);
                }
            }
            Event::ApprovalResolved(outcome) => {
                let open = self.open.iter().find(|(_, (open, _))| *open == outcome.approval_id);
                if let Some(id) = open.map(|(id, _)| id.clone()) {
                    self.open.remove(&id);
                    let params = CancelParams { id: Value::String(id) };
                    outbox.push(envelope::notification(CancelRequest::METHOD, &params));
                }
            }
            _ => {}
        }
    }

    /// Takes an answer. Anything but a well-formed one counts as a question closed without a choice.
    pub(super) fn answered(
        &mut self,
        id: &Id<'_>,
        outcome: Result<Box<RawValue>, String>,
    ) -> Option<(SessionHandle, Answer)> {
        let Id::Str(id) = id else { return None };
        let (approval_id, session) = self.open.remove(id.as_ref())?;
        let answer = outcome
            .ok()
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or(ApprovalAnswer { dismissed: true, ..ApprovalAnswer::default() });
        Some((session, Answer { approval_id, answer }))
    }
}
