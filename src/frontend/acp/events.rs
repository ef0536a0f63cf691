//! Turns session events into updates, questions and responses to prompts.

use super::driver::Driver;
use crate::client::UserQuestion;
use agent_client_protocol_schema::v1 as acp;
use pintle_agent::{Feed, SessionQuestions};
use pintle_base::transport::envelope::Id;
use pintle_protocol::event::{Event, EventRecord, TransientRecord};
use pintle_protocol::ids::SessionId;

impl Driver {
    /// Sends the messages that events become to the client.
    pub(super) fn forward(&mut self, events: Vec<Feed>) {
        self.sessions.subagents.adopt();
        for feed in events {
            match feed {
                Feed::Durable(record) => self.durable(&record.value),
                Feed::Transient(record) => self.transient(&record.value),
                Feed::Questions(now) => self.questions_changed(&now),
                // This client provides no hooks and no tools; missed events have been read again and are among these.
                _ => {}
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
                if let Some(item) =
                    event.item().filter(|item| item.body.as_user_message().is_some())
                {
                    open.read(&item.id, turn_id.as_ref());
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

    fn questions_changed(&mut self, now: &SessionQuestions) {
        let (withdrawn, new) = self.questions.update(now);
        self.send_all(withdrawn);
        for asked in new {
            self.ask(&now.session_id, asked);
        }
    }

    pub(super) fn ask(&mut self, session: &SessionId, asked: UserQuestion) {
        if let Some((id, handle)) = self.sessions.asking(session) {
            let request = self.questions.ask(id, handle, asked);
            self.send_all(request);
        }
    }
}
