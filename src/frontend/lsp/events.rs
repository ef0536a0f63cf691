//! Passes session events to the parts that show them.

use super::driver::Driver;
use super::progress;
use pintle_agent::{Feed, SessionQuestions};
use pintle_protocol::event::{EventRecord, TransientEvent};

impl Driver {
    /// Sends the messages that events become to the client.
    pub(super) fn forward(&mut self, events: Vec<Feed>) {
        self.current.subagents.adopt();
        for feed in events {
            match feed {
                Feed::Durable(record) => self.durable(&record.value),
                Feed::Questions(now) => self.questions_changed(&now),
                Feed::Transient(record) => {
                    if let TransientEvent::Notice(notice) = &record.value.event
                        && self.current.is(&record.value.session_id)
                    {
                        self.send_all([progress::notice(notice)]);
                    }
                }
                // This client provides no hooks and no tools; missed events have been read again and are among these.
                _ => {}
            }
        }
    }

    fn questions_changed(&mut self, now: &SessionQuestions) {
        let (withdrawn, new) = self.questions.update(now);
        self.send_all(withdrawn);
        let Some(session) = self.current.asking(&now.session_id) else { return };
        for asked in new {
            let request = self.questions.ask(session.clone(), asked);
            self.send_all(request);
        }
    }

    fn durable(&mut self, record: &EventRecord) {
        let EventRecord { session_id, seq, turn_id, event, .. } = record;
        if self.current.is(session_id) {
            let messages = self.progress.event(turn_id.as_ref(), event);
            self.send_all(messages);
            if super::review::changes(event) {
                self.read_changes();
            }
            let refusal = self.changes.followed(*seq, event);
            self.send_all(refusal);
            let growing = self.views.push_event(record);
            self.apply(growing);
        }
    }
}
