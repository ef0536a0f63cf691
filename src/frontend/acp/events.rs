//! Turns events of sessions into updates, questions and responses to prompts.

use super::driver::Driver;
use agent_client_protocol_schema::v1 as acp;
use pintle_agent::Feed;
use pintle_base::transport::envelope::Id;
use pintle_protocol::approval::Approval;
use pintle_protocol::event::{Event, EventRecord, TransientRecord};
use pintle_protocol::ids::SessionId;
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::question::Question;

impl Driver {
    /// Sends the messages that events become to the client.
    pub(super) fn hand_on(&mut self, events: Vec<Feed>) {
        self.sessions.adopt();
        for feed in events {
            match feed {
                Feed::Durable(record) => self.durable(&record.value),
                Feed::Transient(record) => self.transient(&record.value),
                // This client provides no hooks and no tools; missed events have been read again and are among these.
                Feed::Call(_)
                | Feed::CallWithdrawn(_)
                | Feed::Held(..)
                | Feed::Question(_)
                | Feed::Lagged { .. } => {}
            }
        }
    }

    fn transient(&mut self, record: &TransientRecord) {
        let Some(open) = self.sessions.get_mut(&record.session_id) else { return };
        let updates = open.translator.transient(&record.event);
        let messages = open.in_turn(updates, None);
        self.send_all(messages);
    }

    fn durable(&mut self, record: &EventRecord) {
        let EventRecord { session_id, seq, turn_id, event, .. } = record;
        match event {
            Event::ApprovalRequested(approval) => return self.ask_permission(session_id, approval),
            Event::QuestionRequested(question) => return self.ask_question(session_id, question),
            Event::ApprovalResolved(outcome) => {
                let withdrawn = self.questions.resolved(&outcome.approval_id);
                return self.send_all(withdrawn);
            }
            Event::QuestionResolved(outcome) => {
                let withdrawn = self.questions.answered(&outcome.question_id);
                return self.send_all(withdrawn);
            }
            _ => {}
        }
        if let Some(child) = child_of(event) {
            self.sessions.note_child(child, session_id);
        }
        let Some(open) = self.sessions.get_mut(session_id) else { return };
        let is_sent = *seq <= open.sent_to;
        let mut messages = Vec::new();
        let mut responses: Vec<(Id, Vec<u8>)> = Vec::new();
        match event {
            Event::TurnStarted { .. } => {
                if let Some(turn) = turn_id {
                    messages = open.begin(turn.clone());
                }
            }
            Event::TurnCompleted(end) => {
                if !is_sent {
                    open.translator.durable(event, *seq);
                }
                responses = open.end(turn_id.as_ref(), end);
            }
            Event::InputRemoved { inputs, is_handled: false } => responses = open.removed(inputs),
            Event::SessionUpdated(_) | Event::ConfigChanged(_) if is_sent => {}
            Event::SessionUpdated(updated) => {
                let info = acp::SessionInfoUpdate::new().title(updated.title.clone());
                messages
                    .push(open.message(acp::SessionUpdate::SessionInfoUpdate(info), Some(*seq)));
            }
            Event::ConfigChanged(changed) => {
                let before = open.settings.mode();
                open.settings.apply(changed);
                let mode = open.settings.mode();
                if mode != before {
                    let update = acp::CurrentModeUpdate::new(mode);
                    messages.push(
                        open.message(acp::SessionUpdate::CurrentModeUpdate(update), Some(*seq)),
                    );
                }
                let update = acp::ConfigOptionUpdate::new(open.settings.options());
                messages
                    .push(open.message(acp::SessionUpdate::ConfigOptionUpdate(update), Some(*seq)));
            }
            _ => {
                if let Some(Item { id, body: ItemBody::UserMessage(_), .. }) = item_of(event) {
                    open.read(id, turn_id.as_ref());
                }
                if !is_sent {
                    let updates = open.translator.durable(event, *seq);
                    messages = open.in_turn(updates, Some(*seq));
                }
            }
        }
        self.send_all(messages);
        for (id, response) in responses {
            self.respond(&id, response);
        }
    }

    pub(super) fn ask_permission(&mut self, session: &SessionId, approval: &Approval) {
        if let Some((id, handle)) = self.sessions.asking(session) {
            let request = self.questions.permission(&id, handle, approval);
            self.send_all(request);
        }
    }

    pub(super) fn ask_question(&mut self, session: &SessionId, question: &Question) {
        if let Some((id, handle)) = self.sessions.asking(session) {
            let request = self.questions.question(&id, handle, question);
            self.send_all(request);
        }
    }
}

fn item_of(event: &Event) -> Option<&Item> {
    match event {
        Event::ItemStarted { item }
        | Event::ItemUpdated { item }
        | Event::ItemCompleted { item } => Some(item),
        _ => None,
    }
}

/// The sub-agent's session that an event names.
fn child_of(event: &Event) -> Option<&SessionId> {
    let ItemBody::Subagent(agent) = &item_of(event)?.body else { return None };
    Some(&agent.session_id)
}
